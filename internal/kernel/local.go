package kernel

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Local is the local state of one node: its service, armed timers, counters, disk and clock, up or
// down. It is not changed by anything but the handlers that its service is handed to.
type Local struct {
	up      bool
	halted  bool
	service sim.Service
	onError sim.PeerErrorHandler
	onReady sim.PeerReadyHandler
	stepper simext.Stepper
	armed   []timer
	fits    []int32
	counts  []int32
	disk    memdisk.Disk
	clock   clock
	never   uint64 // set of quorums that take nothing any more

	// What node predicates say of it, by their number. Bit k is predicate k.
	known, holds uint64
}

// Up reports whether the node is up.
func (l *Local) Up() bool { return l.up }

// HandlesEvent reports whether the node can take a step of its own that handles an event.
func (l *Local) HandlesEvent() bool { return l.up && l.stepper != nil && handlesEvent(l.stepper) }

// Service is the node's service, nil when it is down. It must not be changed.
func (l *Local) Service() sim.Service { return l.service }

// Unsynced is the number of writes that a crash may lose.
func (l *Local) Unsynced() int { return len(l.disk.Pending) }

// Timer is the value of the armed timer in a slot, see [sim.Event].
func (l *Local) Timer(slot int32) any { return l.armed[slot].value }

func (l *Local) timerSet(t any) bool {
	return slices.ContainsFunc(l.armed, func(a timer) bool { return a.value == t })
}

// Bare returns a copy of l without its service, which effects can still be settled on.
func (l *Local) Bare() *Local {
	c := *l
	c.service, c.onError, c.onReady, c.stepper, c.known, c.holds = nil, nil, nil, nil, 0, 0
	return &c
}

// put makes l the state of a node of the machine, sharing nothing with it but the service.
func (w *machine) put(id sim.NodeID, l *Local) *node {
	n := &w.nodes[id]
	n.up, n.halted = l.up, l.halted
	n.service, n.onError, n.onReady, n.stepper = l.service, l.onError, l.onReady, l.stepper
	n.armed = append(n.armed[:0], l.armed...)
	n.fits = append(n.fits[:0], l.fits...)
	n.counts = append(n.counts[:0], l.counts...)
	n.disk.Synced = append(n.disk.Synced[:0], l.disk.Synced...)
	n.disk.Pending = append(n.disk.Pending[:0], l.disk.Pending...)
	n.clock.model.Reset(int(id))
	n.clock.model.CopyFrom(&l.clock.model)
	n.never = l.never
	n.hashed = false
	return n
}

// take is the inverse of put.
func (w *machine) take(n *node) *Local {
	l := &Local{up: n.up, halted: n.halted, service: n.service, onError: n.onError, onReady: n.onReady, stepper: n.stepper, never: n.never}
	l.armed = slices.Clone(n.armed)
	l.fits = slices.Clone(n.fits)
	l.counts = slices.Clone(n.counts)
	l.disk.Synced = slices.Clone(n.disk.Synced)
	l.disk.Pending = slices.Clone(n.disk.Pending)
	l.clock.model.Reset(int(n.id))
	l.clock.model.CopyFrom(&n.clock.model)
	return l
}

// copyable reports why the service cannot be copied; nil: it can.
func (w *machine) copyable(l *Local) error {
	if l.service == nil {
		return nil
	}
	if declared.Closes(l.service) {
		return fmt.Errorf("%T has a method Close", l.service)
	}
	return w.planOf(l.service).Uncopyable()
}

// copyLocal returns a copy of l whose service is a deep copy.
func (w *machine) copyLocal(l *Local) (c *Local, err error) {
	defer encoding.Catch(&err)
	own := *l
	own.known, own.holds = 0, 0
	if l.service != nil {
		own.service = w.planOf(l.service).Copy(l.service).(sim.Service)
		own.onError, _ = own.service.(sim.PeerErrorHandler)
		own.onReady, _ = own.service.(sim.PeerReadyHandler)
		own.stepper, _ = own.service.(simext.Stepper)
	}
	return &own, nil
}
