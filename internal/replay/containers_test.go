package replay_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// lodger notes something on its disk and sends a word.
type lodger struct {
	sim.Nop
	Notes int
}

type word struct{ N int }

func (s *lodger) Note(env sim.Env) {
	s.Notes++
	env.SetTimer("tick", 1)
	env.Disk().Put("note", []byte{byte(s.Notes)})
	env.Send(3, word{s.Notes})
}

// housed are nodes 0 and 2 in one process, and 1 and 3 in processes of their own.
func housed() *sim.System {
	return &sim.System{
		Name: "housed", Nodes: 4, New: func(sim.NodeID) sim.Service { return &lodger{} }, Network: netsim.Datagrams{}, Timing: sim.AnyOrder,
		Crashes: 3, Halts: 1, Containers: [][]sim.NodeID{{0, 2}},
		Actions: []sim.AnyAction{sim.Action[*lodger]{Name: "note", Times: 5, Do: (*lodger).Note}},
	}
}

const housedPath = `macemc path 1
system housed
nodes 4
limit crashes=3
limit halts=1
timing AnyOrder
0 action n0 note
0 action n2 note
0 crash n0 with n2 | outcome:1(unsynced writes that survive) outcome:0(unsynced writes of n2 that survive)
0 boot n2
0 action n2 note | fault:2(crash inside the step) outcome:0(unsynced writes that survive)
0 boot n0
0 boot n2
0 action n0 note
0 action n2 note | fault:2(crash inside the step) outcome:0(unsynced writes that survive) outcome:1(unsynced writes of n0 that survive)
0 boot n2
0 halt n0 with n2
end 11
`

func TestContainerFile(t *testing.T) {
	f, err := pathfile.Parse(strings.NewReader(housedPath))
	if err != nil {
		t.Fatal(err)
	}
	sys := housed()
	r, err := replay.ReadFile(sys, f)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := replay.Record(sys, r.Path, kernel.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		2:  "n0 crashes with n2",
		4:  "n2 note, and crashes; happened: set timer \"tick\", write note; did not happen: send word{1} to n3 (containers_test.go:32); none of 1 unsynced write survived (lost: note)",
		8:  "n2 note, and crashes with n0; ",
		10: "n2 halts forever with n0",
	} {
		if got := trace.Steps[i].Sentence(); !strings.Contains(got, want) {
			t.Errorf("step %d is %q, want %q", i+1, got, want)
		}
	}
	if s := &trace.Steps[2]; !slices.Equal(s.Kept, []string{"note"}) || !slices.Equal(s.Lost, []string{"n2: note"}) || !slices.Equal(s.With, []int{2}) {
		t.Errorf("kept %q, lost %q with %v", s.Kept, s.Lost, s.With)
	}
	fell := stepinfo.Label{Event: netmodel.Event{Kind: eventkind.Crash, Node: 2, Peer: -1}, Process: []sim.NodeID{0, 2, 5}}
	if got, want := replay.Describe(&fell), "n2 crashes with n0, n5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	written, err := replay.WriteFile(sys, pathfile.Header{}, r.Path)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := written.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	again, err := pathfile.Parse(&text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Steps {
		again.Steps[i].Index = 99
	}
	if r2, err := replay.ReadFile(sys, again); err != nil || !slices.Equal(r2.Path, r.Path) {
		t.Errorf("%v, %v", r2, err)
	}
	goneBackTo(t, sys, r.Path)

	g := eventgraph.Build(trace)
	crash := &g.Events[3]
	if !slices.Equal(crash.Causes, []int{1, 2}) || len(crash.Ends) != 2 {
		t.Errorf("the crash follows %v and ends the timers %v", crash.Causes, crash.Ends)
	}
	if e := &g.Events[4]; !slices.Equal(e.Causes, []int{3}) {
		t.Errorf("the boot of n2 follows %v", e.Causes)
	}
	var lanes bytes.Buffer
	if err := g.Text(&lanes, eventgraph.Options{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(lanes.String(), "CRASH"); n != 5 {
		t.Errorf("%d lanes show a crash, want 5:\n%s", n, lanes.String())
	}
	if n := strings.Count(lanes.String(), "HALT"); n != 2 {
		t.Errorf("%d lanes show a halt, want 2:\n%s", n, lanes.String())
	}
}
