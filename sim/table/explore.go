package table

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// ExploreOptions bounds an exploration. The zero value has no bounds.
type ExploreOptions struct {
	World     sim.Options
	MaxDepth  int // in steps; 0: none
	MaxStates int // 0: none
	MaxBytes  int // of memory for states and tables, about; 0: none
	Visited   Visited
	// Go starts f in a goroutine of its own; nil: there is one worker. A second worker looks states up. What is found,
	// and where an exploration stops for any reason but memory or an interruption, does not depend on it.
	Go func(f func())
	// Weightless are the kinds of ordinary events that random walks never take: like answers of weight 0 they are
	// no way to a live state.
	Weightless []sim.EventKind
	// Known are Always properties whose violations are no findings: what lies behind a state that violates one is not
	// visited, and it counts as one from which a live state can be reached.
	Known map[string]bool
	// Progress is told now and then, from the goroutine that called [Explore], how many states were found and
	// steps executed, and the depth. Nil: nobody wants to know.
	Progress func(states, transitions, depth int)
}

// Visited says how an exploration keeps the states that it has visited.
type Visited int

// Exact keeps whole states; no two are taken for one. Fingerprints take less memory, but for the states
// that wait to be expanded, and states may be omitted, see [Exploration.Omission]. A path takes exploring
// everything up to its end once more, and liveness is not checked.
const (
	Exact          Visited = iota
	Fingerprints64         // of 64 bits
	Fingerprints128
)

func (o *ExploreOptions) validate() error {
	switch {
	case o.MaxDepth < 0 || o.MaxStates < 0 || o.MaxBytes < 0:
		return errors.New("table: MaxDepth, MaxStates and MaxBytes must not be negative")
	case o.Visited < Exact || o.Visited > Fingerprints128:
		return fmt.Errorf("table: Visited is %d, must be Exact, Fingerprints64 or Fingerprints128", o.Visited)
	}
	return nil
}

// Exploration is what [Explore] came to.
type Exploration struct {
	States      int // distinct states
	Transitions int // steps: an event with the answers to its questions, from every state that was expanded
	Live        int // states in which all Eventually properties hold
	Expanded    int // states all of whose steps were executed: those that were found first
	Depth       int // steps to the states that were expanded last; all that are nearer were expanded
	Complete    bool
	Stopped     string // why it is not complete: "depth", "states", "memory", "interrupted", "finding", "sampled"
	// Finding is what is wrong with a state or step, mostly a [*sim.Finding]; nil: nothing. Path leads there
	// by as few steps as possible, unless its kind is nondeterminism.
	Finding error
	Path    choose.Path

	// LivenessChecked: it is known of every state whether some live state can be reached from it without faults
	// being injected, by events and answers that have weight. Else, and when the system has no Eventually property,
	// what follows is not set.
	LivenessChecked bool
	Dead            int         // states from which no live state can be reached
	DeadPath        choose.Path // to one of them, by as few steps as possible
	DeadCritical    int         // the last step of DeadPath, the critical one; 0: it is dead from the start
	DeadOutOfEvents bool        // a deadlock: nothing can happen there any more, but for faults

	// Sampled are the draws that were not enumerated, see [choose.Point.Sampled].
	Sampled choose.Samples

	// Omission bounds the probability that some state was taken for another one, and so it, and perhaps what
	// lies behind it, was not visited: n(n-1)/2 pairs of states, each with equal fingerprints of b bits with
	// probability 2^-b. 0: none was.
	Omission float64

	Bytes    int // of the set of states, with all that is kept for each
	Frontier int // bytes, at most, of what is kept of states that wait to be expanded
	Stats    Stats
	Plans    []Plan // how services and monitors were made for handlers to run on
	Coverage Coverage
}

