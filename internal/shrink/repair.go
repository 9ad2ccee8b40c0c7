package shrink

import (
	"cmp"
	"context"
	"slices"
)

const (
	// leastRepair is the maximum number of steps of walks that repair a part of a candidate, at first. It grows by the factor
	// moreRepair when all candidates were tried, up to insideSteps.
	leastRepair = 500
	moreRepair  = 4
	// repairedPerPair is the number of steps of walks since the last smaller run, for each pair of steps of the best run, after
	// which no more candidates are tried: a short run has little to gain.
	repairedPerPair = 320
)

// repaired holds the successive parts of a candidate that walks replace, in outOfParts parts.
var repaired = []int{1, 2, 4}

// repair drops steps that the best run needs, and searches for the finding by walks from near the end of what is left. Smaller
// runs often differ from the best one in its middle, and then also in its end. It reports whether it found a smaller run.
func (r *reducer) repair(ctx context.Context, s *restarter) (changed bool) {
	missed, began := 0, s.steps
	groups := r.needed()
	for most := leastRepair; most <= insideSteps; most *= moreRepair {
		for i := 0; i < len(groups); i++ {
			n := len(r.best.Steps)
			if n < leastRestarted || missed >= 2*n || s.steps-began >= repairedPerPair*n*(n-1)/2 || r.over || ctx.Err() != nil || s.spent() {
				return changed
			}
			switch found, smaller := r.repairWithout(ctx, s, groups[i], most); {
			case smaller:
				missed, began, changed = 0, s.steps, true
				most, i, groups = leastRepair, -1, r.needed()
			case found:
				missed++
			}
		}
	}
	return changed
}

// needed returns groups of steps of the best run: each fault, each cause with its consequences, and blocks, the largest first.
func (r *reducer) needed() [][]int {
	script, causes := r.causes(r.best)
	n := len(script.Steps)
	var all [][]int
	for i := range script.Steps {
		if script.Steps[i].faults() > 0 {
			all = append(all, []int{i})
		}
	}
	caused := consequences(causes)
	slices.SortStableFunc(caused, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	all = append(all, caused...)
	for size := n / 2; size > 0; size /= 2 {
		for end := n; end > 0; end -= size {
			var block []int
			for i := max(0, end-size); i < end; i++ {
				block = append(block, i)
			}
			all = append(all, block)
		}
	}
	var groups [][]int
	for _, g := range all {
		if len(g) < n && !slices.ContainsFunc(groups, func(other []int) bool { return slices.Equal(other, g) }) {
			groups = append(groups, g)
		}
	}
	return groups
}

// repairWithout is repair for one group of steps. Its walks have at most that many steps for each part that they replace, and
// end with the first run that violates. It reports whether it found a run, and whether it found a smaller one.
func (r *reducer) repairWithout(ctx context.Context, s *restarter, group []int, most int) (found, smaller bool) {
	n, size := len(r.best.Steps), r.best.cost().size()
	s.trace.Base(r.best)
	s.trace.Play(r.best.excluding(group))
	s.trace.Base(Script{})
	path, bounds := s.trace.Run.Path.Clone(), slices.Clone(s.trace.Run.Bounds)
	for _, part := range repaired {
		left := len(bounds) - max(1, n*part/outOfParts)
		if left < 0 {
			break
		}
		s.beginAfter(path, bounds, left)
		s.count = 0
		other, ok := s.next(ctx, r.best.last(), n, most)
		if !ok {
			continue
		}
		if branch, ok := r.reduced(ctx, other, func(branch *reducer) { branch.dropSteps(ctx) }); ok {
			r.adopt(branch)
		}
		return true, r.best.cost().size().less(size)
	}
	return false, false
}
