package declared

import "github.com/macemc/macemc/sim"

// Owed is what a monitor said of what it waits for, see [sim.Obliged]. The zero value is that of one that never obliges.
type Owed struct {
	Obliges      bool
	Waits        []sim.Obligation
	Hot, Settled []string // that it passed
}

// OwedBy asks a monitor. All who execute steps do so after each announcement, as what it is asked is checked code: so the path to a
// call that fails, or does not return, is one for every engine.
func OwedBy(m sim.Monitor) Owed {
	by, ok := m.(sim.Obliged)
	if !ok || !by.Obliges() {
		return Owed{}
	}
	o := Owed{Obliges: true, Waits: by.Obligations()}
	o.Hot, o.Settled = by.Passed()
	return o
}
