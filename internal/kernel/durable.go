package kernel

import (
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/sim"
)

// Durable is what survives a crash of a node.
type Durable struct {
	Disk   []memdisk.Entry // sorted by key
	Ticks  uint64          // of the monotone counter
	Counts []int           // by action, how often it was done; nil: never
}

// Revive makes the node one that is down and has this on its disk. The values are kept.
func (r *Runner) Revive(id sim.NodeID, d Durable) {
	n := &r.w.nodes[id]
	r.down(n)
	n.disk.Reset()
	n.disk.Synced = append(n.disk.Synced, d.Disk...)
	clear(n.counts)
	for i := range min(len(d.Counts), len(n.counts)) {
		n.counts[i] = int32(d.Counts[i])
	}
	n.clock.model.SetTicks(d.Ticks)
}

// Durable returns what would survive a crash of the node that keeps the first unsynced writes. The
// slices are the caller's, the values must not be changed.
func (r *Runner) Durable(id sim.NodeID, kept int) Durable {
	n := &r.w.nodes[id]
	var left memdisk.Disk
	left.Synced = append(left.Synced, n.disk.Synced...)
	left.Pending = append(left.Pending, n.disk.Pending...)
	left.Flush(min(kept, len(left.Pending)))
	d := Durable{Ticks: n.clock.model.Ticks()}
	d.Disk = left.Synced
	for _, c := range n.counts {
		d.Counts = append(d.Counts, int(c))
	}
	return d
}

// Unsynced is the number of writes of the node that wait for a sync.
func (r *Runner) Unsynced(id sim.NodeID) int { return len(r.w.nodes[id].disk.Pending) }

// Ticks is the node's monotone counter.
func (r *Runner) Ticks(id sim.NodeID) uint64 { return r.w.nodes[id].clock.model.Ticks() }

// Crash takes the node down. Of its unsynced writes the first kept ones survive.
func (r *Runner) Crash(id sim.NodeID, kept int) { r.Revive(id, r.Durable(id, kept)) }

func (r *Runner) down(n *node) {
	_ = r.w.takeDown(n)
	n.disk.Pending = n.disk.Pending[:0]
	n.clock.model.Crash()
	r.w.touch(n)
}
