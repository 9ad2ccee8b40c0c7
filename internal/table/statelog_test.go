package table_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/statelog"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// logged explores with the log in a file.
func logged(t tester, name string, sys *sim.System, opts options.Options) (*table.Exploration, error) {
	t.Helper()
	l, err := statelog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	opts.Log = l
	x, err := table.Explore(context.Background(), sys, opts)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return x, err
}

// records are the states and cache fillers of a log.
func records(t *testing.T, name string) (all explore.Block) {
	t.Helper()
	l, err := statelog.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for b, err := range l.Blocks() {
		if err != nil {
			t.Fatal(err)
		}
		all.Origins, all.CacheFillers = append(all.Origins, b.Origins...), append(all.CacheFillers, b.CacheFillers...)
	}
	all.Mark = l.End()
	return all
}

// An exploration that was stopped resumes with the same log, and has the same result.
func TestLog_Resumes(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	faults := sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}
	for k, c := range []struct {
		name   string
		nodes  int
		limits sim.Limits
		depth  int
	}{
		{"paxos", 6, sim.Limits{}, 0},
		{"paxos", 6, sim.Limits{sim.Crashes: 1, sim.Loss: 1}, 6},
		{"randtree", 3, faults, 6},
		{"pastry", 3, faults, 7},
		{"transport", 2, sim.Limits{sim.Loss: 1}, 6},
		{"gossip", 3, sim.Limits{sim.Crashes: 1, sim.Loss: 1}, 4},
		{"overcast", 3, faults, 7},
		{"pingack", 2, sim.Limits{sim.Loss: 1}, 6},
	} {
		set := stateset.Kinds[k%2]
		t.Run(c.name+" "+set.Name, func(t *testing.T) {
			sys := bundled.System(t, c.name, c.nodes, c.limits)
			opts := options.Options{Visited: set, MaxDepth: c.depth, Go: func(f func()) { go f() }}
			want := breadth(t, sys, opts)
			whole, parts := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "parts")
			got, err := logged(t, whole, sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			sameExploration(t, "with a log", got, want)
			first := opts
			for _, first.MaxStates = range []int{want.States / 10, want.States / 2, want.States} {
				if _, err := logged(t, parts, sys, first); err != nil {
					t.Fatal(err)
				}
			}
			got, err = logged(t, parts, sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			sameExploration(t, "resumed", got, want)
			a, b := records(t, whole), records(t, parts)
			if a.Mark != b.Mark || !slices.Equal(a.Origins, b.Origins) || !slices.Equal(a.CacheFillers, b.CacheFillers) {
				t.Errorf("%+v and %d cache fillers in parts, %+v and %d as a whole", b.Mark, len(b.CacheFillers), a.Mark, len(a.CacheFillers))
			}
			t.Logf("%d states, %d cache fillers", a.States, len(a.CacheFillers))
		})
	}
}

// A resumed exploration with enough memory does not report states on disk for want of memory.
func TestLog_ResumesInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("visits many states")
	}
	set, err := stateset.Named("64")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sys, name := bundled.System(t, "paxos", 6, sim.Limits{sim.Crashes: 1}), filepath.Join(dir, "log")
	opts := options.Options{Visited: set, Spill: &stateset.Spill{Dir: dir, Bytes: 1 << 28}}
	for _, opts.MaxStates = range []int{250_000, 251_000} {
		x, err := logged(t, name, sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if x.Stopped != "states" || x.Disk != 0 {
			t.Errorf("stopped by %q, %d bytes on disk", x.Stopped, x.Disk)
		}
	}
}

