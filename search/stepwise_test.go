package search_test

import (
	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// stepwise is depth-first search without tables: bounded in steps, from the start for each run. It skips a state that
// was seen at the same or a smaller depth. Its states are those of bfs and dfs.
type stepwise struct {
	bound  int // in steps
	most   int // states; 0 means no limit
	run    *replay.Run
	seen   map[encoding.Fingerprint]int
	live   int
	begun  bool
	frames []openChoice
	path   choose.Path
	known  bool
}

type openChoice struct{ pos, next, arity int }

func (s *stepwise) Next() (runloop.Task, bool) {
	if !s.begun {
		s.begun = true
		return runloop.Task{}, true
	}
	for k := len(s.frames) - 1; k >= 0; k-- {
		if f := &s.frames[k]; f.next < f.arity && (s.most == 0 || len(s.seen) < s.most) {
			s.frames = s.frames[:k+1]
			s.path = append(append(s.path[:0], s.run.Path[:f.pos]...), int32(f.next))
			f.next++
			return runloop.Task{Path: s.path}, true
		}
	}
	return runloop.Task{}, false
}

func (s *stepwise) Visit(at *runloop.Node) (seen bool) {
	f := at.Fingerprint()
	depth, ok := s.seen[f]
	if !ok && at.Live {
		s.live++
	}
	if s.known = ok && depth <= at.Step; !s.known {
		s.seen[f] = at.Step
	}
	return s.known
}

func (s *stepwise) Edge(_, _ *runloop.Node, _ *stepinfo.Step, _ bool) {}

func (s *stepwise) Select(at *runloop.Node) runloop.Selection {
	switch {
	case s.known:
		return runloop.Selection{End: runloop.Duplicate}
	case at.Step >= s.bound:
		return runloop.Selection{End: runloop.AtBound}
	}
	return runloop.Selection{Faults: true}
}

func (s *stepwise) Choose(at *runloop.Node, p choose.Point) (int, bool) {
	if p.Arity > 1 {
		s.frames = append(s.frames, openChoice{len(at.Run.Path), 1, p.Arity})
	}
	return 0, true
}

func (s *stepwise) Ended(*runloop.Outcome) {}

// exploreStepwise explores a system to a depth in steps, or to that many states.
func exploreStepwise(t rapid.TB, sys *sim.System, engine string, bound, most int) (s *stepwise, found *sim.Finding, failed error) {
	loop, err := runloop.NewByEngine(sys, string(engine), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s = &stepwise{bound: bound, most: most, run: loop.Replay(), seen: map[encoding.Fingerprint]int{}}
	for task, ok := s.Next(); ok && found == nil && failed == nil; task, ok = s.Next() {
		o := loop.Run(s, task)
		found, failed = o.Finding, o.Err
	}
	return s, found, failed
}
