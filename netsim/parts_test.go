package netsim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Arrivals do not affect the other datagrams of a bag: taking and arriving commute, and so do arrivals from two nodes.
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

// Connection allocates only at first, because tables call it for each connection they reach. It returns the values that
// were set.
func TestConnectionsAreShownInPlace(t *testing.T) {
	b := newBench(Streams{}, 3)
	set := netmodel.Connection{{Flags: 1, Queue: []netmodel.Message{{ID: 1}, {ID: 2}}}, {Flags: 3, Queue: []netmodel.Message{{ID: 3}}}}
	b.SetConnection(0, 1, set)
	b.SetConnection(2, 2, netmodel.Connection{{Queue: []netmodel.Message{{ID: 4}}}})
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

// Effects on connections do not depend on the messages. A queue stays, loses its first message, is emptied, or gets the
// sent message.
func TestConnectionsDoNotHangOnMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := Streams{Buffer: rapid.IntRange(1, 3).Draw(t, "buffer"), Errors: 3, Partitions: 1, asLive: rapid.Bool().Draw(t, "live")}
		both := [2]*bench{newBench(net, 2), newBench(net, 2)}
		node := func(name string) sim.NodeID { return sim.NodeID(rapid.IntRange(0, 1).Draw(t, name)) }
		texts := rapid.SampledFrom([]string{"a", "b", "c"})
		queues := func(b *bench) (all [][]sim.MessageID, flags []uint8) {
			for _, ends := range [][2]sim.NodeID{{0, 0}, {0, 1}, {1, 1}} {
				for _, end := range b.Connection(ends[0], ends[1]) {
					var ids []sim.MessageID
					for _, m := range end.Queue {
						ids = append(ids, m.ID)
					}
					all, flags = append(all, ids), append(flags, end.Flags)
				}
			}
			return all, flags
		}
		can := func(b *bench) (events []netmodel.Event) { return b.AppendInjections(b.enabled()) }
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			before, _ := queues(both[0])
			from, to, op := node("from"), node("to"), rapid.IntRange(0, 7).Draw(t, "op")
			nth := rapid.IntRange(0, 20).Draw(t, "event")
			for _, b := range both {
				events, up := can(b), b.host.up[from]
				switch {
				case op < 2 && up:
					b.stream(from, to, texts.Draw(t, "text"))
				case op == 2 && up:
					b.CloseStream(from, to)
				case op == 3 && up && nth%3 == 0:
					b.crash(from)
				case op == 3 && up && nth%5 == 0:
					b.halt(from)
				case op == 3 && !up:
					b.boot(from)
				case op > 3 && len(events) > 0:
					if ev := events[nth%len(events)]; ev.Kind.Injection() || ev.Kind == eventkind.Heal {
						b.Inject(ev)
					} else {
						b.Take(ev)
					}
				}
			}
			after, flags := queues(both[0])
			other, otherFlags := queues(both[1])
			if fmt.Sprint(after, flags, can(both[0])) != fmt.Sprint(other, otherFlags, can(both[1])) {
				t.Fatalf("with other messages there is %v %v %v, not %v %v %v", other, otherFlags, can(both[1]), after, flags, can(both[0]))
			}
			for i, was := range before {
				is := after[i]
				gains := len(is) == len(was)+1 && slices.Equal(is[:len(was)], was)
				if !slices.Equal(is, was) && len(is) > 0 && !gains && !slices.Equal(is, was[1:]) {
					t.Fatalf("queue %d was %v and is %v", i, was, is)
				}
			}
		}
	})
}
