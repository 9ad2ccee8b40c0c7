package runner

import (
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/sim"
)

// Durable is the part of a node that survives a crash.
type Durable struct {
	Disk   []memdisk.Entry // sorted by key
	Ticks  uint64          // of the monotone counter
	Counts []int           // by action: how often it was done; nil if never
}

// Revive replaces the state of a node: it is down, with the contents of d. The disk keeps the values of d without copying them.
func (r *Runner) Revive(id sim.NodeID, d Durable) {
	n := &r.w.Members[id]
	r.down(n)
	n.Disk.Reset()
	n.Disk.Synced = append(n.Disk.Synced, d.Disk...)
	clear(n.Counts)
	for i := range min(len(d.Counts), len(n.Counts)) {
		n.Counts[i] = int32(d.Counts[i])
	}
	n.Clock.SetTicks(d.Ticks)
}

// Durable returns the part of the node that would survive a crash that keeps the first unsynced writes. The caller owns
// the slices, but must not change the values.
func (r *Runner) Durable(id sim.NodeID, kept int) Durable {
	n := &r.w.Members[id]
	var left memdisk.Disk
	left.Synced = append(left.Synced, n.Disk.Synced...)
	left.Pending = append(left.Pending, n.Disk.Pending...)
	left.Flush(min(kept, len(left.Pending)))
	d := Durable{Ticks: n.Clock.Ticks()}
	d.Disk = left.Synced
	for _, c := range n.Counts {
		d.Counts = append(d.Counts, int(c))
	}
	return d
}

// Unsynced returns the number of writes of the node that wait for a sync.
func (r *Runner) Unsynced(id sim.NodeID) int { return len(r.w.Members[id].Disk.Pending) }

// Ticks returns the node's monotone counter.
func (r *Runner) Ticks(id sim.NodeID) uint64 { return r.w.Members[id].Clock.Ticks() }

// Crash takes the node down. The first kept of its unsynced writes survive.
func (r *Runner) Crash(id sim.NodeID, kept int) { r.Revive(id, r.Durable(id, kept)) }

func (r *Runner) down(n *kernel.Node) {
	_ = r.w.TakeDown(n)
	n.Disk.Pending = n.Disk.Pending[:0]
	n.Clock.Crash()
	r.w.Touch(n)
}
