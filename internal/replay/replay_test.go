package replay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// deadKeys is a run of pingack that dies in step 6: the acknowledgement of the second ping is lost,
// and the repeated ping is not acknowledged again.
var deadKeys = []string{
	"action n0 ping",
	"deliver n1<-n0 Ping{Seq:1}",
	"deliver n0<-n1 Ack{Seq:1}",
	"action n0 ping",
	"deliver n1<-n0 Ping{Seq:2}",
	"lose n0<-n1 Ack{Seq:2}",
	"timer n0 resend{}",
	"deliver n1<-n0 Ping{Seq:2}",
}

// script is a path file that has only keys.
func script(sys *sim.System, keys ...string) *pathfile.File {
	f := &pathfile.File{Header: pathfile.Header{System: sys.Name, Nodes: sys.Nodes}}
	for _, k := range keys {
		f.Steps = append(f.Steps, pathfile.Step{Key: k})
	}
	return f
}

func follow(t *testing.T, sys *sim.System, keys ...string) choose.Path {
	t.Helper()
	r, err := replay.ReadFile(sys, script(sys, keys...))
	if err != nil {
		t.Fatal(err)
	}
	return r.Path
}

func record(t *testing.T, sys *sim.System, path choose.Path) *replay.Trace {
	t.Helper()
	trace, err := replay.Record(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func randTree(t testing.TB, nodes int, limits sim.Limits) *sim.System {
	t.Helper()
	e := randtree.Entry()
	e.Limits = limits
	sys, err := e.New(spec.Config{Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	return &sys
}

// walk makes a random run of at most n steps; injections count like any event.
func walk(t testing.TB, sys *sim.System, seed uint64, n int) *replay.Run {
	t.Helper()
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := replay.NewRun(w)
	rng := rand.New(rand.NewPCG(seed, 1))
	src := choose.SourceFunc(func(p choose.Point) int { return rng.IntN(p.Arity) })
	if err := r.Start(src); err != nil {
		t.Fatal(err)
	}
	for r.Steps() < n {
		events := len(w.Enabled()) + len(w.Injections(nil))
		if events == 0 {
			break
		}
		if err := r.Step(rng.IntN(events), src); err != nil {
			break
		}
	}
	return r
}

// writeJSON writes a trace as one JSON object.
func writeJSON(w io.Writer, t *replay.Trace) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}

func TestRecordGolden(t *testing.T) {
	trace := record(t, &pingack.System, follow(t, &pingack.System, deadKeys...))
	var text bytes.Buffer
	if err := trace.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "pingack.txt", text.Bytes())
	var js bytes.Buffer
	if err := writeJSON(&js, trace); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "pingack.json", js.Bytes())
}

func TestRecord(t *testing.T) {
	path := follow(t, &pingack.System, deadKeys...)
	trace := record(t, &pingack.System, path)
	if want := []string{"pinger", "ponger"}; !reflect.DeepEqual(trace.Names, want) {
		t.Errorf("names are %q, want %q", trace.Names, want)
	}
	var live []bool
	for _, s := range trace.Steps {
		live = append(live, s.Live)
	}
	// Live until the first ping and between its acknowledgement and the second ping.
	if want := []bool{false, false, true, false, false, false, false, false}; !reflect.DeepEqual(live, want) {
		t.Errorf("live after the steps: %v, want %v", live, want)
	}
	if !trace.Boot.Live {
		t.Error("the first state is not live")
	}
	var changes []string
	for _, c := range trace.Steps[4].Changes {
		if !c.Bookkeeping() {
			changes = append(changes, c.Short())
		}
	}
	if want := []string{"Seen 1->2"}; !reflect.DeepEqual(changes, want) {
		t.Errorf("step 5 changes %q, want %q", changes, want)
	}
	// Ping{1}, Ack{1}, Ping{2}, Ack{2}, and Ping{2} again.
	var fates []string
	for _, m := range trace.Messages {
		fates = append(fates, m.Text+" "+m.Fates[0].Name)
	}
	want := []string{"Ping{1} delivered", "Ack{1} delivered", "Ping{2} delivered", "Ack{2} lost", "Ping{2} delivered"}
	if !reflect.DeepEqual(fates, want) {
		t.Errorf("fates are %q, want %q", fates, want)
	}
	if s := trace.Steps[5].Sentence(); s != "network loses Ack{2} n1->n0" {
		t.Errorf("step 6 is %q", s)
	}
	if len(trace.Properties) != 1 || trace.Properties[0].Holds || trace.Properties[0].Kind != "eventually" {
		t.Errorf("properties in the end: %+v", trace.Properties)
	}
}

// The same path results in the same bytes, also in another world.
func TestRecordIsDeterministic(t *testing.T) {
	sys := randTree(t, 4, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1})
	path := walk(t, sys, 3, 200).Path
	var texts [2]bytes.Buffer
	for i := range texts {
		trace := record(t, sys, path)
		if err := trace.WriteText(&texts[i]); err != nil {
			t.Fatal(err)
		}
		if err := writeJSON(&texts[i], trace); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("two recordings of the same path differ")
	}
}

