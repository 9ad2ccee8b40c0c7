package eventgraph

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
)

// exchange makes the graph of a run of three nodes. Each step is the sender and receiver of the message that it handles,
// the step that sent it, and the kind of event.
func exchange(steps []Event) *Graph {
	g := &Graph{Nodes: make([]Node, 3), Events: []Event{{}}}
	for i, e := range steps {
		e.Step = i + 1
		if sent := e.Applied; e.kind == eventkind.Deliver {
			e.Consumed = []int{len(g.Messages)}
			g.Messages = append(g.Messages, Message{From: e.Peer, To: e.Node, Sent: sent, Deliveries: []int{e.Step}})
		}
		g.Events = append(g.Events, e)
	}
	return g
}

// A node that handles no message while later ones are handled pauses, as does a link. A node that is down does not.
func TestPauses(t *testing.T) {
	deliver := func(node, peer, sent int) Event {
		return Event{kind: eventkind.Deliver, Node: node, Peer: peer, Applied: sent}
	}
	timer := Event{kind: eventkind.FireTimer, Node: 2, Peer: -1}
	talk := []Event{deliver(1, 0, 1), deliver(0, 1, 2), deliver(1, 0, 3), deliver(0, 1, 4), deliver(1, 0, 5)}
	with := func(more ...Event) []Event { return slices.Concat([]Event{timer}, talk, more) }
	for name, c := range map[string]struct {
		steps []Event
		last  int
		want  []Pause
	}{
		"node":             {with(deliver(2, 0, 1), deliver(2, 1, 2)), 8, []Pause{{Node: 2, From: -1, First: 1, Last: 6, Waits: 2}}},
		"ends later":       {with(deliver(2, 0, 1)), 6, nil},
		"acts":             {with(timer, deliver(2, 0, 2)), 8, []Pause{{Node: 2, From: -1, First: 2, Last: 7, Waits: 1, Acts: 1}}},
		"nothing overtook": {[]Event{timer, deliver(1, 0, 1), timer, timer, timer, deliver(2, 0, 1)}, 6, nil},
		"down":             {with(Event{kind: eventkind.Crash, Node: 2, Peer: -1}, Event{kind: eventkind.Boot, Node: 2, Peer: -1}, deliver(2, 0, 1)), 9, nil},
		"link": {slices.Insert(with(deliver(2, 0, 1)), 3, deliver(2, 1, 2)), 8,
			[]Pause{{Node: 2, From: 0, First: 1, Last: 7, Waits: 1, Acts: 1}}},
	} {
		got := Pauses(exchange(c.steps), c.last)
		for i := range got {
			got[i].overtaken = 0
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
