package table

// DefaultLimit is how many entries the tables of a world hold before they are dropped, when no run is
// under way: local states, steps, and what is in flight between two nodes.
const DefaultLimit = 1 << 19

// entrySize is about the memory that an entry takes, all told.
const entrySize = 1 << 10

// bulkOf is what a local state takes beyond that: the checked code's own memory, copies of it, and each write that is not synced.
func bulkOf(l *local) int { return max(0, 4*len(l.enc)+128*l.state.Unsynced()-entrySize) }

// Limit changes the number of entries.
func (w *World) Limit(entries int) { w.most = entries }

// full reports whether the tables are to be dropped.
func (w *World) full() bool { return w.entries() > w.most }

func (e *engine) entries() int {
	return len(e.locals.list) + e.steps.leaves.len() + e.conns.list.len() + len(e.inboxes.list) + (e.conns.queues.bytes()+e.locals.bulk)/entrySize
}

// bytes is about the memory that the tables take.
func (e *engine) bytes() int {
	return entrySize*(len(e.locals.list)+e.steps.leaves.len()+len(e.inboxes.list)) + e.locals.bulk + e.conns.bytes() + inboxItemSize*e.inboxes.items
}
