package recording

import (
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type note struct{ N int }

// sink sends one datagram on demand and accepts all messages.
type sink struct {
	sim.Nop
	Got int
}

func (s *sink) Receive(sim.Env, sim.NodeID, any) { s.Got++ }

func sinkSystem() sim.System {
	return sim.System{
		Name: "sink", Nodes: 2, New: func(sim.NodeID) sim.Service { return &sink{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*sink]{Name: "send", Do: func(_ *sink, env sim.Env) { env.Send(1, note{7}) }}},
	}
}

// twice is what the nodes of sinkSystem recorded when the network delivered their only datagram twice.
func twice(t *testing.T) (*Set, *wire.Types) {
	t.Helper()
	codec, err := wire.NewTypes(note{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := codec.Append(nil, note{7})
	if err != nil {
		t.Fatal(err)
	}
	none := xxhash.New().Sum64()
	start := func(node int, incarnation uint64, events ...Event) []*Recording {
		h := Header{Version: version, System: "sink", Nodes: 2, Node: node, Start: 1, Part: 1, Incarnation: incarnation, Codec: codec.ID()}
		events = append([]Event{{Number: 1, Time: 1, Kind: eventkind.Boot, Digest: none}}, events...)
		return []*Recording{{Header: h, Events: events, Ended: true}}
	}
	arrival := Event{Number: 2, Time: 3, Kind: eventkind.Deliver, Peer: 0, From: Ref{10, 1}, Data: data, Digest: none}
	again := arrival
	again.Number, again.Time = 3, 4
	s := &Set{Starts: [][]*Recording{
		start(0, 10, Event{Number: 2, Time: 2, Kind: eventkind.DoAction, Name: "send", Effects: []Effect{{stepinfo.SendEffect, 1}},
			Digest: xxhash.Sum64(data)}),
		start(1, 20, arrival, again),
	}}
	s.Header = s.Starts[0][0].Header
	return s, codec
}

func TestDatagramThatArrivedTwice(t *testing.T) {
	set, codec := twice(t)
	m, err := Merge(sinkSystem(), set, codec, pathfile.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Disagreement != nil || len(m.Origins) != 4 || m.System.Limits() != (sim.Limits{sim.Dup: 1}) {
		t.Errorf("%v, steps by %v, limits %+v; want send, duplicate, and two deliveries", m.Disagreement, m.Origins, m.System.Limits())
	}
}

// If the model lacks that fault the run ends there with a disagreement.
func TestDatagramThatMustNotArriveTwice(t *testing.T) {
	set, codec := twice(t)
	reliable := sinkSystem()
	reliable.Network = noFaults{reliable.Network.(netmodel.Network)}
	m, err := Merge(reliable, set, codec, pathfile.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Disagreement == nil || m.Whole() || !strings.Contains(m.Disagreement.Reason, "twice") || len(m.Origins) != 1 {
		t.Errorf("%v, steps by %v; want the send alone", m.Disagreement, m.Origins)
	}
}

// noFaults is a network without faults.
type noFaults struct{ netmodel.Network }

func (n noFaults) WithLimits(l sim.Limits) (sim.Network, error) {
	if l != (sim.Limits{}) {
		return nil, errRecord
	}
	return n, nil
}

// An omitted delivery, because its node was killed before it had a visible effect, is not a negative duplicate.
func TestLimitsWithoutDeliveriesThatAreLeftOut(t *testing.T) {
	m := &merger{index: index{copies: map[Ref]int{{10, 1}: 2, {10, 2}: 0, {10, 3}: 1}}}
	loose, err := m.widenLimits(sinkSystem())
	if err != nil || loose.Limits()[sim.Dup] != 1 {
		t.Errorf("limits %+v, %v; want one duplicate", loose.Limits(), err)
	}
}
