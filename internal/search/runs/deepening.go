package runs

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// forcedLimit bounds the number of successive steps with one alternative. Such steps cost no depth.
const forcedLimit = 1000

// Deepening is the strategy of one job of bounded depth-first search. It continues past live states, and prunes states
// that were seen with at least as much depth left. A walk continues from each leaf that is not live, in the same run if
// possible. Leaves are the states at the bound, and those with all successors by the recovery relation pruned: a cycle
// of states that are not live has no other leaves. Leaves known to recover need no walk. If no live state can be
// reached from some state, some walk therefore shows it. Its methods are callbacks of the loop.
type Deepening struct {
	seed   uint64
	bound  int
	faults bool // whether faults are allowed
	global *fpset.Set
	own    *fpset.Set // states added by this job
	walker Walker
	run    *replay.Run
	key    Key

	items    []Item
	walkFrom choose.Path // if walkDue: a walk is due from the state at its end, which is the top layer
	walkDue  bool

	// State of the run in progress.
	path      choose.Path // the task
	frames    []frame
	orders    []int32 // of the frames, concatenated
	layers    []Layer
	depth     int32
	forced    int32
	seen      bool // the current state was seen before
	known     fpset.Info
	walk      bool // on a walk
	again     bool // the run was made only for the walk
	leaf      walkedLeaf
	pastBound bool // the rest of the step is drawn, because it is beyond the bound

	bounded bool // the bound ended some run
}

// walkedLeaf is the start of a walk.
type walkedLeaf struct {
	step, choices int
}

// NewDeepening returns a strategy that finds states seen by earlier jobs in global, and records its runs in run. The
// settings are those of its walks.
func NewDeepening(c Settings, key Key, run *replay.Run, global *fpset.Set) *Deepening {
	return &Deepening{
		seed: c.Seed, faults: c.Limits != sim.Limits{}, global: global, run: run, walker: *NewWalker(c.Scale, c.Steps), key: key,
	}
}

// Next implements [runloop.Strategy].
func (s *Deepening) Next() (runloop.Task, bool) {
	s.walk, s.pastBound, s.seen, s.again = false, false, false, false
	if s.walkDue {
		s.path = append(s.path[:0], s.walkFrom...)
		s.walkDue = false
		s.walk, s.again, s.leaf.step = true, true, -1
		return runloop.Task{Path: s.path}, true
	}
	if k := len(s.frames) - 1; k >= 0 {
		f := &s.frames[k] // Ended leaves no exhausted frame, and no layer above
		s.path = append(s.path[:f.pos], s.alternative(f, f.next))
		f.next++
		s.depth, s.forced = f.depth+f.cost, 0
		if f.cost == 0 {
			s.forced = f.forced + 1
		}
		return runloop.Task{Path: s.path}, true
	}
	if len(s.items) == 0 {
		return runloop.Task{}, false
	}
	it := &s.items[0]
	s.items = s.items[1:]
	s.path, s.layers = append(s.path[:0], it.Path...), s.layers[:0]
	s.depth, s.forced = it.Depth, it.Forced
	if it.Walk {
		s.walk, s.again, s.leaf.step = true, true, -1
		return runloop.Task{Path: s.path}, true
	}
	if it.Arity > 0 {
		if it.State != nil {
			s.layers = append(s.layers, *it.State)
		}
		s.frames = append(s.frames, frame{
			pos: int32(len(it.Path)), next: it.Next, arity: it.Arity, depth: it.Depth, forced: it.Forced, cost: it.Cost,
			order: int32(len(s.orders)), ranks: int32(len(it.Order)),
		})
		s.orders = append(s.orders, it.Order...)
		return s.Next()
	}
	return runloop.Task{Path: s.path}, true
}

func (s *Deepening) info(f encoding.Fingerprint) fpset.Info {
	return s.own.Get(f).Merge(s.global.Get(f))
}

func (s *Deepening) top() *Layer {
	if n := len(s.layers); n > 0 {
		return &s.layers[n-1]
	}
	return nil
}

// Visit implements [runloop.Stateful].
func (s *Deepening) Visit(at *runloop.Node) (seen bool) {
	if s.walk || s.key.None() {
		return false
	}
	f, left := s.key.of(at), s.bound-int(s.depth)
	s.known = s.info(f)
	s.seen = s.known.Covers(left)
	if !s.seen && !s.pastBound { // a state of such a step is beyond the bound, and must be found again at a higher bound
		s.own.Add(f, fpset.Explored(left))
	}
	return s.seen
}

