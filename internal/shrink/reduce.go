package shrink

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/macemc/macemc/sim"
)

// A judge decides whether a script still violates. It executes the script and returns what was executed; run is
// invalid if ok is false. An error ends shrinking.
type judge func(ctx context.Context, s Script) (run Script, ok bool, err error)

// textSum is a hash of a script's text.
type textSum [sha256.Size]byte

// reducer shrinks a script while its judge agrees. It is deterministic.
type reducer struct {
	judge  judge
	report func(*reducer) // called before each candidate
	// prepare is called with the best script before a candidate is judged. Nil means that nothing is to be prepared.
	prepare func(best Script)
	effort
	// causes executes a script and returns what was executed, with the cause of each step, see [Player.Causes]. Nil
	// means that causes are unknown.
	causes func(Script) (Script, []int)

	best     Script
	accepted []Script // all best scripts so far, in order
	tried    int
	verdicts
	neutral bool // accept scripts of equal cost
	smaller bool // the best script is not the original one
	over    bool // out of budget or time
	claims       // about best
	err     error
}

// effort limits the work of a reducer.
type effort struct {
	// spent reports whether the budget is used up; halfSpent, whether so much of it is that no steps are relocated.
	spent, halfSpent func() bool
	pace             *pace // of the steps
}

// verdicts are the scripts that are not tried again. The maps are nil at first.
type verdicts struct {
	refused map[textSum]bool // rejected by the judge
	larger  map[textSum]bool // not smaller than the best script
	left    map[textSum]bool // not tried since the best script was accepted, because they would not have ended in time
}

// claims describe what was tried in vain with a script.
type claims struct {
	minimal bool // no single step can be dropped
	pairs   bool // no two causes can be dropped
	choices bool // that was not tried with all combinations of the choices of its crashes
}

// reduce makes the best script as small as possible. Unless the budget ends first, no single step of the result can
// be dropped.
func (r *reducer) reduce(ctx context.Context) {
	r.dropMany(ctx)
	for !r.over {
		r.dropSingle(ctx)
		if r.dropFaults(ctx) || r.dropCauses(ctx) || !r.halfSpent() && r.halve(ctx) {
			continue
		}
		if !r.merge(ctx) && !r.lower(ctx) && !r.dropPairs(ctx) && !dropWithChoices(ctx, r) && !r.relocate(ctx) {
			return
		}
	}
}

// dropMany tries to drop many steps at once.
func (r *reducer) dropMany(ctx context.Context) {
	r.dropFaults(ctx)
	r.dropClasses(ctx)
	r.dropCauses(ctx)
	r.halve(ctx)
}

// halve drops blocks of half of the steps, then of a quarter, and so on.
func (r *reducer) halve(ctx context.Context) (changed bool) {
	for size := len(r.best.Steps) / 2; size > 1; size /= 2 {
		if r.dropBlocks(ctx, size) {
			changed = true
		}
	}
	return changed
}

// try makes s, or what was executed of it, the best script if it violates and is smaller.
func (r *reducer) try(ctx context.Context, s Script) bool {
	if r.over || len(s.Steps) > len(r.best.Steps) {
		return false
	}
	text := textSum(sha256.Sum256([]byte(s.text())))
	if r.refused[text] || r.larger[text] {
		return false
	}
	if ctx.Err() != nil || r.spent() {
		r.over = true
		return false
	}
	if r.refused == nil {
		r.forget()
	}
	if !r.inTime(ctx, &s) {
		r.left[text] = true
		return false
	}
	r.tried++
	r.report(r)
	if r.prepare != nil {
		r.prepare(r.best)
	}
	run, ok, err := r.judge(ctx, s)
	switch {
	case err != nil:
		r.err, r.over = err, true
		return false
	case !ok && ctx.Err() != nil: // interrupted before a verdict
		r.over = true
		return false
	case !ok:
		r.refused[text] = true
		return false
	case !r.neutral && !run.cost().less(r.best.cost()):
		r.larger[text] = true
		return false
	}
	r.best, r.claims, r.left = run, claims{}, map[textSum]bool{}
	r.accepted = append(r.accepted, run)
	r.smaller = r.smaller || !r.neutral
	return true
}

// inTime reports whether a script can be executed in time, and afterwards the result. The original run is not executed again.
func (r *reducer) inTime(ctx context.Context, s *Script) bool {
	if !r.smaller {
		return r.pace.fits(ctx, s, s)
	}
	return r.pace.fits(ctx, s, &r.best)
}

// complete reports whether all candidates were tried that the caller has proposed for the best script.
func (r *reducer) complete(ctx context.Context) bool {
	return !r.over && len(r.left) == 0 && ctx.Err() == nil
}

// forget makes the judge judge candidates again.
func (r *reducer) forget() {
	r.verdicts = verdicts{map[textSum]bool{}, map[textSum]bool{}, map[textSum]bool{}}
}

// dropFaults drops faults: first all, then each, from the last one on.
func (r *reducer) dropFaults(ctx context.Context) (changed bool) {
	if r.best.cost().faults == 0 {
		return false
	}
	all := r.best.only(func(_ int, s *Step) bool { return !s.Kind.Injection() })
	if len(all.Steps) < len(r.best.Steps) && r.try(ctx, all) {
		changed = true
	}
	for i := len(r.best.Steps) - 1; i >= 0; i-- {
		if i < len(r.best.Steps) && r.best.Steps[i].Kind.Injection() && r.try(ctx, r.best.without(i, i+1)) {
			changed = true
		}
	}
	return changed
}

