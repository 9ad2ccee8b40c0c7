package kernel

import (
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/sim"
)

// observed is the result of a monitor's Observe.
type observed struct {
	failed bool
	text   string        // of the error, if it failed
	owed   declared.Owed // valid unless it failed
}

// observe passes an announced event to a monitor. It returns the text of the monitor's error.
func (w *Machine) observe(m sim.Monitor, from sim.NodeID, event any) (text string, failed bool) {
	tell := func() (o observed) {
		if err := m.Observe(from, event); err != nil {
			o.failed, o.text = true, err.Error()
		} else {
			o.owed = declared.OwedBy(m)
		}
		return o
	}
	var o observed
	if w.ownGoroutines {
		o = asking(w, func() Asked { return Asked{Name: sim.MonitorName(m)} }, tell)
	} else {
		o = tell()
	}
	w.Owed = o.owed
	return o.text, o.failed
}
