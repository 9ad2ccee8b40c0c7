package explore

import (
	"fmt"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// Parts explores some of the parts that the states of a graph are in. A state belongs to a part by its fingerprint, or by what some words add to that, its
// cut, so that each process of several finds for itself where a state is to be looked up. Whoever has a part keeps its states in the order in which they were accepted.
//
// It is the step that a [Loop] takes, without its order: what comes next is said from outside, and what belongs to others is handed over.
// All states of a level must be accepted before one of the next is expanded, and all of them be expanded in the end: then edges may
// sleep, see [Edges.By].
type Parts struct {
	graph     graph.Graph
	kind      stateset.Kind
	cut       []bool // by word; nil: all
	shares    Sharer
	own       []*part // by part; nil: another has it
	width     int
	words     int
	recent    stateset.HotCache
	sent      []uint64 // fingerprints, by their last bits, of states that were told elsewhere lately; 0: none
	batch     *Batch
	keys      []stateset.Keys // scratch, by part
	fresh     []uint32
	met       graph.FoundState
	accepted  int
	expanded  int
	elsewhere func(part int, state []uint32, from Source)

	// Mark is told of which state the steps are taken next, or what they lead to is checked: the graph may not return. Nil: nobody is told.
	Mark func(part, number uint32)
}

// Source is where a state was found.
type Source struct {
	Part      uint32
	Number    uint32 // in that part; [stateset.NoPlace]: nowhere, it is a root
	EdgeIndex uint32 // by which edge from there, or which root
	By        uint32 // name of that edge, see [graph.Edges]: it must mean the same wherever the state goes
	Note      uint8  // of the edge
}

// part is one that is explored here.
type part struct {
	set     stateset.Visited
	first   int      // the states before need not be expanded again
	vectors []uint32 // of those from there on
	sources []Source
	next    int // to be expanded
	edges   int // from the states that were expanded since it was rewound
}

// FoundError is a finding about the state that an edge leads to, or, AtEdge, about one of those behind the edges of a state that are listed.
type FoundError struct {
	Source
	AtEdge bool
	Err    error
}

func (e *FoundError) Error() string { return e.Err.Error() }
func (e *FoundError) Unwrap() error { return e.Err }

// Sharer is a graph whose fingerprints are sums of what their words add.
type Sharer interface {
	graph.Graph
	// Share is what a word adds to the first half of a fingerprint.
	Share(word int, value uint32) uint64
}

// NewParts makes an exploration of a graph in so many parts, none of which it has; cut: the words by which states are in parts, none: by all. States are told apart by fingerprints. What is found in the
// expansion of a state and belongs to a part that it has not is told to elsewhere: the state is valid until it returns.
func NewParts(g graph.Graph, kind stateset.Kind, parts int, cut []int, elsewhere func(part int, state []uint32, from Source)) (*Parts, error) {
	set := kind.New(g)
	width := set.Width()
	set.Close()
	if width == 0 {
		return nil, fmt.Errorf("explore: visited set %q is not one of fingerprints, by which states are in parts", kind.Name)
	}
	p := &Parts{graph: g, kind: kind, width: width, words: g.Words(), own: make([]*part, parts), keys: make([]stateset.Keys, parts), elsewhere: elsewhere}
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

// Of is the part of a state.
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

// PartBy is the part, of so many, by a hash. Sets take the high bits of fingerprints.
func PartBy(hash uint64, parts int) int { return int(uint64(uint32(hash)) * uint64(parts) >> 32) }

// Has reports whether it has a part.
func (p *Parts) Has(part int) bool { return p.own[part] != nil }

// Take makes it have a part, without any states.
func (p *Parts) Take(i int) { p.own[i] = &part{set: p.kind.New(p.graph)} }

// Drop makes it not have a part.
func (p *Parts) Drop(i int) {
	if p.own[i] != nil {
		p.own[i].set.Close()
		p.own[i] = nil
	}
}

// Len is how many states a part has, and Next how many of them were expanded, with how many edges since it was rewound.
func (p *Parts) Len(i int) int { return p.own[i].first + len(p.own[i].sources) }

func (p *Parts) Next(i int) (next, edges int) { return p.own[i].next, p.own[i].edges }

// Rewind makes a state the one of a part that is expanded next, and lets go of those before. It must not be one that was let go of.
func (p *Parts) Rewind(i, next int) {
	o := p.own[i]
	if n := next - o.first; n > 0 {
		o.vectors = append(o.vectors[:0], o.vectors[n*p.words:]...)
		o.sources = append(o.sources[:0], o.sources[n:]...)
		o.first = next
	}
	o.next, o.edges = next, 0
}

// Recount makes edges of a part count anew.
func (p *Parts) Recount(i int) { p.own[i].edges = 0 }

// Held is the first state of a part that was not let go of.
func (p *Parts) Held(i int) int { return p.own[i].first }

// State is one that was not let go of, and where it was found. It is valid until the next call that accepts any.
func (p *Parts) State(i, number int) ([]uint32, Source) {
	o := p.own[i]
	n := number - o.first
	return o.vectors[n*p.words:][:p.words:p.words], o.sources[n]
}

// Bytes is about the memory that is taken, that of the graph included.
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

// Forget forgets what was come to lately: it is told elsewhere again.
func (p *Parts) Forget() {
	p.recent.Forget()
	clear(p.sent)
}

// Restore adds a state that was accepted before, which must be a new one of its part.
func (p *Parts) Restore(i int, state []uint32, from Source) error {
	f := p.graph.Fingerprint(state)
	if of := p.Of(state); of != i {
		return fmt.Errorf("a state of part %d is said to be of part %d", of, i)
	}
	k := stateset.Keys{Names: []uint32{0}, Lo: []uint64{f.Lo}}
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

// Expand expands the states of all parts that it has before until, or, when it is asked to stop, fewer. The error is a [*FoundError], or
// what else makes it impossible to go on.
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
				if found := p.settle(i); found != nil {
					return found
				}
				return &FoundError{Source: Source{Part: uint32(i), Number: uint32(o.next)}, AtEdge: true, Err: err}
			}
			o.next++
			if len(b.Ends) < gathered && o.next < until[i] {
				continue
			}
			if err := p.settle(i); err != nil {
				return err
			}
			if stop() {
				return nil
			}
		}
	}
	return nil
}

