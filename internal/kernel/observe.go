package kernel

import (
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/sim"
)

// observed is the result of a monitor's Observe.
type observed struct {
	err  error
	owed declared.Owed // valid unless err is set
}

// observe passes an announced event to a monitor.
func (w *Machine) observe(m sim.Monitor, from sim.NodeID, event any) error {
	tell := func() (o observed) {
		if o.err = m.Observe(from, event); o.err == nil {
			o.owed = declared.OwedBy(m)
		}
		return o
	}
	var o observed
	if w.apart {
		o = asking(w, func() Asked { return Asked{Name: sim.MonitorName(m)} }, tell)
	} else {
		o = tell()
	}
	w.Owed = o.owed
	return o.err
}