// dropClasses drops all steps of a node, and then those of half of the classes, of a quarter, and so on to single ones.
func (r *reducer) dropClasses(ctx context.Context) (changed bool) {
	nodes := map[sim.NodeID]bool{}
	for i := 0; i < len(r.best.Steps); i++ {
		node := r.best.Steps[i].Node
		if nodes[node] {
			continue
		}
		nodes[node] = true
		if r.try(ctx, r.best.only(func(_ int, s *Step) bool { return s.Node != node })) {
			i, changed = -1, true
		}
	}
	for size := len(r.best.classes()) / 2; size > 0; size /= 2 {
		for end := len(r.best.classes()); end > 0; {
			list := r.best.classes()
			end = min(end, len(list))
			gone := list[max(0, end-size):end]
			if r.try(ctx, r.best.only(func(_ int, s *Step) bool { return !slices.Contains(gone, s.Class) })) {
				changed = true
			}
			end -= size
		}
	}
	return changed
}

// dropBlocks drops blocks of that size, from the last one on, since steps depend on earlier ones.
func (r *reducer) dropBlocks(ctx context.Context, size int) (changed bool) {
	for end := len(r.best.Steps); end > 0; {
		from := max(0, end-size)
		if r.try(ctx, r.best.without(from, end)) {
			changed = true
		}
		end = min(from, len(r.best.Steps))
	}
	return changed
}

// dropSingle leaves out single steps until none can be left out.
func (r *reducer) dropSingle(ctx context.Context) {
	for r.dropBlocks(ctx, 1) {
	}
	r.minimal = r.complete(ctx)
}

// relocate moves actions, timers and faults to other positions, even without a gain, if steps can be dropped then.
// Deliveries follow.
func (r *reducer) relocate(ctx context.Context) bool {
	for from := len(r.best.Steps) - 1; from >= 0; from-- {
		steps := r.best.Steps
		if steps[from].follows() {
			continue
		}
		for to := range len(steps) + 1 {
			// The position relative to steps of other nodes rarely matters.
			earlier := to < from && steps[to].Node == steps[from].Node
			later := to > from+1 && steps[to-1].Node == steps[from].Node
			if !earlier && !later {
				continue
			}
			if r.over || r.halfSpent() {
				return false
			}
			if r.tryReduced(ctx, r.best.moved(from, from+1, to), func(branch *reducer) { branch.dropSingle(ctx) }) {
				return true
			}
		}
	}
	return false
}

// tryReduced reduces a script that may be larger than the best one, and makes it the best if the result is smaller.
func (r *reducer) tryReduced(ctx context.Context, s Script, reduce func(branch *reducer)) bool {
	branch, ok := r.reduced(ctx, s, reduce)
	return ok && r.adopt(branch)
}

// reduced reduces a script that may be larger than the best one, which it leaves as it is. It returns false if the script does
// not violate.
func (r *reducer) reduced(ctx context.Context, s Script, reduce func(branch *reducer)) (*reducer, bool) {
	branch := *r
	branch.best, branch.larger, branch.accepted = s, map[textSum]bool{}, nil
	branch.neutral = true
	found := branch.try(ctx, s)
	branch.neutral = false
	if found {
		reduce(&branch)
	}
	r.tried, r.over, r.err = branch.tried, branch.over, branch.err
	return &branch, found
}

// adopt makes the best script of a branch the best one if it is smaller.
func (r *reducer) adopt(branch *reducer) bool {
	if !branch.best.cost().less(r.best.cost()) {
		return false
	}
	r.best, r.claims, r.left = branch.best, branch.claims, branch.left
	r.accepted, r.smaller = append(r.accepted, branch.best), true
	return true
}

// dropSteps drops many steps at once, and then single ones.
func (r *reducer) dropSteps(ctx context.Context) {
	r.dropMany(ctx)
	r.dropSingle(ctx)
}

// merge reorders steps to have fewer context switches: it moves a step, with the following ones of its node, behind
// the previous ones of the node, or those to it.
func (r *reducer) merge(ctx context.Context) (changed bool) {
	for i := 1; i < len(r.best.Steps); i++ {
		steps := r.best.Steps
		node := steps[i].Node
		if steps[i-1].Node == node {
			continue
		}
		before := i - 1 // the node's previous step
		for before >= 0 && steps[before].Node != node {
			before--
		}
		if before < 0 {
			continue
		}
		end := i + 1
		for end < len(steps) && steps[end].Node == node {
			end++
		}
		first := before
		for first > 0 && steps[first-1].Node == node {
			first--
		}
		if r.try(ctx, r.best.moved(i, end, before+1)) ||
			r.try(ctx, r.best.moved(first, before+1, i)) ||
			end > i+1 && r.try(ctx, r.best.moved(i, i+1, before+1)) ||
			first < before && r.try(ctx, r.best.moved(before, before+1, i)) {
			changed = true
			i = 0
		}
	}
	return changed
}

// lower decreases picks: to 0, then by half, then by one. A seed becomes 0 or stays.
func (r *reducer) lower(ctx context.Context) (changed bool) {
	for list := 0; list <= len(r.best.Steps); list++ {
		for at := 0; list <= len(r.best.Steps) && at < len(r.best.picks(list)); {
			pick, number := r.best.picks(list)[at].Pick, !r.best.picks(list)[at].Kind.Seeds()
			if pick > 0 && (r.try(ctx, r.best.with(list, at, 0)) ||
				number && pick > 2 && r.try(ctx, r.best.with(list, at, pick/2)) ||
				number && pick > 1 && r.try(ctx, r.best.with(list, at, pick-1))) {
				changed = true
				continue // the same position again, if it still exists
			}
			at++
		}
	}
	return changed
}
