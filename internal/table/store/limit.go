package store

// DefaultLimit is how many entries the tables of a world hold before they are dropped, when no run is
// under way: local states, steps, and what is in flight between two nodes.
const DefaultLimit = 1 << 19

// EntrySize is about the memory that an entry takes, all told.
const EntrySize = 1 << 10

// BulkOf is what a local state takes beyond that: the checked code's own memory, copies of it, and each write that is not synced.
func BulkOf(l *Local) int { return max(0, 4*len(l.Encoding)+128*l.State.Unsynced()-EntrySize) }

func (e *Tables) Entries() int {
	return len(e.Locals.List) + e.Conns.List.Len() + len(e.Inboxes.List) + (e.Conns.Queues.bytes()+e.Locals.bulk)/EntrySize
}

// Bytes is about the memory that the tables take.
func (e *Tables) Bytes() int {
	return EntrySize*(len(e.Locals.List)+len(e.Inboxes.List)) + e.Locals.bulk + e.Conns.bytes() + inboxItemSize*e.Inboxes.items
}
