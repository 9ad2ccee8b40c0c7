package shrink

import (
	"context"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/netmodel"
)

const (
	// leastResampled is the minimum budget of steps for random runs without an improvement. The budget is the number of
	// steps that reducing took, or resampledPerStep for each step of the best run, if that is more.
	leastResampled   = 150_000
	resampledPerStep = 10_000
	// mostShort is the maximum length of a run for which all likenesses are used.
	mostShort = 24
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
	mutated bool // replaces a part of the best run by random steps; the result is reduced itself
}

// likenesses are used in turn for runs of up to mostShort steps.
var likenesses = []likeness{
	{similar: 6}, {similar: 4, spliced: true}, {similar: 8, ordered: true, without: 2}, {similar: 7, without: 1},
	{similar: 7, ordered: true, without: 3}, {similar: 4}, {similar: 4, mutated: true},
	{similar: 7, spliced: true}, {similar: 2, mutated: true},
	{similar: 6, ordered: true, without: 4}, {fresh: true},
}

// fewDeviations are used in turn for longer runs. Random runs that deviate from such a run in all parts hardly ever violate.
var fewDeviations = []likeness{
	{similar: 4, mutated: true}, {similar: 2, mutated: true}, {similar: 4, mutated: true}, {similar: 2, mutated: true},
	{similar: 7, spliced: true},
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
	walks    bool // the judge makes walks, so that candidates are expensive

	used   []bool // steps of the best run
	faulty bool   // the best run has steps that are faults
	likeness
}

// reduceAndResample alternates reducing and resampling until neither improves the run.
func (r *reducer) reduceAndResample(ctx context.Context, s *resampler) {
	for {
		began := s.executed()
		r.reduce(ctx)
		n := len(r.best.Steps)
		if r.over || n == 0 || n > mostResampled {
			return
		}
		most := max(leastResampled, resampledPerStep*n, s.executed()-began)
		if s.walks {
			most = max(leastResampled, resampledPerStep*n) / 2
		}
		if !s.improve(ctx, r, most) {
			return
		}
	}
}

// improve makes random runs until one is better than the best one of r, or until it has executed that many steps.
func (s *resampler) improve(ctx context.Context, r *reducer, most int) bool {
	began, like, kinds := s.executed(), r.best, likenesses
	if len(like.Steps) > mostShort {
		kinds = fewDeviations
	}
	runs := leastRuns + runsPerStep*len(r.best.Steps)
	for n := 0; n < runs && s.executed()-began < most && !r.over; n++ {
		if ctx.Err() != nil || r.spent() || !r.inTime(ctx, &like) {
			return false
		}
		if s.likeness = kinds[n%len(kinds)]; s.fresh && !s.restarts {
			continue
		}
		var run Played
		if s.mutated {
			if r.prepare != nil {
				r.prepare(like)
			}
			run = s.mutant(&like)
		} else {
			run = s.run(&like)
		}
		for i := range run.Script.Steps {
			if run.Script.Steps[i].Handler != r.best.last() || !s.violates(&run, i+1) {
				continue
			}
			script := run.Script
			script.Steps = script.Steps[:i+1]
			switch {
			case s.mutated && !slices.Contains(s.used, false): // it would be reduced to like
			case s.fresh || s.mutated:
				branch, ok := r.reduced(ctx, script, func(branch *reducer) { branch.dropSteps(ctx) })
				if ok && r.adopt(branch) {
					return true
				}
				if ok && branch.best.cost().size() == r.best.cost().size() {
					like = branch.best // the next mutants are more different
				}
			case script.cost().less(r.best.cost()) && r.try(ctx, script):
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
		source = p.noted(s.random)
	}
	over := p.ended(&out, p.start(source))
	out.Script.Boot = p.picks()
	s.begin(like, func(int) bool { return s.random.IntN(len(like.Steps)) < s.without })
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
		index, counterpart := -1, -1
		if n < before {
			index, counterpart = s.choose(like)
		} else {
			index, counterpart = s.next(like, &rest)
		}
		if index < 0 {
			break
		}
		over = s.step(&out, like, index, counterpart, s.random.IntN(outOf) < s.similar)
	}
	out.Unlikely = p.unlikely
	return out
}

// mutant executes a run in which random steps replace some steps of like. Later steps that cannot happen then are left out.
func (s *resampler) mutant(like *Script) Played {
	n := len(like.Steps)
	from := s.random.IntN(n)
	rest := min(n, from+1+s.random.IntN(1+n/(2+2*s.random.IntN(2))))
	s.begin(like, func(i int) bool { return i < from || i >= rest })
	out := s.player.Play(like.without(from, n))
	over := out.Finding != nil || out.Err != nil || out.Cut
	for left := s.random.IntN(2*(rest-from) + 1); left > 0 && !over; left-- {
		index, counterpart := s.choose(like)
		if index < 0 {
			break
		}
		over = s.step(&out, like, index, counterpart, s.random.IntN(outOf) < s.similar)
	}
	for !over {
		index, counterpart := s.next(like, &rest)
		if index < 0 {
			break
		}
		over = s.step(&out, like, index, counterpart, true)
	}
	out.Unlikely = s.player.unlikely
	return out
}

// begin prepares for a run that is like another one. used reports which of its steps are used already.
func (s *resampler) begin(like *Script, used func(i int) bool) {
	s.faulty = slices.ContainsFunc(like.Steps, func(step Step) bool { return step.Kind.Injection() })
	s.used = slices.Grow(s.used[:0], len(like.Steps))[:len(like.Steps)]
	for i := range s.used {
		s.used[i] = used(i)
	}
}

// next returns the next step of like that can happen, from rest on, and the index of its event. That is -1 if there is none.
func (s *resampler) next(like *Script, rest *int) (index, counterpart int) {
	for *rest < len(like.Steps) {
		step := like.Steps[*rest]
		s.used[*rest] = false
		*rest++
		if at, ok := s.player.find(&step); ok {
			return at, *rest - 1
		}
	}
	return -1, -1
}

// step executes an event, with the answers of its counterpart in like, if it has one, or with random ones.
func (s *resampler) step(out *Played, like *Script, index, counterpart int, answers bool) (over bool) {
	p := s.player
	if p.cut(out) {
		return true
	}
	step, _ := p.Event(index)
	source := p.noted(s.random)
	p.begin(nil)
	if counterpart >= 0 {
		s.used[counterpart] = true
		if answers {
			source = p
			p.begin(like.Steps[counterpart].Picks)
		}
	}
	p.Steps++
	over = p.ended(out, p.Run.Step(index, source))
	step.Picks = p.picks()
	out.Script.Steps = append(out.Script.Steps, step)
	return over
}

// choose draws an event and returns the corresponding step of like, or -1. It draws only faults that like has. The
// index is -1 if it draws no event.
func (s *resampler) choose(like *Script) (index, counterpart int) {
	index, counterpart = -1, -1
	others, twins := 0, 0
	similar := s.random.IntN(outOf) < s.similar
	draw := func(i int, ev netmodel.Event) {
		at := -1
		if similar || ev.Kind.Injection() && s.random.IntN(len(like.Steps)) == 0 {
			at = s.counterpart(ev, like)
		}
		switch {
		case at >= 0 && s.ordered && similar:
			if counterpart < 0 || at < counterpart {
				index, counterpart = i, at
			}
			twins++
		case at >= 0:
			if twins++; s.random.IntN(twins) == 0 {
				index, counterpart = i, at
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
	return index, counterpart
}

// counterpart returns the first unused step of like with the event's class.
func (s *resampler) counterpart(ev netmodel.Event, like *Script) int {
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
