package kernel

import (
	"github.com/macemc/macemc/sim"
)

// Owed is what a monitor said of what it waits for, see [sim.Obliged]. The zero value is that of one that never obliges.
type Owed struct {
	Obliges      bool
	Waits        []sim.Obligation
	Hot, Settled []string // that it passed
}

// owedBy asks a monitor. All who execute steps do so after each announcement, as what it is asked is checked code: so the path to a
// call that fails, or does not return, is one for every engine.
func owedBy(m sim.Monitor) Owed {
	by, ok := m.(sim.Obliged)
	if !ok || !by.Obliges() {
		return Owed{}
	}
	o := Owed{Obliges: true, Waits: by.Obligations()}
	o.Hot, o.Settled = by.Passed()
	return o
}

// observed is what a monitor did with an announced event.
type observed struct {
	err  error
	owed Owed // unless it failed
}

// observe tells a monitor of an announced event.
func (w *machine) observe(m sim.Monitor, from sim.NodeID, event any) error {
	tell := func() (o observed) {
		if o.err = m.Observe(from, event); o.err == nil {
			o.owed = owedBy(m)
		}
		return o
	}
	var o observed
	if w.apart {
		o = asking(w, func() Asked { return Asked{Name: sim.MonitorName(m)} }, tell)
	} else {
		o = tell()
	}
	w.owed = o.owed
	return o.err
}
