package store

// DefaultLimit is the number of entries (local states, steps, and inboxes or connections) from which a world drops
// its tables between runs.
const DefaultLimit = 1 << 19

// EntrySize is the approximate memory of an entry.
const EntrySize = 1 << 10

// BulkOf returns the memory of a local state beyond EntrySize: the service's own memory, copies of it, and each
// unsynced write.
func BulkOf(l *Local) int { return max(0, 4*len(l.Encoding)+128*l.State.Unsynced()-EntrySize) }

func (e *Tables) Entries() int {
	return len(e.Locals.List) + e.Conns.List.Len() + len(e.Inboxes.List) + (e.Conns.Queues.bytes()+e.Locals.bulk)/EntrySize
}

// Bytes returns the approximate memory of the tables.
func (e *Tables) Bytes() int {
	return EntrySize*(len(e.Locals.List)+len(e.Inboxes.List)) + e.Locals.bulk + e.Conns.bytes() + inboxItemSize*e.Inboxes.items
}
