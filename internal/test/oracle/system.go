package oracle

import (
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// System makes a system of the script, for the engines.
func (s *Script) System() *sim.System {
	sys := &sim.System{
		Name: "script", Nodes: s.Nodes, Timing: s.Timing, Crashes: s.Crashes, Halts: s.Halts, CrashCut: s.Cut, Network: s.network(),
		New:   func(id sim.NodeID) sim.Service { return newService(s, id) },
		State: []sim.StateRule{sim.EncodeBy(encodeHidden)}, Quorums: s.quorums(), Disturbing: s.disturbing(),
	}
	if s.Sturdy != 0 {
		sys.MayCrash = func(id sim.NodeID) bool { return !has(s.Sturdy, int(id)) }
	}
	if s.Lasting != 0 {
		sys.MayHalt = func(id sim.NodeID) bool { return !has(s.Lasting, int(id)) }
	}
	var mates []sim.NodeID
	for i := range s.Nodes {
		if has(s.Mates, i) {
			mates = append(mates, sim.NodeID(i))
		}
	}
	if len(mates) > 0 {
		sys.Containers = [][]sim.NodeID{mates}
	}
	if s.Late != 0 {
		sys.Late = func(id sim.NodeID) bool { return has(s.Late, int(id)) }
	}
	for k, a := range s.Actions {
		action := sim.Action[service]{Name: actionName(k), Times: a.Times, Disturbs: a.Disturbs,
			Do: func(p service, env sim.Env) { p.act(env, OnAction+Class(k)) }}
		if a.Phases != 0 {
			action.When = func(p service) bool { return has(a.Phases, p.phase()) }
		}
		if a.Nodes != 0 {
			action.At = func(id sim.NodeID) bool { return has(a.Nodes, int(id)) }
		}
		sys.Actions = append(sys.Actions, action)
	}
	for _, about := range s.Monitors {
		sys.Monitors = append(sys.Monitors, newMonitor(s, about))
	}
	n := 0
	for k, list := range [][]Prop{s.Always, s.Eventually, s.Sometimes} {
		for _, p := range list {
			property := sim.Property{Name: propName(n, p)}
			switch holds := p.function(s); k {
			case 0:
				property.Always = holds
			case 1:
				property.Eventually = holds
			case 2:
				property.Sometimes = holds
			}
			sys.Properties = append(sys.Properties, property)
			n++
		}
	}
	return sys
}

func (s *Script) disturbing() (list []sim.Disturbance) {
	for _, d := range s.Disturbing {
		list = append(list, s.disturbance(d))
	}
	return list
}

func (s *Script) disturbance(d Disturbance) sim.Disturbance {
	switch d.Of {
	case Alarm:
		return disturbing[alarm](d.Kind)
	case Bell:
		return disturbing[bell](d.Kind)
	case Word:
		return message[word](s, d.Kind)
	case Note:
		return message[note](s, d.Kind)
	case Vote:
		return message[vote](s, d.Kind)
	}
	return disturbing[any](d.Kind)
}

// disturbing returns a disturbance for the events of a kind that hand over a T, if they hand over anything.
func disturbing[T any](kind eventkind.Kind) sim.Disturbance {
	switch kind {
	case eventkind.FireTimer:
		return sim.DisturbingTimers[T]()
	case eventkind.Deliver:
		return sim.DisturbingMessages[T]()
	case eventkind.TakeQuorum:
		return sim.DisturbingQuorums[T]()
	case eventkind.Boot:
		return sim.DisturbingBoots()
	case eventkind.Heal:
		return sim.DisturbingHeals()
	}
	return sim.DisturbingErrors()
}

// message returns a disturbance for the events of a kind that deliver messages of type T, as they are sent.
func message[T any](s *Script, kind eventkind.Kind) sim.Disturbance {
	if s.Pointers {
		return disturbing[*T](kind)
	}
	return disturbing[T](kind)
}

func (s *Script) network() sim.Network {
	d := netsim.Datagrams{Loss: s.Loss, Dup: s.Dup}
	t := netsim.Streams{Buffer: s.Buffer, Errors: s.Errors}
	switch {
	case s.Queue != NoQueue:
		order := map[Queue]netsim.Order{PerSender: netsim.PerPair, ByArrival: netsim.Arrival, Unordered: netsim.Any}[s.Queue]
		return netsim.Queues{Order: order, Bound: s.Bound, AtMost: s.atMost()}
	case s.Datagrams && s.Streams:
		return netsim.Both{Datagrams: d, Streams: t, Partitions: s.Partitions}
	case s.Datagrams:
		d.Partitions = s.Partitions
		return d
	case s.Streams:
		t.Partitions = s.Partitions
		return t
	}
	return nil
}

// atMost returns the bounds of messages, by their types as they are sent.
func (s *Script) atMost() map[reflect.Type]int {
	bounds := map[reflect.Type]int{}
	bound := func(t reflect.Type, most int) {
		if s.Pointers {
			t = reflect.PointerTo(t)
		}
		if most > 0 {
			bounds[t] = most
		}
	}
	bound(reflect.TypeFor[word](), s.MostWords)
	bound(reflect.TypeFor[note](), s.MostNotes)
	return bounds
}

func (p Prop) function(s *Script) func(*sim.View) bool {
	in := func(v *sim.View, id, phase int) bool {
		s, ok := v.Service(sim.NodeID(id)).(service)
		return ok && s.phase() == phase
	}
	switch p.Kind {
	case PhaseIn:
		return sim.Each(func(_ sim.NodeID, s service) bool { return has(uint(p.A), s.phase()) })
	case NotBoth:
		return sim.Each(func(_ sim.NodeID, s service) bool { return s.phase() != p.A || s.reg() != p.B })
	case Apart:
		return func(v *sim.View) bool { return !in(v, p.A, p.B) || !in(v, p.C, p.B) }
	case FewerThan:
		return func(v *sim.View) bool {
			n := 0
			for range v.InFlight() {
				n++
			}
			return n < p.A
		}
	case ArmedOr:
		return sim.EachArmed(s.timer(p.A), func(_ sim.NodeID, s service, armed bool) bool { return armed || s.phase() == p.B })
	case Unarmed:
		return func(v *sim.View) bool { return !v.TimerSet(sim.NodeID(p.A), s.timer(p.B)) || !in(v, p.A, p.C) }
	case IsUp:
		return func(v *sim.View) bool { return v.Service(sim.NodeID(p.A)) != nil }
	case IsIn:
		return func(v *sim.View) bool { return in(v, p.A, p.B) }
	case UpElse:
		return func(v *sim.View) bool { return v.Halted(sim.NodeID(p.A)) || v.Service(sim.NodeID(p.A)) != nil }
	case InElse:
		return func(v *sim.View) bool { return in(v, p.A, p.B) || v.Halted(sim.NodeID(p.A)) }
	}
	panic("oracle: no property " + string(p.Kind))
}

// holds is the oracle's own evaluation of a property.
func (m *model) holds(p Prop, s *state) bool {
	in := func(i, phase int) bool { return s.nodes[i].up && s.nodes[i].phase == phase }
	armed := func(i, what int) bool {
		return slices.ContainsFunc(s.nodes[i].timers, func(t timer) bool { return t.what == what })
	}
	each := func(ok func(i int) bool) bool {
		for i := range s.nodes {
			if s.nodes[i].up && !ok(i) {
				return false
			}
		}
		return true
	}
	switch p.Kind {
	case PhaseIn:
		return each(func(i int) bool { return has(uint(p.A), s.nodes[i].phase) })
	case NotBoth:
		return each(func(i int) bool { return s.nodes[i].phase != p.A || s.nodes[i].reg != p.B })
	case Apart:
		return !(in(p.A, p.B) && in(p.C, p.B))
	case FewerThan:
		return s.inFlight() < p.A
	case ArmedOr:
		return each(func(i int) bool { return armed(i, p.A) || s.nodes[i].phase == p.B })
	case Unarmed:
		return !(armed(p.A, p.B) && in(p.A, p.C))
	case IsUp:
		return s.nodes[p.A].up
	case IsIn:
		return in(p.A, p.B)
	case UpElse:
		return s.nodes[p.A].up || s.nodes[p.A].halted
	case InElse:
		return in(p.A, p.B) || s.nodes[p.A].halted
	}
	panic("oracle: no property " + string(p.Kind))
}