// Edge implements [runloop.Stateful].
func (s *Deepening) Edge(_, to *runloop.Node, step *stepinfo.Step, seen bool) {
	if s.walk {
		return
	}
	notRecovery := s.notRecovery(to, step)
	if parent := s.top(); parent != nil && !notRecovery {
		switch {
		case !seen:
			parent.NewSuccessors++
		case to.Live || s.known&fpset.RecoversFlag != 0:
			s.recovered()
		}
	}
	if !seen {
		s.push(to, notRecovery)
	}
}

// notRecovery reports whether a step is outside the recovery relation, which consists of the steps that walks take.
func (s *Deepening) notRecovery(to *runloop.Node, step *stepinfo.Step) bool {
	return step.Event.Kind.Injection() || step.Crashed || step.Disturbs || to.Unlikely || s.walker.scale.WeightOf(&step.Event) == 0
}

func (s *Deepening) push(at *runloop.Node, notRecovery bool) {
	s.layers = append(s.layers, Layer{
		Pos: int32(len(at.Run.Path)), State: s.key.of(at), Live: at.Live, NotRecovery: notRecovery,
	})
}

// recovered records that the top layer recovers, and with it the layers from which the recovery relation leads to it.
func (s *Deepening) recovered() {
	if s.key.None() {
		return
	}
	for i := len(s.layers) - 1; i >= 0 && !s.layers[i].Recovers; i-- {
		s.layers[i].Recovers = true
		s.own.Add(s.layers[i].State, fpset.RecoversFlag)
		if s.layers[i].NotRecovery {
			break
		}
	}
}

// Select implements [runloop.Strategy].
func (s *Deepening) Select(at *runloop.Node) runloop.Selection {
	if s.walk {
		return s.selectWalk(at)
	}
	if s.seen {
		return s.selectSeen(at)
	}
	s.walker.scale.Adopt(at.Run.World, true)
	pos := int32(len(at.Run.Path))
	if len(s.layers) == 0 || s.top().Pos != pos {
		s.push(at, false) // an initial state
	}
	n := len(at.Enabled)
	if s.faults {
		n += len(at.Injections())
	}
	if !at.Goal {
		// All states are live, and nothing depends on it.
	} else if at.Live {
		s.recovered()
	} else if !s.walker.scale.AnyWeighs(at.Enabled) {
		// The state is dead by the recovery relation. If that is not confirmed, the search continues from here.
		s.top().Walked = true
		if n > 0 && (int(s.depth) < s.bound || n == 1 && s.forced < forcedLimit) {
			s.pushFrame(pos, 0, n, cost(n))
			s.rank(at.Enabled)
		}
		return runloop.Selection{End: runloop.OutOfEvents}
	}
	switch {
	case n == 0:
		return runloop.Selection{End: runloop.OutOfEvents}
	case s.pastBound:
	case n == 1 && s.forced < forcedLimit, n > 1 && int(s.depth) < s.bound:
		return runloop.Selection{Faults: s.faults}
	}
	s.bounded = true
	if at.Live {
		return runloop.Selection{End: runloop.AtBound}
	}
	return s.startWalk(at)
}

// selectSeen ends the run at a state that was seen before, unless that makes the state before it a leaf.
func (s *Deepening) selectSeen(at *runloop.Node) runloop.Selection {
	p := s.top()
	if p == nil || !at.Goal || s.openSince(p.Pos) || s.notRecovery(at, at.Run.World.Last()) || !s.due(p) {
		return runloop.Selection{End: runloop.Duplicate}
	}
	return s.startWalk(at) // its first step is the one that led here
}

// due reports whether a walk is due from a state with all successors known, and marks the state as walked.
func (s *Deepening) due(p *Layer) bool {
	if p.NewSuccessors > 0 || p.Live || p.Recovers || p.Walked {
		return false
	}
	p.Walked = true
	if s.key.None() {
		return true
	}
	if s.info(p.State)&fpset.WalkedFlag != 0 {
		return false
	}
	s.own.Add(p.State, fpset.WalkedFlag)
	return true
}