// Changes of all steps, applied to the first state, give the last state.
func TestChangesAddUp(t *testing.T) {
	sys := randTree(t, 3, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1})
	run := walk(t, sys, 5, 300)
	trace := record(t, sys, run.Path)
	type place struct {
		node int
		path string
	}
	got := map[place]string{}
	apply := func(s *replay.TraceStep) {
		for _, c := range s.Changes {
			at := place{c.Node, c.Path}
			if got[at] != c.Old {
				t.Fatalf("step %d: n%d.%s was %q, not %q", s.Number, c.Node, c.Path, got[at], c.Old)
			}
			got[at] = c.New
			if c.New == "" {
				delete(got, at)
			}
		}
	}
	apply(&trace.Boot)
	for i := range trace.Steps {
		apply(&trace.Steps[i])
	}
	want := map[place]string{}
	for id := range sim.NodeID(sys.Nodes) {
		for _, f := range run.World.NodeFields(id) {
			want[place{int(id), f.Path}] = f.Value
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in the end\n%v, want\n%v", got, want)
	}
	if len(trace.Steps) != run.Steps() {
		t.Errorf("%d steps were recorded, want %d", len(trace.Steps), run.Steps())
	}
}

// A moved cursor is in the state that the run had at that step.
func TestCursor(t *testing.T) {
	sys := randTree(t, 3, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1})
	path := walk(t, sys, 11, 60).Path
	var states []encoding.Fingerprint
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	states = append(states, c.World().Fingerprint())
	for !c.AtEnd() {
		if err := c.Next(); err != nil {
			t.Fatal(err)
		}
		states = append(states, c.World().Fingerprint())
	}
	last := len(states) - 1
	if err := c.Next(); !errors.Is(err, replay.ErrEnd) || c.Steps() != last {
		t.Errorf("Next at the end: %v in step %d", err, c.Steps())
	}
	rapid.Check(t, func(t *rapid.T) {
		at := c.Steps()
		var err error
		switch n := rapid.IntRange(-1, last+1).Draw(t, "to"); {
		case n == -1 && at < last:
			at++
			err = c.Next()
		case n > last:
			at = last
			if e := c.To(n); !errors.Is(e, replay.ErrEnd) {
				t.Fatalf("To(%d): %v", n, e)
			}
		case n >= 0:
			at = n
			err = c.To(n)
		}
		if err != nil || c.Steps() != at || c.World().Fingerprint() != states[at] {
			t.Fatalf("step %d, want %d, error %v; state %v, want %v", c.Steps(), at, err, c.World().Fingerprint(), states[at])
		}
	})
}

