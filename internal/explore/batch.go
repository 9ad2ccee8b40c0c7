package explore

import (
	"slices"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// Batch is a group of edges that are looked up together, with the results of the look-up. Its fields are columns by
// parent, by key and by new state, whose memory the next batch reuses.
type Batch struct {
	graph.Edges
	words   int
	parents []uint32 // states that the edges lead from, or trees of whole states
	stride  int      // words of each parent
	ids     []uint32 // of the parents
	last    []uint32 // by parent: the end of its edges
	passed  []int    // by parent: unlisted edges up to its end
	depth   int32    // of the states that edges lead to
	full    int      // number of parents expanded for the first time
	root    bool     // the only parent is not a state, and the edges lead to roots
	final   bool     // the new states are at the maximum depth and are not expanded
	again   bool     // the only parent was expanded before
	partial bool     // edges of the last parent are missing, or an error was found after them
	reduced []reducedState
	left    []uint32 // records of the reduced states
	handed  bool     // handed to the second worker, which reads the edges, see reading
	unread  bool     // edges are still to be read, or could not be read
	keeps   bool     // the targets of edges are to be kept, see [Loop.keepRows]
	number  int      // for a handed batch: the expansion number of the first parent
	by      []uint32 // for a handed batch, by parent: see [graph.Edges]

	verified int // for a handed batch: the number of parents that need only be read

	keys    stateset.Keys // the keys to look up
	fresh   []uint32      // edges that lead to new states, perhaps with the bit Again
	news    []newState
	vectors []uint32 // by fresh
	records []uint32 // by fresh, if different from vectors
	places  []uint32 // by key, for a pass or for a batch that keeps targets
	held    []held   // parents of a pass with kept rows, ascending
	rows    []uint32 // the rows of these parents, concatenated
	edges   int      // the number of edges, also after they were reset

	bytes, growth int  // of the visited set
	waits, due    bool // see [stateset.Deferred]
}

// newState describes a new state, without its vector.
type newState struct {
	Origin
	until uint32 // edges up to the one that led to it, including unlisted ones
	by    uint32 // see [graph.Edges]
	lo    uint64
	note  uint8
}

// held is a row to be shown after those before it. Rows may be dropped until then.
type held struct{ parent, words int } // in the batch, and in rows

// Found is a state that waits to be expanded.
type Found struct {
	Record    []uint32 // the content to keep until then; valid until the next call
	From      uint32   // the state that it was found from, plus one; 0 for a root
	EdgeIndex uint32   // index of the edge that led to it
	Depth     int32    // steps from the start
	Again     bool     // it was found before, farther from the start
}

// Final reports whether the states are at the maximum depth. Such states are not expanded, and a frontier records only
// how they were found.
func (b *Batch) Final() bool { return b.final }

// Len returns the number of states to be expanded. Most of them are new.
func (b *Batch) Len() int { return len(b.fresh) }

// Found returns one of these states.
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

// begin returns the index of the first edge of a parent.
func (b *Batch) begin(parent int) int {
	if parent == 0 {
		return 0
	}
	return int(b.last[parent-1])
}

// build fills in the new states.
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

// until returns the number of edges of a batch up to one from a parent, including unlisted edges.
func (b *Batch) until(parent int, t uint32) uint32 {
	n := b.begin(parent) + int(b.EdgeIndexes[t]) + 1
	if parent > 0 {
		n += b.passed[parent-1]
	}
	return uint32(n)
}

func (b *Batch) reset() {
	b.Reset()
	if b.numbered() { // they may share memory with the edges
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

// numbered reports whether the number of each state that an edge leads to is needed.
func (b *Batch) numbered() bool { return b.keeps && b.Width == 0 }

// lacks reports whether some edges of a parent are unlisted.
func (b *Batch) lacks(parent int) bool {
	if parent == 0 {
		return b.passed[0] > 0
	}
	return b.passed[parent] > b.passed[parent-1]
}

// enter adds a state, to be followed by its edges.
func (b *Batch) enter(state []uint32, id uint32) {
	b.parents, b.ids = append(b.parents, state...), append(b.ids, id)
	b.By, b.EdgeIndex = 0, 0
}

// enterBare adds a state without its vector.
func (b *Batch) enterBare(id uint32) {
	b.parents = append(b.parents, make([]uint32, b.stride)...)
	b.enter(nil, id)
}

func (b *Batch) parent(k int) []uint32 { return b.parents[k*b.stride:][:b.words:b.words] }

// row returns the edges of a parent.
func (b *Batch) row(k int) graph.Row {
	return graph.Row{Edges: &b.Edges, Begin: b.begin(k), End: int(b.last[k]), State: b.parent(k)}
}

// trees returns the trees of the parents, see [stateset.Whole], or nil if the parent is not a state.
func (b *Batch) trees() []uint32 {
	if b.root {
		return nil
	}
	return b.parents
}

// leave ends the edges of the state entered last.
func (b *Batch) leave() {
	b.last, b.passed = append(b.last, uint32(len(b.Ends))), append(b.passed, b.Unlisted)
}

// named makes the keys of all edges the keys to look up.
func (b *Batch) named() {
	n := len(b.Ends)
	b.keys.Edges = slices.Grow(b.keys.Edges[:0], n)[:n]
	for t := range b.keys.Edges {
		b.keys.Edges[t] = uint32(t)
	}
	b.keys.Lo, b.keys.Hi = b.Lo, b.Hi
}

func (l *Loop) newBatch() *Batch {
	b := &Batch{words: l.graph.Words()}
	b.Width = l.visited.Width()
	b.stride = b.words
	if l.whole != nil {
		b.records, b.stride = []uint32{}, l.whole.Size()
	}
	return b
}