// So it is with random systems, wherever the log is cut.
func TestLog_RandomSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	n, resumed, found := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		name := filepath.Join(dir, fmt.Sprint(n))
		sys := script.DrawSmall(t).System()
		opts := options.Options{MaxDepth: 6, Visited: rapid.SampledFrom(stateset.Kinds).Draw(t, "visited"), SkipRehearsal: true}
		want := breadth(t, sys, opts)
		first := opts
		for first.MaxDepth = range opts.MaxDepth { // a block each
			if first.MaxDepth > 0 {
				logged(t, name, sys, first)
			}
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tail := rapid.IntRange(0, len(data)).Draw(t, "tail")
		// Most often less than half is cut off
		if err := os.WriteFile(name, data[:len(data)-tail*tail/max(1, len(data))], 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := statelog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if l.End().Expanded > 0 {
			resumed++
		}
		l.Close()
		got, err := logged(t, name, sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if want.Finding != nil || got.Finding != nil {
			found++
			if findingText(got) != findingText(want) || !slices.Equal(got.Path, want.Path) || got.States != want.States {
				t.Fatalf("%s by %v in %d states; without a log %s by %v in %d", findingText(got), got.Path, got.States, findingText(want), want.Path, want.States)
			}
			return
		}
		sameExploration(t, "resumed", got, want)
	})
	t.Logf("%d resumed, %d findings", resumed, found)
	if resumed < n/5 {
		t.Errorf("%d resumed, %d findings", resumed, found)
	}
}

// findingText formats a finding without the stack.
func findingText(x *table.Exploration) string {
	if f, ok := errors.AsType[*sim.Finding](x.Finding); ok {
		return fmt.Sprint(f.Kind, f.Property, f.Message)
	}
	return fmt.Sprint(x.Finding)
}

// A property added later has the same finding in the log as it would have had in the search.
func TestLog_Rechecks(t *testing.T) {
	sys := bundled.System(t, "paxos", 6, sim.Limits{}, "PX3")
	strict := *sys
	lax := *sys
	lax.Properties = nil
	name := filepath.Join(t.TempDir(), "log")
	x, err := logged(t, name, &lax, options.Options{})
	if err != nil || !x.Complete {
		t.Fatalf("%v %+v", err, x)
	}
	want := breadth(t, &strict, options.Options{})
	l, err := statelog.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	got, err := table.Explore(context.Background(), &strict, options.Options{Log: l})
	if err != nil || want.Finding == nil || got.Finding == nil || got.Finding.Error() != want.Finding.Error() || !slices.Equal(got.Path, want.Path) {
		t.Errorf("%v: %v by %v, want %v by %v", err, got.Finding, got.Path, want.Finding, want.Path)
	}
}

