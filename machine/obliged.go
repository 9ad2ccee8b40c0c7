package machine

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

var _ sim.Obliged = (*monitor)(nil)

// obliged is implemented by variables that stand for several obligations.
type obliged interface{ obligations() []sim.Obligation }

// passed is what a state that a monitor came by meant for its key, at that moment.
type passed struct {
	key          string
	hot, settled bool
}

// passages are dropped with the copy of a monitor: they are about one call of Observe.
type passages []passed

// passes tells that a state is come to.
func (x *Ctx) passes() {
	if x.pass != nil {
		x.pass()
	}
}

func (m *monitor) pass(one *Machine) {
	if _, several := one.Vars.(obliged); m.Obliges() && !several { // several change by one event at a time, behind which they are told
		key, at := m.key(slices.Index(m.All, one)), m.watcher.kind.state(one.State())
		m.passed = append(m.passed, passed{key, at.hot, at.cold && !m.owedBesides(one, key)})
	}
}

func (m *monitor) key(i int) string {
	if m.Keys == nil || i < 0 {
		return ""
	}
	return m.Keys[i]
}

// keyOf is the key of a monitor that is created with a payload.
func (s *System) keyOf(payload any) string {
	if payload == nil {
		return ""
	}
	s.copying.Lock()
	defer s.copying.Unlock()
	how, err := s.planSet().Of(payload)
	if err != nil {
		panic(err)
	}
	return how.Names(payload)
}

// Obliges implements [sim.Obliged].
func (m *monitor) Obliges() bool {
	return slices.ContainsFunc(m.watcher.kind.states, func(s *state) bool { return s.hot })
}

// Obligations implements [sim.Obliged]. Monitors that were created with equal payloads are one obligation, which is owed until it is
// settled by all of them.
func (m *monitor) Obligations() []sim.Obligation {
	var out []sim.Obligation
	for i, one := range m.All {
		if v, ok := one.Vars.(obliged); ok {
			return v.obligations()
		}
		if !m.open(one) {
			continue
		}
		o := sim.Obligation{Key: m.key(i), Hot: m.watcher.kind.state(one.State()).hot}
		if k := slices.IndexFunc(out, func(other sim.Obligation) bool { return other.Key == o.Key }); k >= 0 {
			out[k].Hot = out[k].Hot || o.Hot
			continue
		}
		out = append(out, o)
	}
	return out
}

// open reports whether one is neither halted nor in a state that is cold.
func (m *monitor) open(one *Machine) bool {
	return !one.Halted && !m.watcher.kind.state(one.State()).cold
}

// Passed implements [sim.Obliged].
func (m *monitor) Passed() (hot, settled []string) {
	for _, p := range m.passed {
		if p.hot {
			hot = append(hot, p.key)
		}
		if p.settled {
			settled = append(settled, p.key)
		}
	}
	return hot, settled
}

// owedBesides reports whether another one of the key is open.
func (m *monitor) owedBesides(one *Machine, key string) bool {
	for i, other := range m.All {
		if other != one && m.key(i) == key && m.open(other) {
			return true
		}
	}
	return false
}
