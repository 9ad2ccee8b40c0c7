package critical

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// follow is the strategy that follows the dead run and examines every state.
type follow struct {
	f   *finder
	src choose.Prefix
}

func (s *follow) Next() (runloop.Task, bool) { return runloop.Task{}, false }

func (s *follow) Select(at *runloop.Node) runloop.Selection {
	s.f.dead.goal = at.Goal
	if at.Live {
		s.f.dead.lastLive = at.Step
	}
	switch {
	case s.src.Err() != nil:
		return runloop.Selection{End: runloop.Unanswered}
	case s.src.Done():
		return runloop.Selection{End: runloop.AtBound}
	}
	return runloop.Selection{Faults: true}
}

func (s *follow) Choose(_ *runloop.Node, p choose.Point) (int, bool) {
	pick := s.src.Choose(p)
	return pick, s.src.Err() == nil
}

func (s *follow) Ended(*runloop.Outcome) {}

// mostTail is the maximum number of steps that a tail summarizes, enough to show what repeats.
const mostTail = 2_000

// tail summarizes the second half of the run's steps after a step, or the last mostTail of them. The first half may
// have steps that repeat only for a while.
func (f *finder) tail(step int) Tail {
	t := Tail{From: max(step+(f.dead.steps()-step)/2, f.dead.steps()-mostTail) + 1, To: f.dead.steps()}
	if f.dead.outOfEvents {
		return t // nothing repeats
	}
	w := f.prober.workers[0]
	o := w.loop.Run(&follow{f: f, src: choose.Prefix{Path: f.dead.prefix(t.From - 1)}}, runloop.Task{})
	if o.End != runloop.AtBound {
		return t
	}
	var (
		run   = w.loop.Replay()
		src   = choose.Prefix{Path: f.dead.path[len(run.Path):]}
		index = map[string]int{}
	)
	words, err := replay.NewWords(run.World.System())
	if err != nil {
		return t
	}
	for !src.Done() {
		i, _ := src.Take()
		ev, ok := run.Event(i)
		if !ok {
			break
		}
		text := words.Describe(run.World, ev)
		before := nodeHash(run.World, ev.Node)
		if run.Step(i, &src) != nil {
			break
		}
		k, ok := index[text]
		if !ok {
			k = len(t.Repeats)
			index[text] = k
			t.Repeats = append(t.Repeats, Repeat{Event: text})
		}
		t.Repeats[k].Count++
		if nodeHash(run.World, ev.Node) != before {
			t.Repeats[k].Changes++
		}
	}
	t.Repeats = starred(t.Repeats, max(run.World.System().Nodes, fewValues))
	slices.SortStableFunc(t.Repeats, func(a, b Repeat) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Event, b.Event))
	})
	return t
}

func nodeHash(w kernel.World, id sim.NodeID) encoding.Fingerprint {
	for c, h := range w.Components() {
		if c == (kernel.Component{Kind: kernel.NodeState, Index: int(id)}) {
			return h
		}
	}
	return encoding.Fingerprint{}
}

// replay executes the dead run to find its live states.
func (f *finder) replay(ctx context.Context) error {
	f.dead.lastLive = -1
	w := f.prober.workers[0]
	o := w.loop.Run(&follow{f: f, src: choose.Prefix{Path: f.dead.path}}, runloop.Task{})
	if err := unfit(&o); err != nil {
		return err
	}
	if o.End == runloop.Unanswered {
		return &MismatchError{fmt.Errorf("critical: step %d: the path does not fit the system", o.Steps+1)}
	}
	f.dead.bounds = append(f.dead.bounds[:0], w.loop.Replay().Bounds...)
	f.dead.live, f.dead.bounded = o.Live, kernel.BoundsDelays(w.loop.Replay().World)
	last, err := f.prober.walk(ctx, w, f.dead.path, 0, 0)
	if err != nil {
		return err
	}
	f.dead.outOfEvents = last.End == runloop.OutOfEvents && !last.Live
	return unfit(&last)
}
