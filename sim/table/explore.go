package table

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// ExploreOptions bounds an exploration. The zero value has no bounds.
type ExploreOptions struct {
	World     sim.Options
	MaxDepth  int // in steps; 0: none
	MaxStates int // 0: none
}

// Exploration is what [Explore] came to.
type Exploration struct {
	States      int // distinct states
	Transitions int // steps: an event with the answers to its questions, from every state that was expanded
	Live        int // states in which all Eventually properties hold
	Depth       int // steps to the last state that was found
	Complete    bool
	Stopped     string // why it is not complete: "depth", "states", "interrupted", "finding"
	// Finding is what is wrong with a state or step, mostly a [*sim.Finding]; nil: nothing. Path leads there
	// by as few steps as possible, unless its kind is nondeterminism.
	Finding error
	Path    choose.Path

	// LivenessChecked: it is known of every state whether some live state can be reached from it without faults
	// being injected, by answers that have weight. Else, and when the system has no Eventually property,
	// what follows is not set.
	LivenessChecked bool
	Dead            int         // states from which no live state can be reached
	DeadPath        choose.Path // to one of them, by as few steps as possible
	DeadCritical    int         // the last step of DeadPath, the critical one; 0: it is dead from the start
	DeadOutOfEvents bool        // a deadlock: nothing can happen there any more, but for faults

	Bytes int // of the set of states, with all that is kept for each
	Stats Stats
}

// Explore visits all states that can be reached, injections within the limits of the system included,
// breadth first, and checks the Always properties of each. It stops at the first finding, with a
// shortest path to it. The set of visited states is exact. When all states were visited it looks for
// those that are dead.
//
// The error is that of [NewWorld], or [*Unsupported] when a state turns up that the tables cannot
// hold.
func Explore(ctx context.Context, sys *sim.System, opts ExploreOptions) (*Exploration, error) {
	e, err := newEngine(sys, opts.World)
	if err != nil {
		return nil, err
	}
	path, err := rehearse(e)
	x := newExplorer(e, opts)
	if err == nil {
		err = x.run(ctx)
	}
	if err == nil && x.out.Stopped == "" {
		err = x.liveness(ctx)
	}
	x.out.States, x.out.Bytes = x.seen.len(), x.bytes()
	x.out.Stats = x.w.Stats()
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
	opts    ExploreOptions
	seen    *collapse
	parents chunks[uint32] // by state: the one that it was found from, plus one
	found   successors
	out     Exploration

	// recovers: from here a live state is known to be reached; ordinary: found by a step of the recovery
	// relation. Both are only kept when there are Eventually properties.
	goals              bool
	recovers, ordinary bitset

	// Trees of the state that is expanded, and of a successor, whose words are the vector of the world.
	base, tree []uint32
	events     []sim.Event
	answers    answers

	// Where a finding was made: at the state bad, or in a step from it.
	bad      uint32 // plus one; 0: at the start
	badEvent int    // -1: none
	badPicks choose.Path
}

func newExplorer(e *engine, opts ExploreOptions) *explorer {
	x := &explorer{w: newWorld(e), opts: opts, badEvent: -1}
	x.w.bare = true
	x.goals = len(x.w.properties.eventually) > 0
	x.seen = newCollapse(e.layout.order())
	x.base, x.tree = make([]uint32, x.seen.size()), make([]uint32, x.seen.size())
	x.w.v = x.tree[:x.seen.words]
	return x
}

func (x *explorer) run(ctx context.Context) error {
	if err := x.start(); err != nil {
		return err
	}
	end := uint32(x.seen.len()) // of the states at the present depth
	for id := uint32(0); ; id++ {
		if last := id == end; last || id == 0 || len(x.found.list) >= successorsAtOnce {
			if err := x.settle(); err != nil {
				return err
			}
			switch {
			case last && x.seen.len() == int(id):
				return nil
			case x.opts.MaxStates > 0 && x.seen.len() >= x.opts.MaxStates:
				x.out.Stopped = "states"
				return nil
			case ctx.Err() != nil:
				x.out.Stopped = "interrupted"
				return nil
			}
			if last {
				end = uint32(x.seen.len())
				x.out.Depth++
			}
		}
		if x.opts.MaxDepth > 0 && x.out.Depth >= x.opts.MaxDepth {
			x.out.Stopped = "depth"
			return nil
		}
		if err := x.expand(id); err != nil {
			return err
		}
	}
}

// Rehearsal: so many random runs of so many steps.
const (
	rehearsals     = 8
	rehearsalSteps = 200
)

// rehearse makes random runs on both engines, before anything is concluded from the tables: shortest paths
// take the same way to a state again and again, so that state which is not encoded would hardly show.
// The error is a finding of kind nondeterminism, with the path to it, or [*Unsupported]; other
// findings are left to the exploration.
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
		w.shadow = shadow{world: w.shadow.world}
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
		var f *sim.Finding
		var u *Unsupported
		if errors.As(err, &f) && f.Kind == sim.Nondeterminism || errors.As(err, &u) {
			return path, err
		}
	}
	return nil, nil
}

