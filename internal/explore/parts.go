package explore

import (
	"fmt"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// Parts explores some of the parts of a graph's states. The part of a state is a function of its fingerprint, or of the
// contributions of some words (its cut) to it. Each of several processes can therefore determine where a state is to be
// looked up. The owner of a part keeps its states in the order in which they were accepted.
//
// Parts takes the same step as a [Loop], without its order: the caller selects the next states, and states of foreign
// parts are handed over. All states of a level must be accepted before one of the next is expanded, and all must be
// expanded in the end. Then edges may sleep, see [graph.Edges.By]. The fields of Parts are those of a step, as in a
// Loop, and those that divide states into parts.
type Parts struct {
	graph     graph.Graph
	kind      stateset.Kind
	cut       []bool // by word; nil means all words
	shares    Sharer
	own       []*part // by part; nil if another process has it
	width     int
	words     int
	recent    stateset.HotCache
	sent      []uint64 // fingerprints recently sent elsewhere, indexed by their last bits; 0 is free
	batch     *Batch
	keys      []stateset.Keys // scratch, by part
	fresh     []uint32
	met       graph.FoundState
	accepted  int
	expanded  int
	elsewhere func(part int, state []uint32, from Source)

	// Mark, if non-nil, is called before the steps of a state are taken, or their targets are checked, since the graph
	// may not return.
	Mark func(part, number uint32)
}

// Source is the edge by which a state was found.
type Source struct {
	Part      uint32
	Number    uint32 // in that part; [stateset.NoPlace] for a root
	EdgeIndex uint32 // index of the edge from there, or of the root
	By        uint32 // name of that edge, see [graph.Edges]: it must mean the same in every process
	Note      uint8  // of the edge
}

// part is a part that is explored here.
type part struct {
	set     stateset.Visited
	first   int      // states before it need not be expanded again
	vectors []uint32 // of the states from first on
	sources []Source
	next    int // the next state to be expanded
	edges   int // from the states expanded since the last rewind
}

// FoundError is a finding about the state that an edge leads to. With AtEdge it is about an edge after the listed ones
// of a state.
type FoundError struct {
	Source
	AtEdge bool
	Err    error
}

func (e *FoundError) Error() string { return e.Err.Error() }
func (e *FoundError) Unwrap() error { return e.Err }

// Sharer is a graph with fingerprints that are sums over the words of a state.
type Sharer interface {
	graph.Graph
	// Share returns the contribution of a word to the first half of a fingerprint.
	Share(word int, value uint32) uint64
}

// NewParts makes an exploration of a graph whose states are divided into parts. It owns no part yet. cut lists the words
// that determine the part of a state. An empty cut means all words. Fingerprints identify states. elsewhere receives the
// states found for parts of other owners. A state is valid until elsewhere returns.
func NewParts(
	g graph.Graph, kind stateset.Kind, parts int, cut []int, elsewhere func(part int, state []uint32, from Source),
) (*Parts, error) {
	set := kind.New(g)
	width := set.Width()
	set.Close()
	if width == 0 {
		return nil, fmt.Errorf("explore: visited set %q is not one of fingerprints, by which states are in parts", kind.Name)
	}
	p := &Parts{graph: g, kind: kind, width: width, words: g.Words(), own: make([]*part, parts),
		keys: make([]stateset.Keys, parts), elsewhere: elsewhere}
	if len(cut) > 0 {
		p.shares, p.cut = g.(Sharer), make([]bool, p.words)
		for _, w := range cut {
			if w < 0 || w >= p.words {
				return nil, fmt.Errorf("explore: states have no word %d", w)
			}
			p.cut[w] = true
		}
	}
	p.recent.Init(width)
	p.sent = make([]uint64, width*sentLately)
	p.batch = &Batch{words: p.words, stride: p.words}
	p.batch.Width = width
	return p, nil
}

// Of returns the part of a state.
func (p *Parts) Of(state []uint32) int {
	if p.cut == nil {
		return PartBy(p.graph.Fingerprint(state).Lo, len(p.own))
	}
	return p.ofCut(state)
}

func (p *Parts) ofCut(state []uint32) int {
	sum := uint64(0)
	for w, in := range p.cut {
		if in {
			sum += p.shares.Share(w, state[w])
		}
	}
	return PartBy(sum, len(p.own))
}

// PartBy returns the part of a hash. It uses the low bits, because sets use the high bits of fingerprints.
func PartBy(hash uint64, parts int) int { return int(uint64(uint32(hash)) * uint64(parts) >> 32) }

// Has reports whether it owns a part.
func (p *Parts) Has(part int) bool { return p.own[part] != nil }

// Take adds a part, without any states.
func (p *Parts) Take(i int) { p.own[i] = &part{set: p.kind.New(p.graph)} }

// Drop removes a part.
func (p *Parts) Drop(i int) {
	if p.own[i] != nil {
		p.own[i].set.Close()
		p.own[i] = nil
	}
}

// Len returns the number of states of a part. Next returns the number of expanded ones, and of their edges since the
// last rewind.
func (p *Parts) Len(i int) int { return p.own[i].first + len(p.own[i].sources) }

func (p *Parts) Next(i int) (next, edges int) { return p.own[i].next, p.own[i].edges }

// Rewind makes a state the next one of a part to be expanded, and drops those before. The state must not have been
// dropped.
func (p *Parts) Rewind(i, next int) {
	o := p.own[i]
	if n := next - o.first; n > 0 {
		o.vectors = append(o.vectors[:0], o.vectors[n*p.words:]...)
		o.sources = append(o.sources[:0], o.sources[n:]...)
		o.first = next
	}
	o.next, o.edges = next, 0
}

// Recount resets the edge counter of a part.
func (p *Parts) Recount(i int) { p.own[i].edges = 0 }

// Held returns the number of the first state of a part that was not dropped.
func (p *Parts) Held(i int) int { return p.own[i].first }

// State returns a state that was not dropped, and its source. It is valid until the next call that accepts states.
func (p *Parts) State(i, number int) ([]uint32, Source) {
	o := p.own[i]
	n := number - o.first
	return o.vectors[n*p.words:][:p.words:p.words], o.sources[n]
}

// Bytes returns the approximate memory in use, including that of the graph.
func (p *Parts) Bytes() int {
	n := p.graph.Bytes() + p.batch.Bytes()
	for _, o := range p.own {
		if o != nil {
			now, growth := o.set.Bytes()
			n += now + growth + 4*cap(o.vectors) + 20*cap(o.sources)
		}
	}
	return n
}

// Forget clears the caches of recent states, so that they are sent elsewhere again.
func (p *Parts) Forget() {
	p.recent.Forget()
	clear(p.sent)
}

// Restore adds a state that was accepted before. It must be new in its part.
func (p *Parts) Restore(i int, state []uint32, from Source) error {
	f := p.graph.Fingerprint(state)
	if of := p.Of(state); of != i {
		return fmt.Errorf("a state of part %d is said to be of part %d", of, i)
	}
	k := stateset.Keys{Edges: []uint32{0}, Lo: []uint64{f.Lo}}
	if p.width == 2 {
		k.Hi = []uint64{f.Hi}
	}
	if p.fresh = p.own[i].set.AddAll(&k, p.fresh[:0]); len(p.fresh) == 0 {
		return fmt.Errorf("state %d of part %d is there twice", p.Len(i), i)
	}
	p.own[i].push(state, from)
	return nil
}

func (o *part) push(state []uint32, from Source) {
	o.vectors = append(o.vectors, state...)
	o.sources = append(o.sources, from)
}

// Expand expands the states of all owned parts before until, or fewer if stop returns true. The error is a
// [*FoundError], or an error that prevents the exploration from continuing.
func (p *Parts) Expand(until []int, stop func() bool) error {
	b := p.batch
	for i, o := range p.own {
		for o != nil && o.next < until[i] {
			state, from := p.State(i, o.next)
			b.enter(state, uint32(o.next))
			b.By = from.By
			if p.Mark != nil {
				p.Mark(uint32(i), uint32(o.next))
			}
			err := p.graph.Expand(b.parents[len(b.parents)-p.words:], p.expanded, &b.Edges)
			b.leave()
			p.expanded++
			if err != nil {
				if found := p.flush(i); found != nil {
					return found
				}
				return &FoundError{Source: Source{Part: uint32(i), Number: uint32(o.next)}, AtEdge: true, Err: err}
			}
			o.next++
			if len(b.Ends) < gathered && o.next < until[i] {
				continue
			}
			if err := p.flush(i); err != nil {
				return err
			}
			if stop() {
				return nil
			}
		}
	}
	return nil
}

// flush looks up the edges gathered from states of a part.
func (p *Parts) flush(i int) error {
	b := p.batch
	defer b.reset()
	p.own[i].edges += b.All()
	p.recent.Sift(&b.Edges, &b.keys)
	parent := 0
	for k, name := range b.keys.Edges {
		for name >= b.last[parent] {
			parent++
		}
		at := i // part of a state with the same cut as its parent
		if p.cut == nil {
			at = PartBy(b.keys.Lo[k], len(p.own))
		} else if p.leaves(b, name) {
			b.vectors = b.To(int(name), b.parents[parent*p.words:][:p.words], b.vectors[:0])
			at = p.ofCut(b.vectors)
		}
		if p.own[at] == nil {
			if p.wasSent(&b.keys, k) {
				continue
			}
			b.vectors = b.To(int(name), b.parents[parent*p.words:][:p.words], b.vectors[:0])
			p.elsewhere(at, b.vectors, b.source(i, parent, name))
			continue
		}
		p.key(at, name, b.keys.Lo[k], b.keys.Hi, k)
	}
	return p.accept(func(name uint32, parent *int) ([]uint32, Source) {
		for name >= b.last[*parent] {
			*parent++
		}
		b.vectors = b.To(int(name), b.parents[*parent*p.words:][:p.words], b.vectors[:0])
		return b.vectors, b.source(i, *parent, name)
	})
}

// leaves reports whether an edge changes the cut.
func (p *Parts) leaves(b *Batch, name uint32) bool {
	for _, change := range b.Changed(int(name)) {
		if p.cut[change>>32] {
			return true
		}
	}
	return false
}

// source returns the source of an edge from a state of a part.
func (b *Batch) source(part, parent int, name uint32) Source {
	return Source{uint32(part), b.ids[parent], b.EdgeIndexes[name], b.Names[name], b.Notes[name]}
}

// sentLately is the number of cached fingerprints of sent states. A look-up is cheaper than sending a state again.
const sentLately = 1 << 20

// wasSent reports whether a state was recently sent elsewhere, and records it as sent.
func (p *Parts) wasSent(keys *stateset.Keys, k int) bool {
	lo, hi := keys.Lo[k], uint64(0)
	if lo == 0 {
		return false
	}
	at := p.sent[int(lo%sentLately)*p.width:][:p.width]
	same := at[0] == lo
	if at[0] = lo; p.width == 2 {
		hi = keys.Hi[k]
		same = same && at[1] == hi
		at[1] = hi
	}
	return same
}

// Arrive looks up states that were found elsewhere and belong to owned parts.
func (p *Parts) Arrive(states []uint32, from []Source) error {
	for k := range from {
		state := states[k*p.words:][:p.words]
		f := p.graph.Fingerprint(state)
		at := PartBy(f.Lo, len(p.own))
		if p.cut != nil {
			at = p.ofCut(state)
		}
		if p.own[at] == nil {
			return fmt.Errorf("a state of part %d arrived at a process without that part", at)
		}
		p.key(at, uint32(k), f.Lo, []uint64{f.Hi}, 0)
	}
	return p.accept(func(name uint32, _ *int) ([]uint32, Source) { return states[int(name)*p.words:][:p.words], from[name] })
}

// key queues a state of a part for look-up.
func (p *Parts) key(part int, name uint32, lo uint64, hi []uint64, k int) {
	keys := &p.keys[part]
	keys.Edges, keys.Lo = append(keys.Edges, name), append(keys.Lo, lo)
	if p.width == 2 {
		keys.Hi = append(keys.Hi, hi[k])
	}
}

// accept looks up all keys, and checks the new states.
func (p *Parts) accept(stateOf func(name uint32, parent *int) ([]uint32, Source)) (err error) {
	for i, o := range p.own {
		keys := &p.keys[i]
		if len(keys.Edges) == 0 {
			continue
		}
		p.fresh = o.set.AddAll(keys, p.fresh[:0])
		keys.Edges, keys.Lo, keys.Hi = keys.Edges[:0], keys.Lo[:0], keys.Hi[:0]
		parent := 0
		for _, name := range p.fresh {
			state, from := stateOf(name, &parent)
			o.push(state, from)
			if p.Mark != nil {
				p.Mark(from.Part, from.Number)
			}
			if e := p.check(state, from.Note); e != nil && err == nil {
				err = &FoundError{Source: from, Err: e}
			}
		}
	}
	return err
}

// check checks a new state.
func (p *Parts) check(state []uint32, note uint8) error {
	p.met = graph.FoundState{State: state, Number: p.accepted, Note: note}
	p.accepted++
	_, err := p.graph.Check(&p.met)
	return err
}
