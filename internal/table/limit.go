package table

// DefaultLimit is how many entries the tables of a world hold before they are dropped, when no run is
// under way: local states, steps, and what is in flight between two nodes.
const DefaultLimit = 1 << 19

// entrySize is about the memory that an entry takes, all told.
const entrySize = 1 << 10

// bulkOf is what a local state takes beyond that: the checked code's own memory, copies of it, and each write that is not synced.
func bulkOf(l *local) int { return max(0, 4*len(l.enc)+128*l.state.Unsynced()-entrySize) }

func (e *tables) entries() int {
	return len(e.locals.list) + e.conns.list.len() + len(e.inboxes.list) + (e.conns.queues.bytes()+e.locals.bulk)/entrySize
}

// bytes is about the memory that the tables take.
func (e *tables) bytes() int {
	return entrySize*(len(e.locals.list)+len(e.inboxes.list)) + e.locals.bulk + e.conns.bytes() + inboxItemSize*e.inboxes.items
}