func TestPathThatDoesNotFit(t *testing.T) {
	path := follow(t, &pingack.System, deadKeys[:2]...)
	sys := randTree(t, 3, sim.Limits{})
	drawn := choose.Path{}
	for seed := uint64(1); len(drawn) == 0; seed++ { // a run with draws in its last step
		r := walk(t, sys, seed, 60)
		for r.Steps() > 0 && int(r.Bounds[r.Steps()-1])+1 == len(r.Path) {
			r.Path, r.Bounds = r.Path[:r.Bounds[r.Steps()-1]], r.Bounds[:r.Steps()-1]
		}
		drawn = r.Path.Clone()
	}
	wild := drawn.Clone()
	wild[len(wild)-1] = 99
	tests := []struct {
		name string
		sys  *sim.System
		path choose.Path
		want string
	}{
		{"event", &pingack.System, append(path.Clone(), 7), "step 3: the path picks event 7, but only 3 can happen (counted from 0)"},
		{"short", sys, drawn[:len(drawn)-1], "the path ends before the question"},
		{"pick", sys, wild, "picks alternative 99"},
	}
	for _, test := range tests {
		trace, err := replay.Record(test.sys, test.path, kernel.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
		if trace == nil {
			t.Errorf("%s: no trace of the steps before", test.name)
		}
	}
}

// asserting fails in its second step.
type asserting struct {
	sim.Nop
	n int
}

func (s *asserting) tick(env sim.Env) {
	s.n++
	if s.n == 2 {
		panic("two")
	}
}

func TestFindingEndsTheTrace(t *testing.T) {
	sys := &sim.System{
		Name: "asserting", Nodes: 1, New: func(sim.NodeID) sim.Service { return &asserting{} },
		Actions: []sim.AnyAction{sim.Action[*asserting]{Name: "tick", Do: (*asserting).tick}},
		Properties: []sim.Property{{Name: "never one", Always: sim.Each(func(_ sim.NodeID, s *asserting) bool {
			return s.n != 1
		})}},
	}
	trace := record(t, sys, choose.Path{0, 0})
	if trace.Finding == nil || trace.Finding.Property != "never one" || trace.FoundAt != 1 || len(trace.Steps) != 2 {
		t.Fatalf("finding %v at %d of %d steps, want the property at 1 of 2", trace.Finding, trace.FoundAt, len(trace.Steps))
	}
	sys.Properties = nil
	trace = record(t, sys, choose.Path{0, 0})
	if trace.Finding == nil || trace.Finding.Kind != sim.Panic || trace.FoundAt != 2 || len(trace.Steps) != 2 {
		t.Fatalf("finding %v at %d of %d steps, want the panic at 2 of 2", trace.Finding, trace.FoundAt, len(trace.Steps))
	}
}

// The function of a liveness property that panics is a finding of the run, where it does so first.
func TestRecordFindsPropertiesThatPanic(t *testing.T) {
	sys := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 2), automaton.To(2, 0)}}.System()
	sys.Properties = []sim.Property{{Name: "fails", Eventually: func(v *sim.View) bool {
		return v.Service(0).(*automaton.Automaton).State == 1 || []bool{true, true}[v.Service(0).(*automaton.Automaton).State]
	}}}
	trace := record(t, &sys, choose.Path{0, 0, 0})
	if f := trace.Finding; f == nil || f.Kind != sim.Panic || f.Property != "fails" || trace.FoundAt != 2 {
		t.Errorf("%+v after step %d", f, trace.FoundAt)
	}
	if len(trace.Steps) != 3 || !trace.Steps[0].Live || trace.Steps[1].Live || !slices.Equal(trace.Steps[1].Failing, []string{"fails"}) {
		t.Errorf("got %+v, want 3 steps: live after the first, failing after the second", trace.Steps)
	}
}

// The report of the end of a run does not depend on whether its steps are described.
func TestEnd(t *testing.T) {
	sys := randTree(t, 3, sim.Limits{sim.Crashes: 1})
	for seed := range uint64(20) {
		path := walk(t, sys, seed, 30).Path
		want := record(t, sys, path)
		got, err := replay.End(sys, path, kernel.Options{})
		if err != nil || len(want.Properties) == 0 || !reflect.DeepEqual(got.Properties, want.Properties) || !reflect.DeepEqual(got.Finding, want.Finding) || got.FoundAt != want.FoundAt || got.Steps != nil {
			t.Errorf("seed %d: %+v, %v; want %+v", seed, got, err, want.Properties)
		}
	}
	path := walk(t, sys, 1, 30).Path
	loops := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 2), automaton.To(2, 0)}}.System()
	for state := range 3 { // violated in the first state, on the way, at the end
		loops.Properties = []sim.Property{{Name: "elsewhere", Always: func(v *sim.View) bool { return v.Service(0).(*automaton.Automaton).State != state }}}
		want := record(t, &loops, choose.Path{0, 0})
		got, err := replay.End(&loops, choose.Path{0, 0}, kernel.Options{})
		if err != nil || want.Finding == nil || !reflect.DeepEqual(got.Finding, want.Finding) || got.FoundAt != want.FoundAt || !reflect.DeepEqual(got.Properties, want.Properties) {
			t.Errorf("state %d: %+v at %d, %v; want %+v at %d", state, got.Finding, got.FoundAt, err, want.Finding, want.FoundAt)
		}
	}
	if _, err := replay.End(sys, append(path.Clone(), 1<<20), kernel.Options{}); err == nil {
		t.Error("a step that there is none of is taken")
	}
}
