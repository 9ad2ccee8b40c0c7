package shrink

import (
	"context"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

const (
	// leastResampled is the minimum budget of steps for random runs without an improvement. The budget is the
	// number of steps that reducing took, if that is more.
	leastResampled = 150_000
	// leastRuns + runsPerStep for each step of the best run is the maximum number of random runs without an
	// improvement.
	leastRuns, runsPerStep = 200, 400
	// mostResampled is the maximum length of a run that is resampled. Random variants of longer ones hardly ever
	// violate again.
	mostResampled = 200
	// freshSteps is the maximum length of a fresh run, or twice that of the best one.
	freshSteps = 30
	// outOf is the denominator of likeness.similar.
	outOf = 8
)

// likeness is the similarity of a random run to the best one.
type likeness struct {
	similar int  // this many of outOf draws prefer a step of the best run
	ordered bool // in the order of the best run
	without int  // approximate number of its steps to leave out
	fresh   bool // may be longer; the result is reduced itself
	spliced bool // ends with a random suffix of the best run
}

// likenesses are used in turn.
var likenesses = []likeness{
	{similar: 6}, {similar: 4, spliced: true}, {similar: 8, ordered: true, without: 2}, {similar: 7, without: 1},
	{similar: 7, ordered: true, without: 3}, {similar: 4},
	{similar: 7, spliced: true},
	{similar: 6, ordered: true, without: 4}, {fresh: true},
}

// resampler searches for a smaller run than a reduced one. It executes short random runs that consist mostly of
// steps of the reduced one. Reducing only drops and moves steps, and may end far from the minimum. Runs that end
// with another handler do not count, since they may show another defect.
type resampler struct {
	player *Player
	random *choose.Random
	// executed returns the number of executed steps, including those of the judge.
	executed func() int
	// violates reports whether a run may violate after that many steps.
	violates func(run *Played, steps int) bool

	restarts bool // try fresh runs

	used   []bool // steps of the best run
	faulty bool   // the best run has steps that are faults
	likeness
}

// reduceAndResample alternates reducing and resampling until neither improves the run.
func (r *reducer) reduceAndResample(ctx context.Context, s *resampler) {
	for {
		began := s.executed()
		r.reduce(ctx)
		if n := len(r.best.Steps); r.over || n == 0 || n > mostResampled || !s.improve(ctx, r, max(leastResampled, s.executed()-began)) {
			return
		}
	}
}

// improve makes random runs until one is better than the best one of r, or until it has executed that many steps.
func (s *resampler) improve(ctx context.Context, r *reducer, most int) bool {
	began := s.executed()
	runs := leastRuns + runsPerStep*len(r.best.Steps)
	for n := 0; n < runs && s.executed()-began < most && !r.over; n++ {
		if ctx.Err() != nil || r.spent() {
			return false
		}
		if s.likeness = likenesses[n%len(likenesses)]; s.fresh && !s.restarts {
			continue
		}
		run := s.run(&r.best)
		for i := range run.Script.Steps {
			if run.Script.Steps[i].Handler != r.best.last() || !s.violates(&run, i+1) {
				continue
			}
			script := run.Script
			script.Steps = script.Steps[:i+1]
			if s.fresh && r.tryReduced(ctx, script, func(branch *reducer) { branch.dropMany(ctx); branch.dropSingle(ctx) }) {
				return true
			}
			if !s.fresh && script.cost().less(r.best.cost()) && r.try(ctx, script) {
				return true
			}
		}
	}
	return false
}

// run executes a random run with at most the faults of like. It mostly takes steps of like, each at most once.
// Unless it is fresh it is not longer than like.
func (s *resampler) run(like *Script) Played {
	var out Played
	p := s.player
	p.unlikely = 0
	var source choose.Source = p
	p.begin(like.Boot)
	if s.random.IntN(outOf) >= s.similar {
		source = &drawn{p, s.random}
	}
	over := p.ended(&out, p.start(source))
	out.Script.Boot = p.picks()
	s.faulty = slices.ContainsFunc(like.Steps, func(step Step) bool { return step.Kind.Injection() })
	s.used = slices.Grow(s.used[:0], len(like.Steps))[:len(like.Steps)]
	for i := range s.used {
		s.used[i] = s.random.IntN(len(like.Steps)) < s.without
	}
	most, rest := len(like.Steps), len(like.Steps)
	before := rest // number of steps before the rest of the best run is played
	switch {
	case s.fresh:
		most = max(2*most, freshSteps)
		before = most
	case s.spliced:
		rest = s.random.IntN(len(like.Steps))
		before = s.random.IntN(rest + 1)
		for i := range s.used {
			s.used[i] = i >= rest
		}
	}
	for n := 0; n < most && !over; n++ {
		index, twin := -1, -1
		if n < before {
			index, twin = s.choose(like)
		} else {
			for ; index < 0 && rest < len(like.Steps); rest++ {
				step := like.Steps[rest]
				if at, ok := p.find(&step); ok {
					index, twin = at, rest
				}
			}
		}
		if index < 0 {
			break
		}
		step, _ := p.Event(index)
		source = &drawn{p, s.random}
		p.begin(nil)
		if twin >= 0 {
			s.used[twin] = true
			if s.random.IntN(outOf) < s.similar {
				source = p
				p.begin(like.Steps[twin].Picks)
			}
		}
		p.Steps++
		over = p.ended(&out, p.Run.Step(index, source))
		step.Picks = p.picks()
		out.Script.Steps = append(out.Script.Steps, step)
	}
	out.Unlikely = p.unlikely
	return out
}

// choose draws an event and returns the corresponding step of like, or -1. It draws only faults that like has. The
// index is -1 if there is no event.
func (s *resampler) choose(like *Script) (index, twin int) {
	index, twin = -1, -1
	others, twins := 0, 0
	similar := s.random.IntN(outOf) < s.similar
	draw := func(i int, ev sim.Event) {
		at := -1
		if similar || ev.Kind.Injection() && s.random.IntN(len(like.Steps)) == 0 {
			at = s.twin(ev, like)
		}
		switch {
		case at >= 0 && s.ordered && similar:
			if twin < 0 || at < twin {
				index, twin = i, at
			}
			twins++
		case at >= 0:
			if twins++; s.random.IntN(twins) == 0 {
				index, twin = i, at
			}
		case ev.Kind.Injection() || twins > 0:
		default:
			if others++; s.random.IntN(others) == 0 {
				index = i
			}
		}
	}
	list, _ := s.player.events(false)
	for i, ev := range list {
		draw(i, ev)
	}
	if s.faulty {
		list, first := s.player.events(true)
		for i, ev := range list {
			draw(first+i, ev)
		}
	}
	return index, twin
}

// twin returns the first unused step of like with the event's class.
func (s *resampler) twin(ev sim.Event, like *Script) int {
	var name *eventName
	for i := range like.Steps {
		step := &like.Steps[i]
		if s.used[i] || step.Kind != ev.Kind || step.Node != ev.Node || step.Peer != ev.Peer {
			continue
		}
		if name == nil {
			name = s.player.names.of(s.player.Run.World, ev)
		}
		if step.Class == name.class {
			return i
		}
	}
	return -1
}

// drawn answers at random, without faults.
type drawn struct {
	player *Player
	random *choose.Random
}

func (d *drawn) Choose(at choose.Point) int {
	pick := d.random.Choose(at)
	d.player.note(at, pick)
	return pick
}
