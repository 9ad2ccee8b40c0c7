package fairness

import (
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/fair"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// FairWalkOptions configures [WalkFair].
type FairWalkOptions struct {
	World      kernel.Options
	Weightless []eventkind.Kind // see [options.Options]
	Seed       uint64
	States     int            // approximate maximum number of expanded states
	MaxBytes   int            // approximate maximum of memory; 0 means no limit
	Calls      *options.Calls // see [options.Options]
}

// FairWalks is the result of [WalkFair].
type FairWalks struct {
	Walks  int // number of walks
	States int // expanded states, summed over the parts
	// Why is the reason why not all walks were made. It is empty if all were made.
	Why        string
	Starvation *Starvation // nil if none was found
	// Skipped is the error of a skipped call, with Path as the way to it, or nil.
	Skipped error
	Path    choose.Path
}

// Length of walks, and number of states that are judged together.
const (
	fairWalkSteps = 400
	fairStates    = 4000
)

// WalkFair looks by random walks for a fair infinite run with an open obligation, for systems with too many states
// to visit. It stores the visited states and all their edges, and judges them as [table.Explore] judges all states.
// Edges to states that no walk visited lead outside. Thus a finding is a violation, and the absence of a finding proves
// nothing. The same seed gives the same result. The error is that of [world.New].
func WalkFair(ctx context.Context, sys *sim.System, opts FairWalkOptions) (*FairWalks, error) {
	return options.Guard(ctx, options.Options{World: opts.World, Calls: opts.Calls},
		func(ctx context.Context, o options.Options) (*FairWalks, error) {
			opts := opts
			opts.World, opts.Calls = o.World, o.Calls
			return walkFair(ctx, sys, opts)
		})
}

func walkFair(ctx context.Context, sys *sim.System, opts FairWalkOptions) (*FairWalks, error) {
	out := &FairWalks{}
	e, err := steptree.NewEngine(sys, opts.World, opts.Calls)
	if err != nil {
		return nil, err
	}
	g := statespace.NewGraph(e, opts.Weightless)
	for part := uint64(0); out.Starvation == nil && out.Why == "" && out.States < opts.States; part++ {
		w := &fairWalk{g: g.Sibling(), out: out, opts: &opts, random: choose.NewRandom(opts.Seed, part)}
		if w.cycles = NewFairCycles(w.g, false); w.cycles == nil {
			return out, nil
		}
		opts.Calls.NextRound()
		if err := w.part(ctx); err != nil {
			return nil, err
		}
		if w.through() {
			break
		}
	}
	return out, nil
}

// fairWalk is a set of visited states that are judged together.
type fairWalk struct {
	g      *statespace.Graph
	cycles *FairCycles
	opts   *FairWalkOptions
	out    *FairWalks
	random *choose.Random

	ids    map[string]uint32
	packed []uint32        // states, concatenated
	rows   map[uint32]*row // edges of expanded states
	roots  []uint32        // first states of runs
	barred map[uint32]bool // states that violate a property, or have a failing step
	edges  graph.Edges     // scratch

	from, edge uint32 // edge to the state under inspection
	onward     bool   // that state was reached by an edge; it is not a root
}

// row holds the edges of a state.
type row struct {
	to       []uint32
	names    []uint32
	recovers []bool
}

// part walks until it has enough states, and judges them.
func (w *fairWalk) part(ctx context.Context) error {
	w.ids, w.rows, w.barred = map[string]uint32{}, map[uint32]*row{}, map[uint32]bool{}
	g := w.g
	defer g.World.Samples.Pause()()
	g.LimitBy(func() error {
		if ctx.Err() != nil || w.opts.MaxBytes > 0 && w.bytes() > w.opts.MaxBytes {
			return explore.ErrLimit
		}
		return nil
	})
	defer g.LimitBy(nil)
	w.edges.Reset()
	if err := g.Roots(&w.edges); err != nil {
		if w.skipped(err) {
			w.out.Path = g.BadPicks
		}
		w.out.Why = "a run ends at its start"
		return w.unable(err)
	}
	zeros := make([]uint32, g.Configs.Words)
	var state []uint32
	for t := range w.edges.Ends {
		state = w.edges.To(t, zeros, state[:0])
		w.roots = append(w.roots, w.id(state))
	}
	most := min(w.opts.States-w.out.States, fairStates)
	for idle := 0; len(w.rows) < most && w.out.Why == "" && len(w.roots) > 0 && idle < patience; w.out.Walks++ {
		grown := len(w.rows)
		if w.walk(ctx, most); len(w.rows) > grown {
			idle = 0
		} else if idle++; w.through() {
			break
		}
	}
	w.out.States += len(w.rows)
	if len(g.Sampled()) > 0 {
		w.out.Why = "answers of a draw were sampled"
	}
	if w.out.Why != "" {
		return nil
	}
	for k := range w.cycles.sources {
		if err := w.findCycles(&w.cycles.sources[k]); err != nil {
			return w.unable(err)
		}
	}
	return nil
}

// through reports whether all states were expanded, so that another part would find nothing new.
func (w *fairWalk) through() bool {
	for id := range uint32(len(w.ids)) {
		if w.rows[id] == nil && !w.barred[id] {
			return false
		}
	}
	return true
}

// patience is the number of consecutive walks without a new state that ends a part.
const patience = 20

// unable records why no more walks are made. Errors of steps are found by other searches.
func (w *fairWalk) unable(err error) error {
	var u *options.Unsupported
	switch {
	case errors.As(err, &u):
		w.out.Why = "the state tables do not support " + u.Why
	case errors.Is(err, fair.ErrTooLarge):
		w.out.Why = "there are too many processes or steps"
	case errors.Is(err, explore.ErrLimit):
		w.out.Why = "there was no time or memory left"
	case w.out.Why == "":
		return err
	}
	return nil
}

// skipped reports whether a call was skipped, which ends the walks.
func (w *fairWalk) skipped(err error) bool {
	if !w.opts.Calls.HasSkipped() || !store.IsOverdue(err) || w.out.Skipped != nil {
		return false
	}
	w.out.Skipped, w.out.Why = err, "a call was skipped"
	return true
}

func (w *fairWalk) bytes() int {
	return w.g.Bytes() + 3*4*len(w.packed) + 64*len(w.ids) // including the keys
}

// id returns the number of a state. A new state is checked first.
func (w *fairWalk) id(state []uint32) uint32 {
	key := store.VectorKey(state)
	id, ok := w.ids[key]
	if ok {
		return id
	}
	id = uint32(len(w.ids))
	w.ids[key] = id
	w.packed = append(w.packed, state...)
	m := &graph.FoundState{State: w.state(id), Number: int(id), Root: true}
	w.g.Found = m
	if _, err := w.g.CheckState(m); err != nil {
		switch w.barred[id], m.Barred = true, true; {
		case !w.skipped(err):
		case !w.onward:
			w.out.Path = w.g.RootPaths[len(w.roots)]
		default:
			w.out.Path = w.g.Path(append(w.Path(w.from), w.edge))
		}
	}
	_ = w.cycles.Visit(id, true, 0)
	return id
}

func (w *fairWalk) state(id uint32) []uint32 {
	n := w.g.Configs.Words
	return w.packed[int(id)*n:][:n:n]
}

// expand computes the edges of a state. It returns nil if the state has none that can be judged.
func (w *fairWalk) expand(id uint32) *row {
	if r := w.rows[id]; r != nil || w.barred[id] {
		return r
	}
	w.edges.Reset()
	from := slices.Clone(w.state(id))
	w.g.BadEvent = -1
	if err := w.g.Expand(from, -1, &w.edges); err != nil {
		if w.skipped(err) && w.g.BadEvent >= 0 {
			w.out.Path = append(append(w.g.Path(w.Path(id)), int32(w.g.BadEvent)), w.g.BadPicks...)
		}
		if w.barred[id] = true; errors.Is(err, explore.ErrLimit) || errors.As(err, new(*options.Unsupported)) {
			_ = w.unable(err)
		}
		return nil
	}
	r := &row{names: slices.Clone(w.edges.Names)}
	var to []uint32
	for t := range w.edges.Ends {
		to = w.edges.To(t, from, to[:0])
		w.from, w.edge, w.onward = id, uint32(t), true
		r.to = append(r.to, w.id(to))
		r.recovers = append(r.recovers, w.edges.Notes[t]&graph.Recovery != 0)
	}
	w.rows[id] = r
	return r
}

// walk makes a random walk from a root or a visited state.
func (w *fairWalk) walk(ctx context.Context, most int) {
	at := w.roots[w.random.IntN(len(w.roots))]
	if w.random.IntN(2) == 0 {
		if id := uint32(w.random.IntN(len(w.ids))); w.rows[id] != nil {
			at = id
		}
	}
	var ordinary []uint32
	for range fairWalkSteps {
		if ctx.Err() != nil || w.opts.MaxBytes > 0 && w.bytes() > w.opts.MaxBytes {
			w.out.Why = "there was no time or memory left"
			return
		}
		if w.rows[at] == nil && len(w.rows) >= most {
			return
		}
		r := w.expand(at)
		if r == nil || len(r.to) == 0 {
			return
		}
		ordinary = ordinary[:0]
		for t, is := range r.recovers {
			if is {
				ordinary = append(ordinary, r.to[t])
			}
		}
		if len(ordinary) > 0 && w.random.IntN(faultsAre) > 0 {
			at = ordinary[w.random.IntN(len(ordinary))]
		} else {
			at = r.to[w.random.IntN(len(r.to))]
		}
	}
}

// faultsAre is the inverse probability of choosing among all steps, including faults.
const faultsAre = 8

// findCycles judges the expanded states with an open obligation.
func (w *fairWalk) findCycles(src *source) error {
	b := newBuilder(w.g, src, w.cycles.Compared)
	b.left = make(stateSet, (len(w.ids)+63)/64)
	for id := range uint32(len(w.ids)) {
		if w.rows[id] != nil && src.owes.has(id) {
			b.left[id>>6] |= 1 << (id & 63)
			b.ids = append(b.ids, id)
		}
	}
	b.ranks = b.left.ranks()
	end := b.begin()
	for _, id := range b.ids {
		if err := b.add(w.state(id), w.rows[id].to, w.rows[id].names); err != nil {
			end()
			return err
		}
	}
	end()
	for _, id := range b.obligations() {
		c := b.Edges.Find(b.marksOf(id), nil)
		if c == nil || w.out.Starvation != nil {
			continue
		}
		l := c.Lasso()
		found, err := b.describe(w, id, l, true)
		if err != nil {
			return err
		}
		found.Walked, found.Recovers = true, w.recovers(b.ids[l.Start], b, id)
		w.out.Starvation = found
	}
	return nil
}

// Path returns the edge indices of a shortest path of known edges to a state.
func (w *fairWalk) Path(id uint32) []uint32 {
	type step struct{ from, edge uint32 }
	back := map[uint32]step{}
	var queue []uint32
	for k, root := range w.roots {
		if _, visited := back[root]; !visited {
			back[root] = step{root, uint32(k)}
			queue = append(queue, root)
		}
	}
	for ; len(queue) > 0 && queue[0] != id; queue = queue[1:] {
		r := w.rows[queue[0]]
		if r == nil {
			continue
		}
		for t, to := range r.to {
			if _, visited := back[to]; !visited {
				back[to] = step{queue[0], uint32(t)}
				queue = append(queue, to)
			}
		}
	}
	var trail []uint32
	for at := id; ; at = back[at].from {
		if trail = append(trail, back[at].edge); back[at].from == at {
			slices.Reverse(trail)
			return trail
		}
	}
}

// recovers reports whether known edges of the recovery relation lead from a state to one in which the obligation is
// settled.
func (w *fairWalk) recovers(from uint32, b *Builder, obligation uint32) bool {
	settled := func(id uint32) bool {
		if b.src.monitor < 0 {
			return !w.barred[id] && !b.src.owes.has(id)
		}
		list := w.g.World.Monitors.List[w.state(id)[w.g.Configs.Monitors+b.src.monitor]].Owes
		return !w.barred[id] && !slices.ContainsFunc(list, func(o store.Owed) bool { return o.ID == obligation })
	}
	visited := map[uint32]bool{from: true}
	for queue := []uint32{from}; len(queue) > 0; queue = queue[1:] {
		if settled(queue[0]) {
			return true
		}
		if r := w.rows[queue[0]]; r != nil {
			for t, to := range r.to {
				if r.recovers[t] && !visited[to] {
					visited[to] = true
					queue = append(queue, to)
				}
			}
		}
	}
	return false
}
