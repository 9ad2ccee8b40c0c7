package document

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
)

// Steps that only open or close connections are left out, unless they show something, are named, or send data that is lost.
func TestViolating_Connections(t *testing.T) {
	run := &replay.Trace{Nodes: 2}
	step := func(control bool) *replay.TraceStep {
		n := len(run.Steps) + 1
		run.Messages = append(run.Messages, replay.TraceMessage{ID: n, From: 1, Control: control,
			Fates: []replay.TraceFate{{Step: n, Fate: netmodel.Delivered}}})
		run.Steps = append(run.Steps, replay.TraceStep{Number: n, Event: netmodel.Event{Kind: eventkind.Deliver}, Peer: 1,
			MsgIDs: []int{n}, Concerns: n})
		return &run.Steps[n-1]
	}
	step(true)
	step(false)
	step(true).Effects = []replay.TraceEffect{{Kind: "announce", Text: "elected", Peer: -1, Applied: true}}
	step(true).Changes = []replay.NodeChange{{Part: diff.Part{Kind: diff.OfProgram}, New: "waits"}}
	step(true).Changes = []replay.NodeChange{{Path: "Open", New: "true"}}
	step(true)
	step(true)
	run.Messages = append(run.Messages, replay.TraceMessage{ID: 8, Sent: 7, To: 1, InFlight: true})
	g := eventgraph.Build(run)
	g.Named = []int{6}
	for step := 1; step <= 7; step++ {
		if got, want := connects(g, step), step == 1 || step == 4; got != want {
			t.Errorf("step %d is left out: %v", step, got)
		}
	}
	d := &Document{Dead: g, DeadSteps: []int{2, 3, 5, 6, 7}}
	lines := d.Violating(false, 100)
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "steps left out because they only open or close connections: 1;") {
		t.Error(last)
	}
	if all := strings.Join(d.Violating(true, 100), "\n"); strings.Contains(all, "left out") && !strings.Contains(all, "1 step (1)") {
		t.Error(all)
	}
}
