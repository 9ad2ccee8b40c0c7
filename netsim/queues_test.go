package netsim

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

func TestQueuesPerPair(t *testing.T) {
	b := newBench(Queues{}, 3)
	b.datagram(2, 0, "z")
	b.datagram(1, 0, "b")
	b.datagram(1, 0, "a")
	b.datagram(2, 0, "y")
	b.expect(t, "deliver 1>0 b", "deliver 2>0 z")
	b.do(t, "deliver 2>0 z")
	b.do(t, "deliver 1>0 b")
	b.expect(t, "deliver 1>0 a", "deliver 2>0 y")
}

func TestQueuesByArrival(t *testing.T) {
	b := newBench(Queues{Order: Arrival}, 3)
	b.datagram(1, 0, "b")
	b.datagram(1, 0, "a")
	b.datagram(2, 0, "z")
	b.datagram(2, 1, "w")
	b.expect(t, "arrive 0>1 b", "arrive 0>2 z")
	b.do(t, "arrive 0>2 z")
	b.expect(t, "deliver 2>0 z", "arrive 0>1 b", "arrive 1>2 w")
	b.do(t, "arrive 0>1 b")
	b.do(t, "arrive 1>2 w")
	// Node 1 still has messages to send. Node 0 has messages to take, first z.
	b.expect(t, "deliver 2>0 z", "arrive 0>1 a")
	if !b.Holds(1) || b.Holds(0) || b.Holds(2) {
		t.Error("node 1 alone has something to send")
	}
	b.do(t, "deliver 2>0 z")
	b.do(t, "arrive 0>1 a")
	b.do(t, "deliver 1>0 b")
	b.expect(t, "deliver 1>0 a", "deliver 2>1 w")
}

func TestQueuesInAnyOrder(t *testing.T) {
	b := newBench(Queues{Order: Any}, 2)
	for _, text := range []string{"b", "a", "b"} {
		b.datagram(1, 0, text)
	}
	b.expect(t, "deliver 1>0 a", "deliver 1>0 b")
}

// A crash of a node loses the messages on their way to it, and those that it has yet to send.
func TestQueuesAndCrashes(t *testing.T) {
	b := newBench(Queues{}, 2)
	b.datagram(1, 0, "lost")
	b.datagram(0, 1, "kept")
	b.crash(0)
	b.datagram(1, 0, "nobody there")
	b.expect(t, "deliver 0>1 kept")
	b.boot(0)
	b.expect(t, "deliver 0>1 kept")
	b.expectFates(t, fate{1, netmodel.DroppedCrash}, fate{3, netmodel.DroppedDown})

	b = newBench(Queues{Order: Arrival}, 2)
	b.datagram(0, 1, "lost")
	b.crash(0)
	b.expect(t)
	b.boot(0)
	b.expect(t)
}

func TestQueueBound(t *testing.T) {
	b := newBench(Queues{Bound: 2}, 3)
	b.datagram(1, 0, "a")
	b.datagram(1, 0, "b")
	b.datagram(2, 0, "c")
	defer func() {
		f, _ := recover().(*sim.Finding)
		want := "n1 sends d to n0, for which 2 of its messages wait already; the bound is 2"
		if f == nil || f.Kind != sim.Safety || f.Property != QueueProperty || f.Message != want {
			t.Errorf("a third message: %+v", f)
		}
	}()
	b.datagram(1, 0, "d")
}

func TestQueueBoundOfType(t *testing.T) {
	for order := PerPair; order <= Any; order++ {
		b := newBench(Queues{Order: order, AtMost: map[reflect.Type]int{reflect.TypeFor[string](): 2, reflect.TypeFor[int](): 1}}, 4)
		send := func(from, to sim.NodeID, text string) {
			b.datagram(from, to, text)
			for b.Holds(from) {
				b.do(t, "arrive "+fmt.Sprint(to)+">"+fmt.Sprint(from)+" "+text)
			}
		}
		send(1, 0, "a")
		send(2, 3, "b")
		send(2, 0, "c")
		func() {
			defer func() {
				f, _ := recover().(*sim.Finding)
				want := "n3 sends d to n0, for which 2 messages of that type wait already; at most 2 may"
				if f == nil || f.Kind != sim.Safety || f.Property != QueueProperty || f.Node != 3 || f.Message != want {
					t.Errorf("%v: a third message: %+v", order, f)
				}
			}()
			send(3, 0, "d")
		}()
	}
}

