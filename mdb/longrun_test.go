package mdb_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

const longSteps = 100_000

// longPath returns a random run of randtree, with a crash if it is long.
func longPath(t testing.TB, steps int) (*sim.System, choose.Path) {
	t.Helper()
	subject, err := check.NewSubject(randtree.Entry(), check.Wanted{
		Config: spec.Config{Nodes: 4}, Limits: func(l *sim.Limits) { *l = sim.Limits{sim.Crashes: 1} },
	})
	if err != nil {
		t.Fatal(err)
	}
	sys := &subject.System
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replay.NewRun(w)
	rng := rand.New(rand.NewPCG(1, 2))
	src := choose.SourceFunc(func(p choose.Point) int {
		if p.Kind.Class() == choose.Fault {
			return 0
		}
		return rng.IntN(p.Arity)
	})
	if err := r.Start(src); err != nil {
		t.Fatal(err)
	}
	for r.Steps() < steps {
		n := len(w.Enabled())
		if r.Steps() == 5000 {
			n += len(w.Injections(nil))
		}
		if err := r.Step(rng.IntN(n), src); err != nil {
			t.Fatal(err)
		}
	}
	return sys, r.Path
}

// A long run shows the same states as plain execution, whatever the order of visits, and stays within its memory limit.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 steps")
	}
	sys, path := longPath(t, longSteps)
	s := opened(t, mdb.Config{System: sys, Path: path, Header: pathfile.Header{System: sys.Name, Nodes: sys.Nodes, Seed: 1}})
	plain, err := replay.NewCursor(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{}
	places := []int{1, 64, 65, 12_345, 50_000, 77_777, longSteps}
	for _, n := range places {
		if err := plain.To(n); err != nil {
			t.Fatal(err)
		}
		for id := range sim.NodeID(sys.Nodes) {
			for _, f := range plain.World().NodeFields(id) {
				want[n] += fmt.Sprintf("n%d.%s %s\n", id, f.Path, f.Value)
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := places[rng.IntN(len(places))]
		s.Go(n)
		state, err := s.States()
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, l := range state {
			if l.Path != "" && l.Value != "gone" {
				got += fmt.Sprintf("n%d.%s %s\n", l.Node, l.Path, l.Value)
			}
		}
		if got != want[n] {
			t.Fatalf("step %d:\ngot\n%s\nwant\n%s", n, got, want[n])
		}
	}
	do(t, s, "start; find n0.State changes; end; rfind n0.State changes")
	if out := do(t, s, "77777; graph 77770 77780"); !strings.Contains(out, "77775 ") || strings.Contains(out, "all nodes boot") {
		t.Errorf("a graph far from the start:\n%s", out)
	}
	// JSON has no range: it contains all steps that the range was built from.
	if out := do(t, s, fmt.Sprintf("graph 77770 77780 json '%s'", filepath.Join(t.TempDir(), "g.json"))); !strings.HasPrefix(out, "steps 77370 to 78180 are in ") {
		t.Errorf("a graph as JSON: %s", out)
	}
	do(t, s, "50000; why")
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 300<<20 {
		t.Errorf("%d MB are in use", m.HeapAlloc>>20)
	}
}

func BenchmarkOpen(b *testing.B) {
	sys, path := longPath(b, longSteps)
	b.ResetTimer()
	for range b.N {
		if _, err := mdb.Open(mdb.Config{System: sys, Path: path}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkJump measures the view of a screen after a jump to any step of 100,000.
func BenchmarkJump(b *testing.B) {
	sys, path := longPath(b, longSteps)
	s, err := mdb.Open(mdb.Config{System: sys, Path: path})
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	b.ResetTimer()
	for range b.N {
		n := 1 + rng.IntN(longSteps)
		s.Go(n)
		s.Summary()
		if _, err := s.States(); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Lanes(n-20, n+20, 80); err != nil {
			b.Fatal(err)
		}
	}
}

// A graph of a range far from the start is built from a part of the run, and equals the one built from the whole run.
func TestGraphOfPart(t *testing.T) {
	if testing.Short() {
		t.Skip("follows long runs")
	}
	sys, path := longPath(t, partSteps)
	samePart(t, sys, path)
	samePart(t, late(), latePath(t))
}

const partSteps, partFrom, partTo = 2600, 2400, 2440 // beyond history.ExactGraphSteps, and with the start beyond the margin

// late is a system with a message that arrives after everything else.
func late() *sim.System {
	return &sim.System{
		Name: "late", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counter{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{
			sim.Action[*counter]{Name: "add", Do: (*counter).add},
			sim.Action[*counter]{Name: "tell", Times: 1, Do: (*counter).tell},
		},
	}
}

func (c *counter) tell(env sim.Env) { env.Send(1-env.Self(), c.Count) }

// latePath returns a run in which node 0 sends its number, and node 1 receives it thousands of steps later.
func latePath(t *testing.T) choose.Path {
	t.Helper()
	w, err := kernel.NewWorld(late(), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replay.NewRun(w)
	if err := r.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	for r.Steps() < partSteps {
		want := "action n0 add"
		switch r.Steps() + 1 {
		case 1:
			want = "action n0 tell"
		case partFrom + 5:
			want = "deliver n1<-n0 0"
		}
		index := slices.IndexFunc(w.Enabled(), func(ev netmodel.Event) bool { return w.Key(ev) == want })
		if index < 0 {
			t.Fatalf("step %d: no %q", r.Steps()+1, want)
		}
		if err := r.Step(index, choose.First); err != nil {
			t.Fatal(err)
		}
	}
	return r.Path
}

func samePart(t *testing.T, sys *sim.System, path choose.Path) {
	t.Helper()
	s := opened(t, mdb.Config{System: sys, Path: path})
	trace, err := replay.Record(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := eventgraph.Build(trace)
	o := eventgraph.Options{From: partFrom, To: partTo, Fold: -1}
	for _, c := range []struct {
		format string
		render func(io.Writer, eventgraph.Options) error
	}{{"text", g.Text}, {"svg", g.SVG}, {"mermaid", g.Mermaid}, {"html", g.HTML}} {
		file := filepath.Join(t.TempDir(), "graph")
		do(t, s, fmt.Sprintf("graph %d %d %s '%s'", partFrom, partTo, c.format, file))
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := c.render(&want, o); err != nil {
			t.Fatal(err)
		}
		a, b := string(got), want.String()
		if c.format == "svg" || c.format == "html" { // the longest message of the run determines the distance of the lanes
			titles := regexp.MustCompile(`<title>[^<]*</title>|<h3>.*</h3>`)
			a, b = strings.Join(titles.FindAllString(a, -1), "\n"), strings.Join(titles.FindAllString(b, -1), "\n")
		}
		if line, g, w := golden.Difference(a, b); line > 0 {
			t.Errorf("%s: %s, line %d:\ngot  %.300q\nwant %.300q", sys.Name, c.format, line, g, w)
		}
	}
}
