package fairness

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/fair"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Fairness is the result of the search for fair cycles.
type Fairness struct {
	Judged bool   // all obligations were judged
	Why    string // why not all were judged, or ""
	// Hot counts the states with an open obligation, by the names of [sim.System.Obligations].
	Hot []HotStates
	// Expansions is the number of expansions that trimmed the state space. Left is the number of states that
	// remained.
	Expansions, Left int
	Starvation       *Starvation // nil if none was found
}

// HotStates counts states in which a monitor is hot or an Inevitably property does not hold.
type HotStates struct {
	Name   string
	States int
}

// FairCycles finds fair infinite runs with an open obligation. It first trims states without open obligations, and
// states from which every run ends or reaches one of those. This takes one bit for each state. The edges of the
// remaining states are stored.
type FairCycles struct {
	g        *statespace.Graph
	reduced  bool // a reduction left out steps
	Compared int  // see labels
	sources  []source
	out      Fairness
	builder  *Builder // of the source under analysis, or nil
	near     uint32   // first state of the cycle in out.Starvation
}

// unvisited is the reason until all states were visited.
const unvisited = "not all states were visited"

// source is a monitor or an Inevitably property.
type source struct {
	name     string
	monitor  int // -1 for a property
	property int
	owes     stateSet
	hot      int // states
}

// NewFairCycles returns the analysis for a system, or nil if it has no obligations.
func NewFairCycles(g *statespace.Graph, reduced bool) *FairCycles {
	f := &FairCycles{g: g, reduced: reduced, Compared: compared}
	names := g.World.Sys.Obligations()
	for i := range g.World.Sys.Monitors {
		m := g.World.Monitors.List[g.World.Monitors.First[i]].State
		if o, ok := m.(sim.Obliged); ok && o.Obliges() {
			f.sources = append(f.sources, source{name: names[len(f.sources)], monitor: i})
		}
	}
	for i := range g.World.Properties.Inevitably {
		f.sources = append(f.sources, source{name: names[len(f.sources)], monitor: -1, property: i})
	}
	if len(f.sources) == 0 {
		return nil
	}
	f.out.Why = unvisited
	return f
}

// Visit implements [explore.Analysis].
func (f *FairCycles) Visit(id uint32, _ bool, _ uint8) error {
	g := f.g
	for k := range f.sources {
		src := &f.sources[k]
		owes, hot := false, false
		switch {
		case g.Found.Barred:
		case src.monitor >= 0:
			list := g.World.Monitors.List[g.Found.State[g.Configs.Monitors+src.monitor]].Owes
			owes, hot = len(list) > 0, slices.ContainsFunc(list, func(o store.Owed) bool { return o.Hot })
		default:
			owes = !g.Holds[src.property]
			hot = owes
		}
		src.owes.add(id, owes)
		if hot {
			src.hot++
		}
	}
	return nil
}

// NeedsEdges implements [explore.Analysis].
func (f *FairCycles) NeedsEdges(id uint32) bool {
	return !f.reduced && slices.ContainsFunc(f.sources, func(src source) bool { return src.owes.has(id) })
}

// Names implements [explore.Namer]: edges are labelled by their transitions.
func (f *FairCycles) Names() bool { return !f.reduced }

// Bytes implements [explore.Analysis].
func (f *FairCycles) Bytes() int {
	n := 0
	for k := range f.sources {
		n += 8 * len(f.sources[k].owes)
	}
	if b := f.builder; b != nil {
		n += b.Edges.Bytes() + b.labels.bytes() + 4*cap(b.ids) + 8*len(b.left) + 4*len(b.ranks)
	}
	return n
}

// Analyze implements [explore.Analysis]. Nothing is judged after a reduction, a sampled draw, spilling or an incomplete visit: random walks
// can only find violations then.
func (f *FairCycles) Analyze(ctx context.Context, s *explore.Space) error {
	switch {
	case f.reduced:
		f.out.Why = "steps were left out by a reduction, which need not keep fair runs"
		return nil
	case len(f.g.Sampled()) > 0:
		f.out.Why = "answers of a draw were sampled"
		return nil
	}
	for k := range f.sources {
		err := f.findCycles(ctx, s, &f.sources[k])
		switch {
		case errors.Is(err, explore.ErrLimit) && ctx.Err() != nil:
			f.out.Why = "the time limit was reached"
		case errors.Is(err, explore.ErrLimit):
			f.out.Why = "the memory did not suffice"
		case errors.Is(err, fair.ErrTooLarge):
			f.out.Why = "there are too many processes or steps"
		case errors.Is(err, errCollision):
			f.out.Why = "states with equal fingerprints were taken for one"
		case err != nil:
			return err
		default:
			continue
		}
		return nil
	}
	f.out.Judged, f.out.Why = true, ""
	return nil
}

