package netmodel

import "slices"

// Blocks is a list of events in blocks: one per node, and a last one of events without a node. A block is listed again only after it may
// have changed.
type Blocks struct {
	Events []Event
	Stale  []int32 // blocks to list again, in the order in which they were marked
	marked []bool  // by block: it is in Stale
	begin  []int32 // block i is Events[begin[i]:begin[i+1]]
}

// NewBlocks returns empty blocks for a number of nodes.
func NewBlocks(nodes int) Blocks {
	return Blocks{marked: make([]bool, nodes+1), begin: make([]int32, nodes+2)}
}

// Mark marks a block for listing again.
func (b *Blocks) Mark(block int) {
	if !b.marked[block] {
		b.marked[block] = true
		b.Stale = append(b.Stale, int32(block))
	}
}

// MarkAll marks all blocks.
func (b *Blocks) MarkAll() {
	for i := range b.marked {
		b.Mark(i)
	}
}

// Marked reports whether a block is marked.
func (b *Blocks) Marked(block int) bool { return b.marked[block] }

// Unmark unmarks all blocks after they were listed again.
func (b *Blocks) Unmark() {
	for _, block := range b.Stale {
		b.marked[block] = false
	}
	b.Stale = b.Stale[:0]
}

// Clear removes all events and marks.
func (b *Blocks) Clear() {
	b.Events, b.Stale = b.Events[:0], b.Stale[:0]
	clear(b.marked)
	clear(b.begin)
}

// Replace replaces the events of a block but its first ones.
func (b *Blocks) Replace(block, keep int, by []Event) {
	first, end := int(b.begin[block])+keep, int(b.begin[block+1])
	if grow := len(by) - (end - first); grow != 0 {
		if grow > 0 {
			b.Events = slices.Grow(b.Events, grow)
		}
		old := b.Events
		b.Events = b.Events[:len(old)+grow]
		copy(b.Events[end+grow:], old[end:])
		for i := block + 1; i < len(b.begin); i++ {
			b.begin[i] += int32(grow)
		}
	}
	copy(b.Events[first:], by)
}
