package declared

import "github.com/macemc/macemc/sim"

// Owed holds the obligations of a monitor, see [sim.Obliged]. The zero value is for a monitor that never obliges.
type Owed struct {
	Obliges      bool
	Waits        []sim.Obligation
	Hot, Settled []string // states that it passed
}

// OwedBy returns the obligations of a monitor. It runs checked code, which may fail or not return. All engines call it
// after each announcement, so that they report the same path to such a call.
func OwedBy(m sim.Monitor) Owed {
	by, ok := m.(sim.Obliged)
	if !ok || !by.Obliges() {
		return Owed{}
	}
	o := Owed{Obliges: true, Waits: by.Obligations()}
	o.Hot, o.Settled = by.Passed()
	return o
}
