package machine

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

var _ sim.Obliged = (*monitor)(nil)

// obliged is implemented by variables that hold several obligations.
type obliged interface{ obligations() []sim.Obligation }

// passed is the status of a key after a monitor entered a state.
type passed struct {
	key          string
	hot, settled bool
}

// passages are not part of a monitor's state: they describe one call of Observe.
type passages []passed

// passes records that a monitor has entered a state.
func (x *Ctx) passes() {
	if x.pass != nil {
		x.pass()
	}
}

func (m *monitor) pass(one *Machine) {
	if _, several := one.Vars.(obliged); m.Obliges() && !several { // several change in one event, after which they are reported
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

// keyOf returns the key of a monitor that is created with a payload.
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

// Obligations implements [sim.Obliged]. Monitors that were created with equal payloads are one obligation, which is
// settled once all of them have settled it.
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

// open reports whether a monitor is neither halted nor in a cold state.
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

// owedBesides reports whether another monitor with the key is open.
func (m *monitor) owedBesides(one *Machine, key string) bool {
	for i, other := range m.All {
		if other != one && m.key(i) == key && m.open(other) {
			return true
		}
	}
	return false
}