// Explore visits all states that can be reached, injections within the limits of the system included,
// breadth first, and checks the Always properties of each. It stops at the first finding, with a
// shortest path to it. When all states were visited, and whole states were kept, it looks for those that
// are dead.
//
// The error is that of [NewWorld], or [*Unsupported] when a state turns up that the tables cannot
// hold.
func Explore(ctx context.Context, sys *sim.System, opts ExploreOptions) (*Exploration, error) {
	return guarded(ctx, opts, func(ctx context.Context, opts ExploreOptions) (*Exploration, error) { return explore(ctx, sys, opts) })
}

func explore(ctx context.Context, sys *sim.System, opts ExploreOptions) (*Exploration, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	e, err := newEngine(sys, opts.World)
	if err != nil {
		return nil, err
	}
	path, err := rehearse(e)
	x := newExplorer(e, opts)
	defer x.close()
	x.w.forgetCoverage()
	x.limitBy(ctx)
	if err == nil {
		err = x.stopped(x.run(ctx))
	}
	if err == nil && x.out.Stopped == "" {
		err = x.liveness(ctx)
	}
	x.unlimited()
	x.out.States, x.out.Bytes, x.out.Frontier = x.len(), x.bytes(), x.waiting.most()
	if x.prints != nil {
		x.out.Omission = x.prints.omission(x.len())
	}
	x.conclude()
	var u *Unsupported
	switch {
	case errors.As(err, &u):
		return &x.out, err
	case err != nil:
		x.out.Stopped, x.out.Finding = "finding", err
		if x.out.Path = path; path == nil {
			x.out.Path = x.path(x.bad, x.badEvent, x.badPicks)
		}
	case x.out.Stopped == "":
		x.out.Complete = true
	}
	return &x.out, nil
}

// explorer is an exploration under way. States are numbered in the order in which they were found,
// so that the ones waiting to be expanded are all from a number on.
type explorer struct {
	w       *World // bare
	sites   *sites
	opts    ExploreOptions
	seen    *collapse // exact; nil: fingerprints
	prints  *prints   // nil: exact
	two     bool      // fingerprints have two words
	recent  recent
	waiting frontier // vectors, or roots when exact
	parents ancestry
	found   *successors
	limited string // why the exploration stopped in the middle of a state
	capture capture
	helper  helper
	deep    *depthFirst // nil: breadth first
	onward  *onward     // nil: it begins at the start
	out     Exploration

	// recovers: from here a live state is known to be reached; ordinary: found by a step of the recovery
	// relation. Both are only kept when there are Eventually properties.
	goals              bool
	recovers, ordinary bitset
	barred             bitset // violates a known property; nil: none is known

	here        []uint32          // the state that is expanded, packed
	fingerprint sim.Fingerprint   // its own
	shares      []sim.Fingerprint // of its words
	prepared    bool              // shares and there are up to date
	base, tree  []uint32          // when exact: its tree, and that of a successor
	setBytes    int
	setGrowth   int

	vector  []uint32 // scratch, of the world
	there   []uint32 // packed; as here but while a step is taken
	taken   int      // the word of the connection whose event is under way; -1: none
	left    uint32   // what it is once it has handed it over
	events  []sim.Event
	answers answers

	// Where a finding was made: at the state bad, or in a step from it.
	bad      uint32 // plus one; 0: at the start
	badEvent int    // -1: none
	badPicks choose.Path
}

func newExplorer(e *engine, opts ExploreOptions) *explorer {
	x := &explorer{w: newWorld(e), opts: opts, badEvent: -1, taken: -1}
	x.w.bare = true
	for _, kind := range opts.Weightless {
		e.weightless |= 1 << kind
	}
	if e.sites == nil {
		e.sites = newSites(e)
	}
	x.sites = e.sites
	words := x.sites.words
	x.goals = len(x.w.properties.eventually) > 0 && opts.Visited == Exact
	x.vector, x.shares = make([]uint32, e.layout.words), make([]sim.Fingerprint, words)
	x.waiting.words = words
	x.found = &successors{words: words}
	switch opts.Visited {
	case Exact:
		x.seen = newCollapse(x.sites.order())
		x.base, x.tree = make([]uint32, x.seen.size()), make([]uint32, x.seen.size())
		x.waiting.words = 2
		x.recent.init(1)
	case Fingerprints64:
		x.prints = newPrints(1)
	case Fingerprints128:
		x.prints, x.two = newPrints(2), true
	}
	if x.prints != nil {
		x.recent.init(x.prints.words)
	}
	return x
}

