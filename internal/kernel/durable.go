package kernel

import (
	"github.com/macemc/macemc/sim"
)

// Durable is what survives a crash of a node.
type Durable struct {
	Disk   []Entry // sorted by key
	Ticks  uint64  // of the monotone counter
	Counts []int   // by action, how often it was done; nil: never
}

// Entry is a key on a disk and its value.
type Entry struct {
	Key   string
	Value []byte
}

// Write is a write to a disk; a Delete when Gone.
type Write struct {
	Entry
	Gone bool
}

// Revive makes the node one that is down and has this on its disk. The values are kept.
func (r *Runner) Revive(id sim.NodeID, d Durable) {
	n := &r.w.nodes[id]
	r.down(n)
	n.disk.reset()
	for _, e := range d.Disk {
		n.disk.synced = append(n.disk.synced, entry{e.Key, e.Value})
	}
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
	var disk disk
	disk.synced = append(disk.synced, n.disk.synced...)
	disk.pending = append(disk.pending, n.disk.pending...)
	disk.flush(min(kept, len(disk.pending)))
	d := Durable{Ticks: n.clock.model.Ticks()}
	for _, e := range disk.synced {
		d.Disk = append(d.Disk, Entry{e.key, e.value})
	}
	for _, c := range n.counts {
		d.Counts = append(d.Counts, int(c))
	}
	return d
}

// Unsynced is the number of writes of the node that wait for a sync.
func (r *Runner) Unsynced(id sim.NodeID) int { return len(r.w.nodes[id].disk.pending) }

// Ticks is the node's monotone counter.
func (r *Runner) Ticks(id sim.NodeID) uint64 { return r.w.nodes[id].clock.model.Ticks() }

// Crash takes the node down. Of its unsynced writes the first kept ones survive.
func (r *Runner) Crash(id sim.NodeID, kept int) { r.Revive(id, r.Durable(id, kept)) }

func (r *Runner) down(n *node) {
	_ = r.w.takeDown(n)
	n.disk.pending = n.disk.pending[:0]
	n.clock.model.Crash()
	r.w.touch(n)
}