// open returns the position of the last choice of the run in progress that has alternatives left, or -1.
func (s *Deepening) open() int32 {
	if k := len(s.frames) - 1; k >= 0 {
		return s.frames[k].pos
	}
	return -1
}

// popCompleted removes completed layers, down to one from which a walk is due.
func (s *Deepening) popCompleted(path choose.Path) {
	for n := len(s.layers) - 1; n >= 0 && s.layers[n].Pos > s.open(); n-- {
		if p := &s.layers[n]; s.due(p) {
			s.walkFrom, s.walkDue = append(s.walkFrom[:0], path[:p.Pos]...), true
			return
		}
		s.layers = s.layers[:n]
	}
}

// openSince reports whether a choice at position pos or later has alternatives left.
func (s *Deepening) openSince(pos int32) bool {
	for i := len(s.frames) - 1; i >= 0 && s.frames[i].pos >= pos; i-- {
		if s.frames[i].next < s.frames[i].arity {
			return true
		}
	}
	return false
}

func (s *Deepening) startWalk(at *runloop.Node) runloop.Selection {
	s.walk, s.leaf.step = true, -1
	if p := s.top(); p != nil {
		p.Walked = true
	}
	return s.selectWalk(at)
}

// selectWalk continues a walk from a leaf. Its random stream depends on the seed and the leaf's path alone, and not on the worker.
func (s *Deepening) selectWalk(at *runloop.Node) runloop.Selection {
	if s.leaf.step < 0 {
		s.leaf = walkedLeaf{at.Step, at.Choices}
		s.walker.Seed(s.seed, choose.Derive(s.seed, at.Run.Path))
	}
	sel := s.walker.Select(at)
	if sel.End == runloop.AtGoal {
		s.recovered()
	}
	return sel
}

// Choose implements [runloop.Strategy]. Each choice with alternatives adds 1 to the depth. Seeds, "no fault" and forced steps are free, up
// to forcedLimit successive ones.
func (s *Deepening) Choose(at *runloop.Node, p choose.Point) (int, bool) {
	if s.walk {
		return s.walker.Choose(at, p)
	}
	pos := int32(len(at.Run.Path))
	open := int(s.depth) < s.bound
	switch {
	case p.Kind == choose.Event && p.Arity == 1:
		s.forced++
	case p.Kind.Class() == choose.Fault:
		if !open {
			s.bounded = true
			break
		}
		s.pushFrame(pos, 1, p.Arity, 1)
	case p.Kind == choose.Reseed:
	case p.Kind == choose.Seed: // one is drawn for each path, because all are equivalent
		if !s.pastBound {
			s.walker.Seed(s.seed+uint64(s.bound), choose.Derive(s.seed, at.Run.Path))
		}
		return s.walker.random.Choose(p), true
	case open:
		s.pushFrame(pos, 1, p.Offered(), 1)
		if p.Kind == choose.Event {
			s.rank(at.Enabled)
		} else if p.Sampled() {
			s.sample(&p)
		}
		s.depth++
		s.forced = 0
		return int(s.alternative(&s.frames[len(s.frames)-1], 0)), true
	default:
		// The bound is inside a step.
		s.bounded = true
		if !s.pastBound {
			s.pastBound = true
			s.walker.Seed(s.seed, choose.Derive(s.seed, at.Run.Path))
		}
		return s.walker.random.Choose(p), true
	}
	return 0, true
}

// Ended implements [runloop.Strategy].
func (s *Deepening) Ended(o *runloop.Outcome) {
	if o.End == runloop.Stopped || o.End == runloop.Mismatch {
		return
	}
	for k := len(s.frames) - 1; k >= 0 && s.frames[k].next >= s.frames[k].arity; k-- {
		s.orders = s.orders[:s.frames[k].order]
		s.frames = s.frames[:k]
	}
	if k := len(s.frames) - 1; k >= 0 {
		s.path = append(s.path[:0], s.run.Path[:s.frames[k].pos]...)
	}
	s.popCompleted(s.run.Path)
}

// Suspects implements [Strategy].
func (s *Deepening) Suspects(o *runloop.Outcome) (int, bool) {
	if s.walk {
		return s.leaf.step, suspicious(o)
	}
	return o.Steps, suspicious(o)
}
