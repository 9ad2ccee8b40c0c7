package sim

// Obligation is an event or condition that a monitor waits for.
type Obligation struct {
	Key string // unique among the obligations of the monitor; shown to people
	Hot bool   // P's term: a fair run that visits it again and again, and never settles it, is a violation
}

// Obliged is a [Monitor] that also states what must happen. Its results are a function of its state, except those of
// Passed. Its methods are called after each Observe, as part of the step. A panic or a call that does not return is a
// violation, as in Observe.
type Obliged interface {
	Monitor
	// Obliges reports whether the monitor is ever hot. Only then does it judge infinite runs. The result is the same in
	// every state.
	Obliges() bool
	// Obligations returns the unsettled obligations, in any order and with distinct keys. The caller owns the slice.
	Obligations() []Obligation
	// Passed returns the keys that were hot and the keys that were settled at some point of the last call of Observe,
	// whatever followed.
	Passed() (hot, settled []string)
}

// Obligations returns the names of everything that is judged in fair infinite runs: monitors that oblige, and
// Inevitably properties. It makes one monitor of each kind.
func (s *System) Obligations() []string {
	var names []string
	for _, f := range s.Monitors {
		m := f()
		if o, ok := m.(Obliged); ok && o.Obliges() {
			names = append(names, MonitorName(m))
		}
	}
	for i := range s.Properties {
		if s.Properties[i].Inevitably != nil {
			names = append(names, s.Properties[i].Name)
		}
	}
	return names
}
