package document

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
)

// A pause names the node, or its link, and the messages that wait.
func TestPauseFacts(t *testing.T) {
	deliver, timer := netmodel.Event{Kind: eventkind.Deliver}, netmodel.Event{Kind: eventkind.FireTimer}
	for name, c := range map[string]struct {
		acts netmodel.Event // of n2 in step 4, there from n1
		want string
	}{
		"acts": {timer, "n2 acts, but handles no message from step 1 to step 6: 2 messages wait"},
		"link": {deliver, "n2 handles no message from n0 from step 1 to step 6: 2 messages wait"},
	} {
		run := &replay.Trace{Nodes: 3}
		step := func(ev netmodel.Event, node, peer int) {
			s := replay.TraceStep{Number: len(run.Steps) + 1, Event: ev, Node: node, Peer: peer}
			if ev.Kind == eventkind.Deliver {
				id := len(run.Messages) + 1
				s.MsgIDs, s.Concerns = []int{id}, id
				sent := 0
				if len(run.Steps) > 0 && node != 2 {
					sent = len(run.Steps)
				}
				run.Messages = append(run.Messages, replay.TraceMessage{ID: id, From: peer, To: node, Sent: sent,
					Fates: []replay.TraceFate{{Step: s.Number, Fate: netmodel.Delivered}}})
			}
			run.Steps = append(run.Steps, s)
		}
		step(timer, 0, -1)
		for i := range 4 {
			if i == 2 {
				step(c.acts, 2, 1)
			}
			step(deliver, i%2, 1-i%2)
		}
		step(deliver, 2, 0)
		step(deliver, 2, 0)
		facts, named := pauseFacts(eventgraph.Build(run), 8)
		if want := []Fact{{"pause:", c.want, ""}}; !slices.Equal(facts, want) || !slices.Equal(named, []int{1, 6}) {
			t.Errorf("%s: %q, steps %v, want %q", name, facts, named, want)
		}
	}
}
