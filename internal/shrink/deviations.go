package shrink

import (
	"context"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

const (
	// mostDeviations is the maximum number of answers other than the first alternative in a run that deviate tries.
	mostDeviations = 4
	// mostDeviating is the maximum number of runs that it tries.
	mostDeviating = 20_000
)

// deviate tries the runs with fewer steps than the best one, and at most its faults: first those with one answer other than the first
// alternative, then with two, and so on (limited discrepancy search: Harvey and Ginsberg, IJCAI 1995). A crash inside a step may have the
// effect of several steps that cannot be dropped one by one. It reports whether a run is smaller.
func deviate(ctx context.Context, r *reducer, p *Player, finding *sim.Finding) bool {
	if len(r.best.Steps) < 2 || len(crashChoices(r.best)) == 0 {
		return false
	}
	src := &deviations{steps: len(r.best.Steps) - 1, faults: r.best.cost().faults}
	for src.most = 1; src.most <= mostDeviations; src.most++ {
		src.plan = src.plan[:0]
		for more := true; more; more = src.next() {
			if src.tried++; r.over || ctx.Err() != nil || r.spent() || src.tried > mostDeviating || !r.inTime(ctx, &r.best) {
				return false
			}
			found, err := src.play(p)
			if found == nil || err != nil || !same(found, finding) {
				continue
			}
			run, err := p.Follow(p.Run.Path.Clone())
			if err == nil && run.Script.last() == r.best.last() &&
				r.tryReduced(ctx, run.Script, func(branch *reducer) { branch.dropSteps(ctx) }) {
				return true
			}
		}
	}
	return false
}

// deviations answers the choices of short runs, those of events included, by a plan and then by the first alternatives.
type deviations struct {
	plan   []int
	points []deviation // of the latest run
	most   int         // maximum number of answers other than the first alternative
	steps  int         // maximum number of steps
	faults int         // maximum number of faults
	tried  int
}

// deviation is a choice of a run.
type deviation struct {
	pick, first, arity int
	fault              int // picks from here on are faults
}

// play executes the run of the plan, and returns its finding.
func (d *deviations) play(p *Player) (*sim.Finding, error) {
	var out Played
	d.points = d.points[:0]
	over := p.ended(&out, p.start(d))
	for steps := 0; !over && steps < d.steps && !p.cut(&out); steps++ {
		_, enabled := p.events(true)
		n := enabled + len(p.faults)
		if n == 0 {
			break
		}
		index := d.take(deviation{arity: n, fault: enabled})
		p.Steps++
		over = p.ended(&out, p.Run.Step(index, d))
	}
	return out.Finding, out.Err
}

// Choose implements [choose.Source].
func (d *deviations) Choose(at choose.Point) int {
	point := deviation{first: choose.First.Choose(at), arity: at.Arity, fault: at.Arity}
	switch at.Kind.Class() {
	case choose.Seed, choose.Reseed:
		point.arity = 1
	case choose.Fault:
		point.first, point.fault = 0, 1
	}
	return d.take(point)
}

func (d *deviations) take(point deviation) int {
	point.pick = point.first
	if i := len(d.points); i < len(d.plan) && d.plan[i] < point.arity {
		point.pick = d.plan[i]
	}
	d.points = append(d.points, point)
	return point.pick
}

// next makes the next plan. It returns false if there is none with at most so many deviations and faults.
func (d *deviations) next() bool {
	for i, point := range slices.Backward(d.points) {
		before, faults := 0, 0
		for _, p := range d.points[:i] {
			if p.pick != p.first {
				before++
			}
			if p.pick >= p.fault {
				faults++
			}
		}
		pick, from := point.pick+1, point.pick
		if from == point.first { // the other alternatives follow
			pick = 0
		}
		if pick == point.first {
			pick++
		}
		if pick < point.arity && before < d.most && (pick < point.fault || faults < d.faults) {
			d.plan = d.plan[:0]
			for _, p := range d.points[:i] {
				d.plan = append(d.plan, p.pick)
			}
			d.plan = append(d.plan, pick)
			return true
		}
	}
	return false
}