func TestQueuesValidate(t *testing.T) {
	for _, c := range []struct {
		queues Queues
		want   string
	}{{Queues{Bound: -1}, "bound"}, {Queues{Order: 3}, "Order(3) is not one of"}, {Queues{AtMost: map[reflect.Type]int{reflect.TypeFor[string](): 0}}, "at most 0 messages string"}} {
		if err := c.queues.Validate(1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.queues, err)
		}
	}
	if _, err := (Queues{}).WithLimits(sim.Limits{sim.Loss: 1}); err == nil {
		t.Error("queues lose messages")
	}
	if err := errors.Join(Queues{}.Validate(1), Queues{Order: Arrival, Bound: 3}.Validate(2)); err != nil {
		t.Error(err)
	}
}

// queueOracle holds messages in plain lists.
type queueOracle struct {
	order Order
	up    []bool
	yet   [][]parcel // by sender, to be sent
	there []parcel   // in the order of arrival
}

func (o *queueOracle) arrive(p parcel) {
	if o.up[p.to] {
		o.there = append(o.there, p)
	}
}

// events returns the descriptions of the enabled events, unordered.
func (o *queueOracle) events() (all []string) {
	for node := range o.up {
		if len(o.yet[node]) > 0 {
			p := o.yet[node][0]
			all = append(all, fmt.Sprintf("arrive %d>%d %s", p.to, p.from, p.text))
			continue
		}
		for i, p := range o.there {
			first := !slices.ContainsFunc(o.there[:i], func(q parcel) bool {
				switch o.order {
				case Arrival:
					return q.to == p.to
				case PerPair:
					return q.to == p.to && q.from == p.from
				}
				return q == p
			})
			if p.to == node && first {
				all = append(all, fmt.Sprintf("deliver %d>%d %s", p.from, p.to, p.text))
			}
		}
	}
	slices.Sort(all)
	return all
}

func (o *queueOracle) do(text string) {
	var from, to int
	var what, body string
	_, _ = fmt.Sscanf(strings.Replace(text, ">", " ", 1), "%s %d %d %s", &what, &from, &to, &body)
	if what == "arrive" { // described from the receiver's side
		p := o.yet[to][0]
		o.yet[to] = o.yet[to][1:]
		o.arrive(p)
		return
	}
	i := slices.Index(o.there, parcel{from: from, to: to, text: body})
	o.there = slices.Delete(o.there, i, i+1)
}

// Queues behave like plain lists, and their parts can be removed and restored.
func TestQueuesAgainstLists(t *testing.T) {
	const nodes = 3
	for order := PerPair; order <= Any; order++ {
		rapid.Check(t, func(t *rapid.T) {
			b := newBench(Queues{Order: order}, nodes)
			o := queueOracle{order: order, up: []bool{true, true, true}, yet: make([][]parcel, nodes)}
			for range rapid.IntRange(1, 25).Draw(t, "steps") {
				node := rapid.IntRange(0, nodes-1).Draw(t, "node")
				switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
				case what < 5 && o.up[node] && len(o.yet[node]) == 0:
					for range rapid.IntRange(1, 2).Draw(t, "messages") {
						p := parcel{from: node, to: rapid.IntRange(0, nodes-1).Draw(t, "to"), text: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "text")}
						b.datagram(sim.NodeID(p.from), sim.NodeID(p.to), p.text)
						if order == Arrival {
							o.yet[node] = append(o.yet[node], p)
						} else {
							o.arrive(p)
						}
					}
				case what == 5 && o.up[node]:
					b.crash(sim.NodeID(node))
					o.up[node], o.yet[node] = false, nil
					o.there = slices.DeleteFunc(o.there, func(p parcel) bool { return p.to == node })
				case what == 6 && !o.up[node]:
					b.boot(sim.NodeID(node))
					o.up[node] = true
				default:
					if all := o.events(); len(all) > 0 {
						text := rapid.SampledFrom(all).Draw(t, "event")
						b.do(t, text)
						o.do(text)
					}
				}
				got := b.describeAll()
				slices.Sort(got)
				if want := o.events(); !slices.Equal(got, want) {
					t.Fatalf("%v: enabled %q, want %q", order, got, want)
				}
				again := newBench(Queues{Order: order}, nodes)
				copy(again.host.up, b.host.up)
				for i := range sim.NodeID(nodes) {
					again.SetBag(i, b.Bag(i))
				}
				if !slices.Equal(again.describeAll(), b.describeAll()) || again.Fingerprint() != b.Fingerprint() {
					t.Fatalf("%v: put back: %q, want %q", order, again.describeAll(), b.describeAll())
				}
			}
		})
	}
}
