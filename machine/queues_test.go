package machine_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
)

// Note is passed around in the systems by which orders of arrival are told apart.
type Note struct{ Text string }

var observerKind = machine.Define[log]("observer", machine.In("s", machine.On(func(l *log, _ *machine.Ctx, n Note) { l.Did += n.Text + " " })))

type relay struct{ To machine.ID }

var relayKind = machine.Define[relay]("relay", machine.In("s", machine.On(func(r *relay, x *machine.Ctx, n Note) { x.Send(r.To, Note{"relayed"}) })))

type pair struct {
	Name          string
	First, Second machine.ID
}

var pairKind = machine.Define[pair]("pair", machine.In("s", machine.On(func(p *pair, x *machine.Ctx, _ A) {
	x.Send(p.First, Note{p.Name + "1"})
	x.Send(p.Second, Note{p.Name + "2"})
})))

type starter struct{ To []machine.ID }

var starterKind = machine.Define[starter]("starter", machine.In("s", machine.Entry(func(s *starter, x *machine.Ctx) {
	for _, to := range s.To {
		x.Send(to, A{})
	}
})))

// triangle has A send to B, which relays to C, and to C, in this or the other order.
func triangle(order netsim.Order, relayFirst bool) *machine.System {
	ms := &machine.System{Queues: netsim.Queues{Order: order}}
	c := ms.Add(observerKind, log{})
	b := ms.Add(relayKind, relay{c})
	p := pair{"a", c, b}
	if relayFirst {
		p = pair{"a", b, c}
	}
	ms.Add(starterKind, starter{[]machine.ID{ms.Add(pairKind, p)}})
	return ms
}

// crossing has two send to the same two in opposite orders.
func crossing(order netsim.Order) *machine.System {
	ms := &machine.System{Queues: netsim.Queues{Order: order}}
	x, y := ms.Add(observerKind, log{}), ms.Add(observerKind, log{})
	a, b := ms.Add(pairKind, pair{"a", x, y}), ms.Add(pairKind, pair{"b", y, x})
	ms.Add(starterKind, starter{[]machine.ID{a, b}})
	return ms
}

// In how many orders things arrive. The orders of P are those of netsim.Arrival.
func TestOrdersOfArrival(t *testing.T) {
	for _, want := range []struct {
		order                             netsim.Order
		relayFirst, directFirst, crossing int
		states                            [3]int
	}{
		{netsim.PerPair, 2, 2, 4, [3]int{8, 8, 34}},
		{netsim.Arrival, 2, 1, 3, [3]int{17, 12, 92}},
		{netsim.Any, 2, 2, 4, [3]int{8, 8, 34}},
	} {
		for i, c := range []struct {
			ms    *machine.System
			watch []machine.ID
			want  int
		}{
			{triangle(want.order, true), []machine.ID{0}, want.relayFirst},
			{triangle(want.order, false), []machine.ID{0}, want.directFirst},
			{crossing(want.order), []machine.ID{0, 1}, want.crossing},
		} {
			if o := run(t, c.ms); o.states != want.states[i] {
				t.Errorf("%v, %d: %d states", want.order, i, o.states)
			}
			if ends := endsOf(t, c.ms, c.watch...); len(ends) != c.want {
				t.Errorf("%v, %d: %v, want %d orders", want.order, i, ends, c.want)
			}
		}
	}
}

// A queue that outgrows its bound is a finding, whether events wait on their way or in the machine, and names both ends.
func TestBounds(t *testing.T) {
	for what, want := range map[string]string{
		"on the way": "queues stay within their bound: n1 sends A{} to n0, for which 1 of its messages wait already; the bound is 1",
		"deferred":   "queues stay within their bound: tested0 gets A{} while 1 events wait that it has not handled; the bound is 1",
	} {
		ms := one("aa", machine.In("s", machine.Defer(A{})))
		ms.Queues.Bound = 1
		if what == "deferred" {
			ms = &machine.System{Queues: netsim.Queues{Bound: 1}}
			ms.Add(machine.Define[log]("tested", machine.In("s", machine.Defer(A{}))), log{})
			ms.Add(sender, sends{"a"})
			ms.Add(sender, sends{"a"})
		}
		if o := run(t, ms); !strings.Contains(o.finding, want) {
			t.Errorf("%s: %q", what, o.finding)
		}
	}
}
