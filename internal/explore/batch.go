package explore

import (
	"slices"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// Batch is edges that are looked up together, and what came of it.
type Batch struct {
	graph.Edges
	words   int
	parents []uint32 // states that the edges lead from, or trees of whole ones
	stride  int      // words of each
	ids     []uint32 // of these
	last    []uint32 // by parent: the end of its edges
	passed  []int    // by parent: edges up to its end that are not listed
	depth   int32    // of the states that edges lead to
	full    int      // so many parents are expanded for the first time
	root    bool     // there is one parent, which is no state
	final   bool     // the new states are as deep as any are to be: they are not expanded
	again   bool     // there is one parent, which was expanded before
	partial bool     // not all edges of the last parent are there, or an error was found behind them
	reduced []reducedState
	left    []uint32 // records of these
	handed  bool     // to the second worker, which is to read the edges, see reading
	unread  bool     // that is to be done, or could not be
	keeps   bool     // where edges lead is to be kept, see [Loop.keepRows]
	number  int      // of such a batch: what the first parent is expanded as
	by      []uint32 // likewise, by parent: see [graph.Edges]

	verified int // likewise: so many parents need no more than to be read

	keys    stateset.Keys // what is to be looked up
	fresh   []uint32      // edges that lead to new states, perhaps with the bit Again
	news    []newState
	vectors []uint32 // by fresh
	records []uint32 // by fresh, when not the same as vectors
	places  []uint32 // by key, of a pass or a batch that keeps
	held    []held   // parents of a pass whose rows are kept, ascending
	rows    []uint32 // these, one after the other
	edges   int      // how many there are, or were

	bytes, growth int  // of the set
	waits, due    bool // see [stateset.Deferred]
}

// newState is what is known of a new state but for what it is.
type newState struct {
	Origin
	until uint32 // edges up to the one that led to it, those that are not listed included
	by    uint32 // see [graph.Edges]
	lo    uint64
	note  uint8
}

// held is a row that is to be shown once those before it have been: rows may be let go of until then.
type held struct{ parent, words int } // in the batch, and in rows

// Found is a state that waits to be expanded.
type Found struct {
	Record    []uint32 // what is to be kept until then; valid until the next call
	From      uint32   // the state that it was found from, plus one; 0: it is a root
	EdgeIndex uint32   // which edge from there led to it
	Depth     int32    // steps from the start
	Again     bool     // it was met before, farther away
}

// Final reports whether the states do not wait to be expanded, as they are as deep as any are to be: all that is asked for of them is how they were found.
func (b *Batch) Final() bool { return b.final }

// Len is how many states wait to be expanded: mostly new ones.
func (b *Batch) Len() int { return len(b.fresh) }

// Found is one of these.
func (b *Batch) Found(k int) Found {
	n := &b.news[k]
	return Found{b.record(k), n.From, n.EdgeIndex, b.depth, b.fresh[k]&stateset.Again != 0}
}

func (b *Batch) record(k int) []uint32 {
	if b.records == nil {
		return b.vectors[k*b.words:][:b.words:b.words]
	}
	return b.records[2*k:][:2:2]
}

// begin is the first edge of a parent.
func (b *Batch) begin(parent int) int {
	if parent == 0 {
		return 0
	}
	return int(b.last[parent-1])
}

// build makes what is told of new states.
func (b *Batch) build(whole bool) {
	b.edges = b.All()
	parent := uint32(0)
	for _, name := range b.fresh {
		t := name &^ stateset.Again
		for t >= b.last[parent] {
			parent++
		}
		from := uint32(0)
		if !b.root {
			from = b.ids[parent] + 1
		}
		b.news = append(b.news, newState{Origin{from, b.EdgeIndexes[t]}, b.until(int(parent), t), b.Names[t], b.Lo[t], b.Notes[t]})
		b.vectors = b.To(int(t), b.parent(int(parent)), b.vectors)
		if whole {
			b.records = append(b.records, uint32(b.Lo[t]>>32), uint32(b.Lo[t]))
		}
	}
}

// until is how many edges of a batch there are up to one from a parent, those that are not listed included.
func (b *Batch) until(parent int, t uint32) uint32 {
	n := b.begin(parent) + int(b.EdgeIndexes[t]) + 1
	if parent > 0 {
		n += b.passed[parent-1]
	}
	return uint32(n)
}

func (b *Batch) reset() {
	b.Reset()
	if b.numbered() { // they may be those of the edges
		b.keys.Lo, b.keys.Hi = nil, nil
	}
	b.full, b.root, b.again, b.partial, b.handed, b.unread, b.keeps = 0, false, false, false, false, false, false
	b.by, b.verified = b.by[:0], 0
	b.parents, b.ids, b.last, b.passed = b.parents[:0], b.ids[:0], b.last[:0], b.passed[:0]
	b.reduced, b.left, b.held, b.rows = b.reduced[:0], b.left[:0], b.held[:0], b.rows[:0]
	b.fresh, b.news, b.vectors, b.places = b.fresh[:0], b.news[:0], b.vectors[:0], b.places[:0]
	if b.records != nil {
		b.records = b.records[:0]
	}
}

// numbered reports whether it is asked for the number of each state that an edge leads to.
func (b *Batch) numbered() bool { return b.keeps && b.Width == 0 }

// lacks reports whether some edges of a parent are not listed.
func (b *Batch) lacks(parent int) bool {
	if parent == 0 {
		return b.passed[0] > 0
	}
	return b.passed[parent] > b.passed[parent-1]
}

// enter adds a state whose edges come next.
func (b *Batch) enter(state []uint32, id uint32) {
	b.parents, b.ids = append(b.parents, state...), append(b.ids, id)
	b.By, b.EdgeIndex = 0, 0
}

// enterBare adds a state that is not looked at.
func (b *Batch) enterBare(id uint32) {
	b.parents = append(b.parents, make([]uint32, b.stride)...)
	b.enter(nil, id)
}

func (b *Batch) parent(k int) []uint32 { return b.parents[k*b.stride:][:b.words:b.words] }

// row are the edges of a parent.
func (b *Batch) row(k int) graph.Row {
	return graph.Row{Edges: &b.Edges, Begin: b.begin(k), End: int(b.last[k]), State: b.parent(k)}
}

// trees are those of the parents, see [stateset.Whole]; nil: they are no states.
func (b *Batch) trees() []uint32 {
	if b.root {
		return nil
	}
	return b.parents
}

// leave notes that all edges of the state that was entered last were added.
func (b *Batch) leave() {
	b.last, b.passed = append(b.last, uint32(len(b.Ends))), append(b.passed, b.Unlisted)
}

// named makes the keys those of all edges.
func (b *Batch) named() {
	n := len(b.Ends)
	b.keys.Names = slices.Grow(b.keys.Names[:0], n)[:n]
	for t := range b.keys.Names {
		b.keys.Names[t] = uint32(t)
	}
	b.keys.Lo, b.keys.Hi = b.Lo, b.Hi
}
