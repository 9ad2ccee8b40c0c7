package kernel

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Local is the local state of one node: its service, armed timers, counters, disk and clock, up or down. Only handlers
// that run on its service change it.
type Local struct {
	up      bool
	Halted  bool
	Code    sim.Service
	onError sim.PeerErrorHandler
	onReady sim.PeerReadyHandler
	stepper simext.Stepper
	armed   []timer
	fits    []int32
	Counts  []int32
	disk    memdisk.Disk
	Clock   macetime.Model
	never   uint64 // set of quorums that take nothing any more

	// Cached values of node predicates. Bit k is predicate k.
	Known, Holds uint64
}

// Up reports whether the node is up.
func (l *Local) Up() bool { return l.up }

// HandlesEvent reports whether the node can take a step of its own that handles an event.
func (l *Local) HandlesEvent() bool { return l.up && l.stepper != nil && handlesEvent(l.stepper) }

// Service returns the node's service, nil if it is down. It must not be changed.
func (l *Local) Service() sim.Service { return l.Code }

// Unsynced returns the number of writes that a crash may lose.
func (l *Local) Unsynced() int { return len(l.disk.Pending) }

// Timer returns the value of the armed timer in a slot, see [netmodel.Event].
func (l *Local) Timer(slot int32) any { return l.armed[slot].Value }

func (l *Local) TimerSet(t any) bool {
	return slices.ContainsFunc(l.armed, func(a timer) bool { return a.Value == t })
}

// Bare returns a copy of l without its service. Effects can still be applied to it.
func (l *Local) Bare() *Local {
	c := *l
	c.Code, c.onError, c.onReady, c.stepper, c.Known, c.Holds = nil, nil, nil, nil, 0, 0
	return &c
}

// Put makes l the state of a node of the machine, sharing only the service.
func (w *Machine) Put(id sim.NodeID, l *Local) *Node {
	n := &w.Members[id]
	n.Up, n.halted = l.up, l.Halted
	n.Service, n.onError, n.onReady, n.Stepper = l.Code, l.onError, l.onReady, l.stepper
	n.Armed = append(n.Armed[:0], l.armed...)
	n.Fits = append(n.Fits[:0], l.fits...)
	n.Counts = append(n.Counts[:0], l.Counts...)
	n.Disk.Synced = append(n.Disk.Synced[:0], l.disk.Synced...)
	n.Disk.Pending = append(n.Disk.Pending[:0], l.disk.Pending...)
	n.Clock.Reset(int(id))
	n.Clock.CopyFrom(&l.Clock)
	n.never = l.never
	n.hashed = false
	return n
}

// Take is the inverse of Put.
func (w *Machine) Take(n *Node) *Local {
	l := &Local{up: n.Up, Halted: n.halted, Code: n.Service, onError: n.onError, onReady: n.onReady, stepper: n.Stepper, never: n.never}
	l.armed = slices.Clone(n.Armed)
	l.fits = slices.Clone(n.Fits)
	l.Counts = slices.Clone(n.Counts)
	l.disk.Synced = slices.Clone(n.Disk.Synced)
	l.disk.Pending = slices.Clone(n.Disk.Pending)
	l.Clock.Reset(int(n.ID))
	l.Clock.CopyFrom(&n.Clock)
	return l
}

// Copyable returns the reason why the service cannot be copied, or nil.
func (w *Machine) Copyable(l *Local) error {
	if l.Code == nil {
		return nil
	}
	if declared.Closes(l.Code) {
		return fmt.Errorf("%T has a method Close", l.Code)
	}
	return w.PlanOf(l.Code).Uncopyable()
}

// CopyLocal returns a copy of l with a deep copy of its service.
func (w *Machine) CopyLocal(l *Local) (c *Local, err error) {
	defer encoding.Catch(&err)
	own := *l
	own.Known, own.Holds = 0, 0
	if l.Code != nil {
		own.Code = w.PlanOf(l.Code).Copy(l.Code).(sim.Service)
		own.onError, _ = own.Code.(sim.PeerErrorHandler)
		own.onReady, _ = own.Code.(sim.PeerReadyHandler)
		own.stepper, _ = own.Code.(simext.Stepper)
	}
	return &own, nil
}