// settle looks up what was gathered from states of a part.
func (p *Parts) settle(i int) error {
	b := p.batch
	defer b.reset()
	p.own[i].edges += b.All()
	p.recent.Sift(&b.Edges, &b.keys)
	parent := 0
	for k, name := range b.keys.Names {
		for name >= b.last[parent] {
			parent++
		}
		at := i // where a state is whose words of the cut are those of its parent
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

// source is where an edge from a state of a part leads from.
func (b *Batch) source(part, parent int, name uint32) Source {
	return Source{uint32(part), b.ids[parent], b.EdgeIndexes[name], b.Names[name], b.Notes[name]}
}

// sentLately is how many fingerprints are kept of what was told elsewhere. To look there is cheaper than to tell it again.
const sentLately = 1 << 20

// wasSent reports whether a state was told elsewhere lately, and notes that it is.
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

// Arrive looks up states that were found elsewhere, and belong to parts that it has.
func (p *Parts) Arrive(states []uint32, from []Source) error {
	for k := range from {
		state := states[k*p.words:][:p.words]
		f := p.graph.Fingerprint(state)
		at := PartBy(f.Lo, len(p.own))
		if p.cut != nil {
			at = p.ofCut(state)
		}
		if p.own[at] == nil {
			return fmt.Errorf("a state of part %d came to where that is not", at)
		}
		p.key(at, uint32(k), f.Lo, []uint64{f.Hi}, 0)
	}
	return p.accept(func(name uint32, _ *int) ([]uint32, Source) { return states[int(name)*p.words:][:p.words], from[name] })
}

// key has a state of a part looked up.
func (p *Parts) key(part int, name uint32, lo uint64, hi []uint64, k int) {
	keys := &p.keys[part]
	keys.Names, keys.Lo = append(keys.Names, name), append(keys.Lo, lo)
	if p.width == 2 {
		keys.Hi = append(keys.Hi, hi[k])
	}
}

// accept looks up all keys, and has what is new checked.
func (p *Parts) accept(stateOf func(name uint32, parent *int) ([]uint32, Source)) (err error) {
	for i, o := range p.own {
		keys := &p.keys[i]
		if len(keys.Names) == 0 {
			continue
		}
		p.fresh = o.set.AddAll(keys, p.fresh[:0])
		keys.Names, keys.Lo, keys.Hi = keys.Names[:0], keys.Lo[:0], keys.Hi[:0]
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

// check has a new state checked.
func (p *Parts) check(state []uint32, note uint8) error {
	p.met = graph.FoundState{State: state, Number: p.accepted, Note: note}
	p.accepted++
	_, err := p.graph.Check(&p.met)
	return err
}
