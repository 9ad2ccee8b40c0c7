package shrink

import (
	"context"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

const (
	// leastResampled is how many steps random runs may have at least, in all, that are no improvement. Otherwise it is as many as
	// reducing took.
	leastResampled = 20_000
	// mostResampled is how many steps a run may have for which random ones are tried: longer ones hardly ever violate again.
	mostResampled = 200
	// similarity is how many of so many draws prefer what the best run does.
	similarity, outOf = 3, 4
)

// resampler searches again for a run that is smaller than one that was reduced: it executes short random runs made mostly of the
// steps of that one, in whatever order. Reducing only leaves out and moves; what it ends with may be far from the smallest. It is for runs
// that end with a finding: to judge a dead one takes too many walks. Runs that end with another class of step do not count, because they
// may show another defect.
type resampler struct {
	player   *Player
	random   *choose.Random
	violates func(*sim.Finding) bool
}

// reduceAndResample reduces and resamples in turn, until that yields no more.
func (r *reducer) reduceAndResample(ctx context.Context, s *resampler) {
	for {
		began := s.player.Steps
		r.reduce(ctx)
		if r.over || len(r.best.Steps) > mostResampled || !s.improve(ctx, r, max(leastResampled, s.player.Steps-began)) {
			return
		}
	}
}

// improve makes runs until one is better than the best one of r, or they have so many steps.
func (s *resampler) improve(ctx context.Context, r *reducer, most int) bool {
	began := s.player.Steps
	for n := 0; n < most && s.player.Steps-began < most && !r.over; n++ {
		if ctx.Err() != nil || r.spent() {
			return false
		}
		run := s.run(&r.best)
		if run.Finding != nil && s.violates(run.Finding) && run.Script.last() == r.best.last() && r.try(ctx, run.Script) {
			return true
		}
	}
	return false
}

// run executes a random run that is no longer than like, has no more faults, and mostly takes steps that like has, each at most once.
func (s *resampler) run(like *Script) Played {
	var out Played
	p := s.player
	p.unlikely = 0
	p.begin(like.Boot)
	over := p.ended(&out, p.Run.Start(p))
	out.Script.Boot = p.picks()
	used := make([]bool, len(like.Steps))
	for n := 0; n < len(like.Steps) && !over; n++ {
		index, twin := s.choose(like, used)
		if index < 0 {
			break
		}
		step, _ := p.Event(index)
		var source choose.Source = &drawn{p, s.random}
		p.begin(nil)
		if twin >= 0 {
			used[twin] = true
			if s.random.IntN(outOf) < similarity {
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

// choose draws an event and tells which step of like it stands for, -1 for none. Faults are injected only where like has one. The index is -1
// when there is no event.
func (s *resampler) choose(like *Script, used []bool) (index, twin int) {
	index, twin = -1, -1
	others, twins := 0, 0
	similar := s.random.IntN(outOf) < similarity
	for i := 0; ; i++ {
		ev, ok := s.player.Run.Event(i)
		if !ok {
			return index, twin
		}
		at := -1
		if similar || ev.Kind.Injection() {
			at = s.twin(ev, like, used)
		}
		switch {
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
}

// twin is the first unused step of like that is of the event's class.
func (s *resampler) twin(ev sim.Event, like *Script, used []bool) int {
	of := ""
	for i := range like.Steps {
		step := &like.Steps[i]
		if used[i] || step.Kind != ev.Kind || step.Node != ev.Node || step.Peer != ev.Peer {
			continue
		}
		if of == "" {
			w := s.player.Run.World
			label := w.Label(ev)
			of = class(w, &label)
		}
		if step.Class == of {
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
