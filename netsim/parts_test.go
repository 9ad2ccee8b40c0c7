package netsim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/sim"
)

// What arrives leaves alone what else can be taken from a bag: taking and arriving make the same bag in either order, and so do arrivals from two nodes.
func TestArrivalsLeaveTheRestAlone(t *testing.T) {
	for _, net := range []sim.Network{Datagrams{}, Queues{}, Queues{Order: Any}} {
		t.Run(fmt.Sprintf("%+v", net), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				parcels := rapid.SliceOf(rapid.Custom(func(t *rapid.T) parcel {
					return parcel{from: rapid.IntRange(1, 2).Draw(t, "from"), text: rapid.StringMatching("[ab]").Draw(t, "text")}
				}))
				there := parcels.Draw(t, "there")
				texts := rapid.SampledFrom([]string{"a", "b"})
				first, second := texts.Draw(t, "first"), texts.Draw(t, "second")
				after := func(do ...func(b *bench)) (bag []string, can []string) {
					b := newBench(net, 3)
					for _, p := range there {
						b.datagram(sim.NodeID(p.from), 0, p.text)
					}
					for _, f := range do {
						f(b)
					}
					for _, d := range b.Bag(0) {
						bag = append(bag, fmt.Sprint(d.From, d.Msg.Body, d.Behind))
					}
					for _, ev := range b.enabled() {
						if text := b.describe(ev); strings.HasPrefix(text, "deliver") {
							can = append(can, text)
						}
					}
					return bag, can
				}
				arrive := func(from sim.NodeID, text string) func(*bench) {
					return func(b *bench) { b.datagram(from, 0, text) }
				}
				_, can := after()
				for _, text := range can {
					take := func(b *bench) { b.do(t, text) }
					got, _ := after(arrive(1, first), take)
					if want, _ := after(take, arrive(1, first)); !slices.Equal(got, want) {
						t.Fatalf("%s before and after an arrival: %v, %v", text, want, got)
					}
				}
				if _, more := after(arrive(1, first)); len(can) > 0 && !slices.Equal(can, slices.DeleteFunc(more, func(text string) bool { return !slices.Contains(can, text) })) {
					t.Fatalf("%v could be taken, and after an arrival %v", can, more)
				}
				got, _ := after(arrive(1, first), arrive(2, second))
				if want, _ := after(arrive(2, second), arrive(1, first)); !slices.Equal(got, want) {
					t.Fatalf("arrivals from two nodes: %v, %v", want, got)
				}
			})
		})
	}
}

// To show a connection takes no memory but the first times: tables do so for each that they come to. What was set is shown.
func TestConnectionsAreShownInPlace(t *testing.T) {
	b := newBench(Streams{}, 3)
	set := sim.Connection{{Flags: 1, Queue: []sim.Message{{ID: 1}, {ID: 2}}}, {Flags: 3, Queue: []sim.Message{{ID: 3}}}}
	b.SetConnection(0, 1, set)
	b.SetConnection(2, 2, sim.Connection{{Queue: []sim.Message{{ID: 4}}}})
	for range 2 {
		if got := b.Connection(0, 1); fmt.Sprint(got) != fmt.Sprint(set) {
			t.Fatalf("%v, want %v", got, set)
		}
		if got := b.Connection(2, 2); len(got[0].Queue) != 1 || got[0].Queue[0].ID != 4 || got[1].Flags != 0 || len(got[1].Queue) != 0 {
			t.Fatalf("%v", got)
		}
	}
	if n := testing.AllocsPerRun(100, func() { b.Connection(0, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
