package sim

// Obligation is something that a monitor waits for.
type Obligation struct {
	Key string // tells it from the others of the monitor; for people, too
	Hot bool   // it is owed: a fair run that passes this again and again, and never settles it, is a violation
}

// Obliged is a [Monitor] that says what must happen, too. What it says is a function of its state, but for Passed. It is asked after each
// Observe, as part of the step; that it fails or does not return is a finding, as it is of Observe.
type Obliged interface {
	Monitor
	// Obliges reports whether it is ever hot. Only then are runs without end judged by it. It is the same in every state.
	Obliges() bool
	// Obligations are those that are not settled, in any order, no two of a key. The slice is the caller's.
	Obligations() []Obligation
	// Passed tells what the last call of Observe came by, whatever followed: keys that were hot, and keys that were settled.
	Passed() (hot, settled []string)
}

// Obligations are the names of what is judged in fair runs without end: of monitors that oblige, and of Inevitably properties.
// It makes one monitor of each kind.
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
