package simtest

import (
	"maps"
	"slices"

	"github.com/macemc/macemc/internal/kernel"
)

// Disk returns what the node reads from its disk: what was synced, and what was written since. The map
// is the caller's.
func (h *Node[S]) Disk() map[string]string { return h.disk(h.run.Unsynced(h.id)) }

// Synced returns what would be on the node's disk after a Crash.
func (h *Node[S]) Synced() map[string]string { return h.disk(0) }

func (h *Node[S]) disk(unsynced int) map[string]string {
	disk := map[string]string{}
	for _, e := range h.run.Durable(h.id, unsynced).Disk {
		disk[e.Key] = string(e.Value)
	}
	return disk
}

// SetDisk replaces what is on the disk. The node must be down.
func (h *Node[S]) SetDisk(disk map[string]string) {
	h.t.Helper()
	if h.run.Up(h.id) {
		h.t.Fatalf("SetDisk: n%d is up", h.id)
	}
	d := h.run.Durable(h.id, 0)
	d.Disk = nil
	for _, key := range slices.Sorted(maps.Keys(disk)) {
		d.Disk = append(d.Disk, kernel.Entry{Key: key, Value: []byte(disk[key])})
	}
	h.run.Revive(h.id, d)
}