// With a log that was cut or changed, an exploration has the same result or rejects it.
func TestLog_Damaged(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	sys, opts := bundled.System(t, "paxos", 6, sim.Limits{}), options.Options{Visited: stateset.Kinds[1], MaxDepth: 12}
	want := breadth(t, sys, opts)
	name := filepath.Join(t.TempDir(), "log")
	first := opts
	for first.MaxDepth = 1; first.MaxDepth <= opts.MaxDepth; first.MaxDepth++ { // a block each
		if _, err := logged(t, name, sys, first); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	refused, cut := 0, 0
	for range 100 {
		data := slices.Clone(whole)
		if rnd.IntN(2) == 0 {
			data = data[:rnd.IntN(len(data))]
		} else {
			data[rnd.IntN(len(data))] ^= 1 << rnd.IntN(8)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := statelog.Open(name)
		if err != nil {
			refused++
			continue
		}
		if l.End().States < want.States {
			cut++
		}
		l.Close()
		got, err := logged(t, name, sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		sameExploration(t, "damaged", got, want)
	}
	if refused < 20 || cut < 20 {
		t.Errorf("%d refused, %d cut", refused, cut)
	}
}

func sameExploration(t tester, when string, got, want *table.Exploration) {
	t.Helper()
	type facts struct {
		States, Transitions, Live, Expanded, Depth, Dead, Steps int
		Complete, LivenessChecked                               bool
		Stopped                                                 string
	}
	of := func(x *table.Exploration) facts {
		return facts{x.States, x.Transitions, x.Live, x.Expanded, x.Depth, x.Dead, 0, x.Complete, x.LivenessChecked, x.Stopped}
	}
	if of(got) != of(want) || !slices.Equal(got.DeadPath, want.DeadPath) || !slices.Equal(got.Path, want.Path) {
		t.Fatalf("%s: %+v, want %+v", when, of(got), of(want))
	}
	if got.Coverage.Used != want.Coverage.Used || len(got.Coverage.Sent) != len(want.Coverage.Sent) || len(got.Coverage.Fired) != len(want.Coverage.Fired) ||
		!slices.Equal(got.Coverage.Sometimes, want.Coverage.Sometimes) {
		t.Fatalf("%s: covered %+v, want %+v", when, got.Coverage, want.Coverage)
	}
}

// Changed code is detected and named, if it is executed.
func TestLog_OtherCode(t *testing.T) {
	entry, err := papers.Find("paxos")
	if err != nil {
		t.Fatal(err)
	}
	with := func(bugs ...string) *sim.System {
		c, err := entry.Configure(spec.Config{Bugs: bugs})
		if err != nil {
			t.Fatal(err)
		}
		sys, err := entry.New(c)
		if err != nil {
			t.Fatal(err)
		}
		return &sys
	}
	opts := options.Options{MaxStates: 50_000}
	for _, bug := range []string{"PX1", "PX3"} {
		name := filepath.Join(t.TempDir(), "log")
		if _, err := logged(t, name, with(), opts); err != nil {
			t.Fatal(err)
		}
		_, err := logged(t, name, with(bug), options.Options{})
		if _, ok := errors.AsType[*explore.ChangedError](err); !ok || !strings.Contains(err.Error(), "the handler of n") {
			t.Errorf("%s: %v", bug, err)
		}
		t.Log(err)
	}
}

// adder counts messages to itself, by a handler that a test changes.
type adder struct {
	sim.Nop
	Heard, Total int
}

type count struct{ By int }

// code is what counters do.
var code struct {
	by     int    // of the first message
	resets int    // after so many messages, 0: never
	last   int    // after so many messages no more is sent
	says   string // that is logged
}

func (c *adder) Boot(env sim.Env) { env.Send(env.Self(), count{code.by}) }

func (c *adder) Receive(env sim.Env, _ sim.NodeID, msg any) {
	c.Heard++
	c.Total += msg.(count).By
	env.Log().Info(code.says)
	if c.Heard == code.resets {
		c.Total = 0
	}
	if c.Heard < code.last {
		env.Send(env.Self(), count{1})
	}
}

// The error names the handler, its message, and the effect or field that differs. Log lines do not count, nor does
// behavior in states that were not reached.
func TestLog_NamesChanges(t *testing.T) {
	sys := &sim.System{Name: "adder", Nodes: 1, New: func(sim.NodeID) sim.Service { return &adder{} }, Network: netsim.Datagrams{}}
	run := func(name string, depth int) error {
		_, err := logged(t, name, sys, options.Options{MaxDepth: depth})
		return err
	}
	for _, c := range []struct {
		change func()
		want   []string // in the error; nil: there is none
	}{
		{func() {}, nil},
		{func() { code.says = "something else" }, nil},
		{func() { code.by = 2 },
			[]string{"the handler of n0 (*table_test.adder) for boot", "effect 1 differs from the recorded one: send {By:2} to n0"}},
		{func() { code.resets = 3 }, []string{"for message table_test.count{By:1} from n0", "afterwards field Total is 0, unlike before"}},
		{func() { code.last = 2 }, []string{"it has", "recorded were"}},
		{func() { code.resets = 300 }, nil},
	} {
		code.by, code.resets, code.last, code.says = 1, 0, 400, "something"
		name := filepath.Join(t.TempDir(), "log")
		if err := run(name, 4); err != nil {
			t.Fatal(err)
		}
		c.change()
		err := run(name, 8)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%+v: %v", code, err)
		}
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%+v: %v, want %s", code, err, part)
			}
		}
	}
}
