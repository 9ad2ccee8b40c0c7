package recording

import (
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// herald greets its peers on a stream, and passes on that a connection has failed.
type herald struct {
	sim.Nop
	Got int
}

func (h *herald) Receive(sim.Env, sim.NodeID, any) { h.Got++ }

func (h *herald) PeerError(env sim.Env, _ sim.NodeID, _ error) { _ = env.Stream(0).Send(note{2}) }

// n2 greets n1, and n0 twice, and crashes. n1 notices that, and n0 hears of it before the second greeting arrives.
func TestMerge_MessageArrivesAfterItsSenderCrashed(t *testing.T) {
	greet := func(to sim.NodeID) sim.AnyAction {
		return sim.Action[*herald]{Name: "greet n" + string('0'+rune(to)), Do: func(_ *herald, env sim.Env) { _ = env.Stream(to).Send(note{1}) }}
	}
	sys := sim.System{
		Name: "herald", Nodes: 3, New: func(sim.NodeID) sim.Service { return &herald{} }, Network: netsim.Streams{},
		Actions: []sim.AnyAction{greet(0), greet(1)},
	}
	codec, err := wire.NewTypes(note{})
	if err != nil {
		t.Fatal(err)
	}
	data := func(n int) []byte {
		b, err := codec.Append(nil, note{n})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	none := xxhash.New().Sum64()
	sent := func(e Event, to sim.NodeID, n int) Event {
		e.Effects, e.Digest = []Effect{{stepinfo.StreamEffect, to}}, xxhash.Sum64(data(n))
		return e
	}
	got := func(from sim.NodeID, incarnation, number uint64, n int) Event {
		return Event{Kind: eventkind.Deliver, Peer: from, From: Ref{incarnation, number}, Data: data(n), Stream: true, Digest: none}
	}
	time := int64(0)
	start := func(node int, incarnation uint64, events ...Event) []*Recording {
		h := Header{Version: version, System: "herald", Nodes: 3, Node: node, Start: 1, Part: 1, Incarnation: incarnation, Codec: codec.ID()}
		events = append([]Event{{Kind: eventkind.Boot, Digest: none}}, events...)
		for i := range events {
			time++
			events[i].Number, events[i].Time = i+1, time
		}
		return []*Recording{{Header: h, Events: events, Ended: true}}
	}
	n2 := start(2, 30, sent(Event{Kind: eventkind.DoAction, Name: "greet n1"}, 1, 1), sent(Event{Kind: eventkind.DoAction, Name: "greet n0"}, 0, 1),
		sent(Event{Kind: eventkind.DoAction, Name: "greet n0"}, 0, 1))
	n1 := start(1, 20, got(2, 30, 1, 1), sent(Event{Kind: eventkind.DeliverError, Peer: 2, Err: sim.ErrReset.Error()}, 0, 2))
	n0 := start(0, 10, got(2, 30, 2, 1), got(1, 20, 1, 2), got(2, 30, 3, 1))
	set := &Set{Starts: [][]*Recording{n0, n1, n2}}
	set.Header = set.Starts[0][0].Header
	m, err := Merge(sys, set, codec, pathfile.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Disagreement != nil || m.Whole() || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "its sender had crashed") || m.Left[0] != 1 {
		t.Errorf("disagreement %v, notes %q, left %v; want one note, and one event of n0 left", m.Disagreement, m.Notes, m.Left)
	}
}