// Result returns the fairness result of an exploration.
func (f *FairCycles) Result(r *explore.Result, late bool) *Fairness {
	for k := range f.sources {
		f.out.Hot = append(f.out.Hot, HotStates{f.sources[k].name, f.sources[k].hot})
	}
	switch {
	case f.out.Judged || !r.Complete:
	case r.Spilled:
		f.out.Why = "states were on disk for want of memory"
	case f.out.Why == unvisited && late:
		f.out.Why = "the time limit was reached"
	case f.out.Why == unvisited: // the analysis did not run
		f.out.Why = "the memory did not suffice"
	}
	return &f.out
}

func (f *FairCycles) findCycles(ctx context.Context, s *explore.Space, src *source) error {
	left := slices.Clone(src.owes)
	edges, err := f.trim(ctx, s, left)
	if err != nil {
		return err
	}
	b := newBuilder(f.g, src, f.Compared)
	for id := range s.Len() {
		if left.has(id) {
			b.ids = append(b.ids, id)
		}
	}
	if err := s.Reserve(fair.Bytes(left.count(), edges)); err != nil {
		return err
	}
	f.out.Left = max(f.out.Left, len(b.ids))
	b.left, b.ranks = left, left.ranks()
	b.Edges.Grow(len(b.ids), edges)
	f.builder = b
	defer func() { f.builder = nil }()
	if err := b.build(ctx, s); err != nil {
		return err
	}
	for _, id := range b.obligations() {
		c := b.Edges.Find(b.marksOf(id), nil)
		if c == nil {
			continue
		}
		l := c.Lasso()
		if at := b.ids[l.Start]; f.out.Starvation == nil || at < f.near {
			found, err := b.describe(s, id, l, false)
			if err != nil {
				return err
			}
			f.near, f.out.Starvation = at, found
		}
	}
	return nil
}

// trim removes states from which every run leaves the set, until a round removes few. It returns the number of
// edges of the rest.
func (f *FairCycles) trim(ctx context.Context, s *explore.Space, left stateSet) (edges int, err error) {
	processes := NewProcesses(f.g.World.Engine)
	for count := left.count(); count > 0; {
		dropped := 0
		edges = 0
		err := s.Pass(ctx, true, left.has, func(id uint32, row explore.StateEdges, to []uint32) {
			f.out.Expansions++
			stays := slices.ContainsFunc(to, func(id uint32) bool { return id != stateset.NoPlace && left.has(id) })
			if !stays && !mayStutter(f.g, row.From(), processes) {
				left.drop(id)
				dropped++
				return
			}
			edges += len(to)
		})
		if err != nil || dropped*few <= count {
			return edges, err
		}
		count -= dropped
	}
	return edges, nil
}

// few is the inverse fraction of states that a round of trimming must remove for another round.
const few = 8

// mayStutter reports whether a run may stay in a state forever: no enabled event is promised to happen.
func mayStutter(g *statespace.Graph, state []uint32, p *processes) bool {
	g.Configs.Unpack(state, g.Vector)
	g.World.Restore(g.Vector)
	g.Events = g.World.AllEvents(g.Events[:0])
	return !slices.ContainsFunc(g.Events, func(ev netmodel.Event) bool {
		f, ok := p.fairness(g.World, ev)
		return ok && f != fair.None
	})
}

// marksOf returns the marks for one obligation.
func (b *Builder) marksOf(id uint32) []fair.Mark {
	out := make([]fair.Mark, len(b.marks.List))
	for i, list := range b.marks.List {
		k, ok := slices.BinarySearchFunc(list, id, func(o store.Owed, id uint32) int { return cmp.Compare(o.ID, id) })
		switch {
		case !ok:
			out[i] = fair.Cold
		case list[k].Hot:
			out[i] = fair.Hot
		}
	}
	return out
}

// stateSet is a bit set of states.
type stateSet []uint64

// add appends the next state, as a member if in is true.
func (s *stateSet) add(id uint32, in bool) {
	if int(id)>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	if in {
		(*s)[id>>6] |= 1 << (id & 63)
	}
}

func (s stateSet) has(id uint32) bool { return s[id>>6]>>(id&63)&1 == 1 }

// ranks returns the number of members before each word of the set.
func (s stateSet) ranks() []uint32 {
	ranks, n := make([]uint32, len(s)), 0
	for k, w := range s {
		ranks[k] = uint32(n)
		n += bits.OnesCount64(w)
	}
	return ranks
}

func (s stateSet) drop(id uint32) { s[id>>6] &^= 1 << (id & 63) }
