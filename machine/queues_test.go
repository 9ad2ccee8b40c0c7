package machine_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
)

// Note is passed around in systems that distinguish the orders of arrival.
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

// triangle makes A send to B, which relays to C, and to C, in this or the other order.
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

// crossing makes two machines send to the same two in opposite orders.
func crossing(order netsim.Order) *machine.System {
	ms := &machine.System{Queues: netsim.Queues{Order: order}}
	x, y := ms.Add(observerKind, log{}), ms.Add(observerKind, log{})
	a, b := ms.Add(pairKind, pair{"a", x, y}), ms.Add(pairKind, pair{"b", y, x})
	ms.Add(starterKind, starter{[]machine.ID{a, b}})
	return ms
}

// The number of orders of arrival. The orders of P are those of netsim.Arrival.
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

// A queue that exceeds its bound is a finding that names both ends, whether events wait in flight or in the machine.
// The same holds for too many events of a type, from all senders.
func TestBounds(t *testing.T) {
	deferring := func(each string) *machine.System {
		ms := &machine.System{}
		ms.Add(machine.Define[log]("tested", machine.In("s", machine.Defer(A{}), machine.Ignore(B{}))), log{})
		ms.Add(sender, sends{each})
		ms.Add(sender, sends{each})
		return ms
	}
	nobody := &machine.System{}
	nobody.Pool(1, 1, observerKind)
	nobody.Add(sender, sends{"a"})
	nobody.Add(sender, sends{"a"})
	const property = "queues stay within their bound: "
	for _, c := range []struct {
		name string
		ms   *machine.System
		set  func(*machine.System)
		want string
	}{
		{"on the way", one("aa", machine.In("s", machine.Defer(A{}))), func(ms *machine.System) { ms.Queues.Bound = 1 },
			"n1 sends A{} to n0, for which 1 of its messages wait already; the bound is 1"},
		{"deferred", deferring("a"), func(ms *machine.System) { ms.Queues.Bound = 1 },
			"tested0 gets A{} from sender2 while 1 unhandled events wait; the bound is 1"},
		{"of a type, on the way", deferring("ab"), func(ms *machine.System) { ms.AtMost(A{}, 1) },
			"n2 sends A{} to n0, for which 1 messages of that type wait already; at most 1 may"},
		{"of a type, by arrival", deferring("ab"), func(ms *machine.System) { ms.AtMost(B{}, 1); ms.Queues.Order = netsim.Arrival },
			"n2 sends B{} to n0, for which 1 messages of that type wait already; at most 1 may"},
		{"of a type, deferred", one("aba", machine.In("s", machine.Defer(A{}), machine.Ignore(B{}))), func(ms *machine.System) { ms.AtMost(A{}, 2) }, ""},
		{"of a type, one too many", one("b", machine.In("s", machine.Defer(A{}), machine.On(on[B]("b", func(x *machine.Ctx) { x.Send(0, A{}); x.Send(0, A{}) })))),
			func(ms *machine.System) { ms.AtMost(A{}, 1) },
			"tested0 gets A{} from tested0 while 1 unhandled events of that type wait; at most 1 may"},
		{"not created yet", nobody, func(ms *machine.System) { ms.Queues.Bound = 1 },
			"pool0 gets A{} from sender2 while 1 unhandled events wait; the bound is 1"},
		{"of other types", deferring("ab"), func(ms *machine.System) { ms.AtMost(C{}, 1); ms.AtMost(A{}, 2); ms.AtMost(B{}, 2) }, ""},
	} {
		c.set(c.ms)
		if c.want != "" {
			c.want = property + c.want
		}
		if o := run(t, c.ms); !strings.HasSuffix(o.finding, c.want) || (o.finding != "") != (c.want != "") {
			t.Errorf("%s: %q", c.name, o.finding)
		}
	}
}

func TestAtMostPanics(t *testing.T) {
	for name, set := range map[string]func(ms *machine.System){
		"none":    func(ms *machine.System) { ms.AtMost(A{}, 0) },
		"nothing": func(ms *machine.System) { ms.AtMost(nil, 1) },
		"twice":   func(ms *machine.System) { ms.AtMost(A{}, 1); ms.AtMost(A{}, 2) },
		"streams": func(ms *machine.System) { ms.AtMost(A{}, 1); ms.Streams = &netsim.Streams{}; ms.Sim("test") },
		"set by hand": func(ms *machine.System) {
			ms.Queues.AtMost = map[reflect.Type]int{reflect.TypeFor[A](): 1}
			ms.Sim("test")
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			set(&machine.System{})
		}()
	}
}