// start finds the first states: there are several when booting draws.
func (x *explorer) start() error {
	for x.answers.Reset(); x.answers.Next(); {
		if err := x.w.start(&x.answers); err != nil {
			x.badPicks = x.answers.Path()
			return err
		}
		id, added := x.seen.add(x.tree, nil)
		if !added {
			continue
		}
		if err := x.add(id, &successor{}); err != nil {
			return err
		}
	}
	return nil
}

// enter makes a state that of the world, and lists its events.
func (x *explorer) enter(id uint32) {
	x.seen.unfold(id, x.base)
	copy(x.tree, x.base)
	x.w.derive()
	x.w.changed = 0
	x.events = x.w.list(x.events[:0])
}

// expand executes all that can happen in a state.
func (x *explorer) expand(id uint32) error {
	w := x.w
	x.enter(id)
	up := w.up
	for i, ev := range x.events {
		for x.answers.Reset(); x.answers.Next(); {
			if err := w.advance(ev, &x.answers); err != nil {
				if err := x.settle(); err != nil {
					return err
				}
				x.bad, x.badEvent, x.badPicks = id+1, i, x.answers.Path()
				return err
			}
			x.push(id+1, x.recovering(ev))
			w.up = up
		}
	}
	return nil
}

func (x *explorer) bytes() int {
	return x.seen.bytes() + x.parents.bytes() + x.recovers.bytes() + x.ordinary.bytes()
}

// audit has the replay engine go to a state, as shadow does with runs.
func (x *explorer) audit(id uint32) error {
	w := x.w
	defer w.restore(slices.Clone(w.v))
	path := x.path(id+1, -1, nil)
	x.unfoldInto(id)
	real, err := sim.NewWorld(w.sys, w.opts)
	if err != nil {
		return err
	}
	pos := 0
	answers := choose.SourceFunc(func(p choose.Point) int {
		if pos++; pos <= len(path) && int(path[pos-1]) < p.Arity {
			return int(path[pos-1])
		}
		return 0
	})
	err = real.Start(answers)
	node := sim.NodeID(0)
	for err == nil && pos < len(path) {
		events := real.Injections(slices.Clone(real.Enabled()))
		if int(path[pos]) >= len(events) {
			return w.differs(node, "other events are enabled when the run is executed without tables")
		}
		ev := events[path[pos]]
		pos++
		node = max(0, ev.Node)
		err = real.Step(ev, answers)
	}
	switch {
	case err != nil:
		return w.differs(node, fmt.Sprintf("when the run is executed without tables it ends with %v", err))
	case pos != len(path):
		return w.differs(node, "when the run is executed without tables it asks other questions")
	}
	return w.sameState(node, real)
}

// unfoldInto makes a state that of the world.
func (x *explorer) unfoldInto(id uint32) {
	tree := make([]uint32, x.seen.size())
	x.seen.unfold(id, tree)
	x.w.restore(tree[:len(x.w.v)])
}

// path returns the path to a state (plus one; 0: the start), and if event is not negative to what a step
// from there came to.
func (x *explorer) path(state uint32, event int, picks choose.Path) choose.Path {
	var chain []uint32 // latest first
	for s := state; s != 0; s = x.parents.at(s-1) {
		chain = append(chain, s-1)
	}
	var path choose.Path
	var from []uint32
	for _, id := range slices.Backward(chain) {
		to := make([]uint32, x.seen.size())
		x.seen.unfold(id, to)
		path = append(path, x.between(from, to[:len(x.w.v)])...)
		from = to[:len(x.w.v)]
	}
	if event >= 0 {
		path = append(path, int32(event))
	}
	return append(path, picks...)
}

// between finds the step from one state to another, or, when from is nil, the answers by which the
// start leads there.
func (x *explorer) between(from, to []uint32) choose.Path {
	w := x.w
	var answers choose.Enumerate
	try := func(do func() error) (choose.Path, bool) {
		for answers = (choose.Enumerate{}); answers.Next(); {
			if do() == nil && slices.Equal(w.v, to) {
				return answers.Path(), true
			}
		}
		return nil, false
	}
	if from == nil {
		if path, ok := try(func() error { return w.start(&answers) }); ok {
			return path
		}
		panic("table: the first state cannot be reached again")
	}
	w.restore(from)
	for i, ev := range w.list(nil) {
		path, ok := try(func() error {
			w.restore(from)
			return w.advance(ev, &answers)
		})
		if ok {
			return append(choose.Path{int32(i)}, path...)
		}
	}
	panic("table: a state cannot be reached again from the state before it")
}
