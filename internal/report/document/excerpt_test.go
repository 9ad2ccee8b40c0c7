package document

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
)

// Steps that only open or close connections are left out, unless they show something, are named, or send data that is lost.
func TestWithoutConnecting(t *testing.T) {
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
	rest, removed := withoutConnecting(g, []int{1, 2, 3, 4, 5, 6, 7})
	if !slices.Equal(rest, []int{2, 3, 5, 6, 7}) || !slices.Equal(removed, []int{1, 4}) {
		t.Errorf("%v remain, %v are left out, want 1 and 4 to be left out", rest, removed)
	}
}
