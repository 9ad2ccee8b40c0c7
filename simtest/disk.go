package simtest

import (
	"maps"
	"slices"

	"github.com/macemc/macemc/internal/kernel/memdisk"
)

// Disk returns the content of the disk as the node reads it: the synced writes and the later ones. The caller owns the
// map.
func (h *Node[S]) Disk() map[string]string { return h.disk(h.run.Unsynced(h.id)) }

// Synced returns the content of the node's disk that would survive a Crash.
func (h *Node[S]) Synced() map[string]string { return h.disk(0) }

func (h *Node[S]) disk(unsynced int) map[string]string {
	disk := map[string]string{}
	for _, e := range h.run.Durable(h.id, unsynced).Disk {
		disk[e.Key] = string(e.Value)
	}
	return disk
}

// SetDisk replaces the content of the disk. The node must be down.
func (h *Node[S]) SetDisk(disk map[string]string) {
	h.t.Helper()
	if h.run.Up(h.id) {
		h.t.Fatalf("SetDisk: n%d is up", h.id)
	}
	d := h.run.Durable(h.id, 0)
	d.Disk = nil
	for _, key := range slices.Sorted(maps.Keys(disk)) {
		d.Disk = append(d.Disk, memdisk.Entry{Key: key, Value: []byte(disk[key])})
	}
	h.run.Revive(h.id, d)
}