func (x *explorer) run(ctx context.Context) error {
	if err := x.start(); err != nil {
		return err
	}
	x.stop(ctx, 0)
	x.begin()
	defer x.end()
	end := uint32(x.len()) // of the states at the present depth
	for id := uint32(0); x.out.Stopped == ""; id++ {
		switch {
		case id == end:
			if err := x.settle(ctx, id); err != nil {
				return err
			}
			if x.len() == int(id) && x.out.Expanded == int(id) {
				x.out.Stopped = ""
				return nil
			}
			end = uint32(x.len())
			if x.out.Stopped == "" {
				x.out.Depth++
			}
		case len(x.found.ends) >= successorsAtOnce:
			if err := x.dispatch(ctx, id); err != nil {
				return err
			}
		}
		if x.out.Stopped != "" {
			return nil
		}
		if x.opts.MaxDepth > 0 && x.out.Depth >= x.opts.MaxDepth {
			x.out.Stopped = "depth"
			return nil
		}
		if err := x.expand(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// stop decides whether the exploration stops here, states before id being expanded. It is called once for each
// batch of successors.
func (x *explorer) stop(ctx context.Context, id uint32) {
	x.out.Expanded = int(id)
	if x.opts.Progress != nil {
		x.opts.Progress(x.len(), x.out.Transitions, x.out.Depth)
	}
	switch {
	case x.opts.MaxStates > 0 && x.len() >= x.opts.MaxStates:
		x.out.Stopped = "states"
	case x.opts.MaxBytes > 0 && x.soon() > x.opts.MaxBytes:
		x.out.Stopped = "memory"
	case ctx.Err() != nil:
		x.out.Stopped = "interrupted"
	}
}

// Rehearsal: so many random runs of so many steps.
const (
	rehearsals     = 8
	rehearsalSteps = 200
)

// rehearse makes random runs on both engines, before anything is concluded from the tables: shortest paths
// take the same way to a state again and again, so that state which is not encoded would hardly show.
// The error is a finding of kind nondeterminism, about a changed message, or that a handler does not return, with the path to it, or
// [*Unsupported]; other findings are left to the exploration.
func rehearse(e *engine) (path choose.Path, err error) {
	w := newWorld(e)
	var events []sim.Event
	for k := range uint64(rehearsals) {
		random := choose.NewRandom(1, k)
		src := choose.SourceFunc(func(p choose.Point) int {
			pick := random.IntN(p.Arity) // weights do not matter to what is possible
			path = append(path, int32(pick))
			return pick
		})
		path = path[:0]
		w.shadow = shadow{world: w.shadow.world, closely: true}
		err := w.Start(src)
		for range rehearsalSteps {
			if err != nil {
				break
			}
			events = w.Injections(append(events[:0], w.Enabled()...))
			if len(events) == 0 {
				break
			}
			err = w.Step(events[src(choose.Point{Arity: len(events)})], src)
		}
		var u *Unsupported
		if closer(err) || overdue(err) || errors.As(err, &u) {
			return path, err
		}
	}
	return nil, nil
}

// start finds the first states: there are several when booting draws.
func (x *explorer) start() error {
	v := make([]uint32, x.sites.words)
	for x.answers.Reset(); x.answers.Next(); {
		usual, err := x.begins(&x.answers)
		if err != nil {
			x.badPicks = x.answers.Path()
			return err
		}
		if !usual || x.onward != nil && x.answers.never {
			continue
		}
		x.sites.pack(x.w.v, v)
		if x.prints != nil {
			if !x.prints.insert(x.sites.fingerprint(v)) {
				continue
			}
			x.waiting.append(v)
		} else {
			copy(x.tree, v)
			id, added := x.seen.add(x.tree, nil)
			if !added {
				continue
			}
			root := x.seen.roots.list.at(id)
			x.waiting.append([]uint32{uint32(root >> 32), uint32(root)})
		}
		if err := cmp.Or(x.add(v, 0, 0), x.answers.stop()); err != nil {
			return err
		}
	}
	return nil
}

// begins goes to a state in which the exploration begins.
func (x *explorer) begins(src choose.Source) (usual bool, err error) {
	if x.onward != nil {
		return x.onward.execute(x.w, src)
	}
	return true, x.w.start(src)
}

// enter makes the next state the one that is expanded.
func (x *explorer) enter(id uint32) {
	x.here = x.waiting.next(id)
	if x.seen != nil {
		x.seen.unfoldRoot(uint64(x.here[0])<<32|uint64(x.here[1]), x.base)
		x.here = x.base[:x.sites.words]
	}
}

// expand lists all that can happen in a state.
func (x *explorer) expand(ctx context.Context, id uint32) error {
	x.enter(id)
	f := x.found
	from := len(f.ends)
	if len(f.last) == 0 {
		f.first = id
	}
	err := x.expandState(id, f)
	if x.onward != nil {
		f.keepOrdinary(from)
	}
	if x.prints == nil {
		x.pushTrees(f, from)
	}
	if err == nil {
		return nil
	}
	event, picks := x.badEvent, x.badPicks
	if err := x.settle(ctx, id); err != nil || x.out.Stopped != "" {
		return err
	}
	x.bad, x.badEvent, x.badPicks = id+1, event, picks
	return err
}

func (x *explorer) expandState(id uint32, f *successors) error {
	w := x.w
	if x.deep == nil && x.barred != nil && x.barred.has(id) {
		x.prepared = false
		f.parents, f.last = append(f.parents, x.here...), append(f.last, uint32(len(f.ends)))
		return nil
	}
	if w.samples.off || x.capture.ids != nil || !w.samples.sampled(int(id)+1) {
		return x.successors(f)
	}
	from := len(f.ends)
	err := x.successors(f)
	if err == nil {
		err = x.verify(f, from)
	}
	return err
}

// len is the number of states.
func (x *explorer) len() int { return int(x.parents.n) }

// bytes is the memory that is kept for the visited states.
func (x *explorer) bytes() int {
	n := x.parents.bytes() + x.recovers.bytes() + x.ordinary.bytes() + x.setBytes
	if x.seen != nil {
		n += x.seen.inner.bytes() + 16*len(x.seen.hot)
	}
	return n
}

// soon is about the memory that is taken, once there is room for some more states.
func (x *explorer) soon() int {
	n := x.bytes() + x.waiting.most() + x.tables()
	if x.seen != nil {
		n += x.seen.inner.growth() + x.setGrowth
	}
	return n
}

// tables is about the memory that the tables take.
func (x *explorer) tables() int {
	return x.sites.bytes() + entrySize*x.w.entries()
}

// audit has the replay engine go to a state, as shadow does with runs.
func (x *explorer) audit(id uint32, v []uint32) error {
	x.calm()
	path := x.path(id+1, -1, nil)
	x.sites.unpack(v, x.vector)
	x.w.restore(x.vector)
	return x.w.retrace(path)
}

// close gives memory back that is not the collector's.
func (x *explorer) close() {
	x.recent.memory.free()
	x.waiting.memory.free()
	if x.prints != nil {
		x.prints.memory.free()
	}
	if x.seen != nil {
		x.seen.inner.free()
		x.seen.roots.free()
	}
}
