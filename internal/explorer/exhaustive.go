package explorer

import (
	"math"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// Unbounded means that the number of preemptions is not limited.
const Unbounded = math.MaxInt

// Bounds of an exhaustive exploration that no flag requested.
const (
	exhaustiveRuns    = 2000
	exhaustiveChoices = 100 // points with a choice in the first run
)

// reduceFrom is the preemption bound after which a search of all orders with sleep sets is tried.
const reduceFrom = 2

// independent reports whether the order of two operations with these masks does not matter. Masks without a common object are independent,
// but ^0, of operations that let time pass and others that may affect anything, depends on every mask: also a goroutine that uses no object
// may read the clock or set a timer.
func independent(mask, other uint64) bool {
	const all = ^uint64(0)
	return mask&other == 0 && mask != all && other != all
}

// Coverage describes the schedules that an exploration has covered completely.
type Coverage struct {
	Schedules   int
	Preemptions int  // maximum per schedule; Unbounded means any number
	Timers      bool // some of the preemptions are early timers: they fire while a goroutine can run
	Values      bool // some of the preemptions are values of pools other than the usual ones
	Race        bool // whether the race detector was active
	// Delays is the maximum sum of the delays between two instants at which all goroutines wait, if a timer was too far away to fire while
	// a goroutine can run, so that longer delays may lead to other ends; else 0.
	Delays  time.Duration
	Reduced bool // every other schedule leads to the same states as one of these (sleep sets; Godefroid, 1996)
	// Drawn are sources of randomness that the runs used. A goroutine draws the same values in all of these runs, so that schedules with
	// other values are missing.
	Drawn testsched.Sampled
}

// node is a decision of the current run.
type node struct {
	kind        uint32
	options     []testsched.Option
	taken       uint32
	asleep      []uint64 // sleep set: goroutines whose choice leads to explored runs
	preemptions int      // number of preemptions before the decision
}

// orders reports whether the options are goroutines and timers.
func (n *node) orders() bool { return n.kind == testsched.AtPoint || n.kind == testsched.AtEnd }

// cost returns the number of preemptions of an option. Time that passes although a goroutine could continue counts as one, and so does
// an unusual value of a pool.
func (n *node) cost(option uint32) int {
	costs := false
	switch n.kind {
	case testsched.AtPoint, testsched.AtPool:
		costs = option > 0
	case testsched.AtEnd:
		costs = !n.options[0].Timer() && n.options[option].Timer()
	}
	if costs {
		return 1
	}
	return 0
}

// tree enumerates runs in depth-first order.
type tree struct {
	bound   int // maximum number of preemptions
	reduce  bool
	nodes   []node
	skipped bool          // whether an option exceeded the bound
	timers  bool          // Coverage.Timers
	values  bool          // Coverage.Values
	delays  time.Duration // Coverage.Delays
	drawn   testsched.Sampled
}

// plan returns the plan of the next run.
func (t *tree) plan() *testsched.Plan {
	p := &testsched.Plan{Reduce: t.reduce}
	for i := range t.nodes {
		p.Taken = append(p.Taken, t.nodes[i].taken)
	}
	if n := len(t.nodes); n > 0 {
		p.Asleep = t.nodes[n-1].after()
	}
	return p
}

// after returns the sleep set after the decision.
func (n *node) after() (asleep []uint64) {
	if !n.orders() {
		return n.asleep
	}
	mask := n.options[n.taken].Mask
	for _, who := range n.asleep {
		for _, o := range n.options {
			if o.Who == who && independent(o.Mask, mask) {
				asleep = append(asleep, who)
			}
		}
	}
	return asleep
}

// add adds the decisions of a run. It returns false if the run deviated from the plan.
func (t *tree) add(decisions []testsched.Decision) bool {
	if len(decisions) < len(t.nodes) {
		return false
	}
	for i, d := range decisions {
		if i < len(t.nodes) {
			n := &t.nodes[i]
			if n.kind != d.Kind || n.taken != d.Taken || !slices.EqualFunc(n.options, d.Options, testsched.Option.Same) {
				return false
			}
			continue
		}
		n := node{kind: d.Kind, taken: d.Taken, options: slices.Clone(d.Options)}
		if i > 0 {
			last := &t.nodes[i-1]
			n.preemptions = last.preemptions + last.cost(last.taken)
			if t.reduce {
				n.asleep = last.after()
			}
		}
		t.nodes = append(t.nodes, n)
		if n.orders() && slices.Contains(n.asleep, n.options[n.taken].Who) {
			break // the rest is explored already
		}
	}
	return true
}

// next takes another option of the last decision that has one. It returns false if none is left.
func (t *tree) next() bool {
	for len(t.nodes) > 0 {
		n := &t.nodes[len(t.nodes)-1]
		k := n.taken + 1
		if t.reduce && n.orders() {
			n.asleep = append(slices.Clone(n.asleep), n.options[n.taken].Who)
			k = 0
		}
		for ; k < uint32(len(n.options)); k++ {
			if n.orders() && slices.Contains(n.asleep, n.options[k].Who) {
				continue
			}
			t.timers = t.timers || n.orders() && n.cost(k) > 0 && n.options[k].Timer()
			t.values = t.values || n.kind == testsched.AtPool
			if n.preemptions+n.cost(k) > t.bound {
				t.skipped = true
				continue
			}
			n.taken = k
			return true
		}
		t.nodes = t.nodes[:len(t.nodes)-1]
	}
	return false
}

// coverage describes the runs of the tree, whose number is given, with at most so many preemptions.
func (t *tree) coverage(runs, preemptions int, race bool) *Coverage {
	return &Coverage{Schedules: runs, Preemptions: preemptions, Timers: t.timers, Values: t.values, Race: race, Delays: t.delays, Reduced: t.reduce,
		Drawn: t.drawn}
}

// exhaust explores all schedules with no preemption, with one, and so on (Musuvathi and Qadeer, PLDI 2007), and all orders with sleep sets.
// If they draw, it samples the first minSaturated schedules, as an exploration without the flag does, and later every other one. It
// stops after limit runs; 0 means no limit. It reports whether the exploration of the test is finished. Runs that draw do not finish it,
// because other draws may fail.
func (d *director) exhaust(limit int) (ended bool) {
	c, r := d.Config, d.result
	if c.Intrinsics && !c.Exhaustive {
		return false
	}
	preemptions := Unbounded
	if c.Exhaustive {
		preemptions = c.Preemptions
	}
	ended = d.levels(limit, preemptions)
	switch {
	case r.Complete == nil:
	case r.recurred():
		r.Complete, r.Missing = nil, "runs end with a known finding"
	case c.Intrinsics:
		r.Complete, r.Missing = nil, "functions of package sync/atomic are not scheduling points in "+c.Package
	}
	return ended
}

// levels explores levels up to a number of preemptions. It stops and reports as exhaust does.
func (d *director) levels(limit, preemptions int) (ended bool) {
	c, r := d.Config, d.result
	first := r.Schedules
	left := func(part int) bool {
		switch {
		case c.Schedules > 0 && r.Schedules >= c.Schedules, r.over(c, d.start, part):
			r.Missing = "the limits of the exploration were reached"
		case limit > 0 && (r.Schedules-first)*part >= limit:
			r.Missing = "the test is not small"
		default:
			return true
		}
		return false
	}
	for bound := 0; ; bound++ {
		t := &tree{bound: bound}
		runs, ended := d.level(t, func() bool { return left(1) })
		if ended {
			return true
		}
		if runs == 0 {
			break
		}
		r.Complete = t.coverage(runs, bound, c.Race)
		if !t.skipped {
			r.Complete.Preemptions = Unbounded
			break
		}
		if bound >= preemptions {
			break
		}
		if bound == reduceFrom && preemptions == Unbounded {
			t := &tree{bound: Unbounded, reduce: true}
			runs, ended := d.level(t, func() bool { return left(2) })
			if ended {
				return true
			}
			if runs > 0 {
				r.Complete = t.coverage(runs, Unbounded, c.Race)
				break
			}
		}
	}
	if r.Complete == nil || r.Complete.Preemptions < preemptions {
		return false
	}
	r.Missing = ""
	return r.Complete.Drawn == 0
}

// restarts is the maximum number of times that a tree is explored anew because a run deviates from earlier ones. A deviation may be due to
// work that an earlier run did once for the whole process, such as the initialization of a package of the distribution.
const restarts = 2

// level executes the runs of a tree and returns their number; 0 means that the tree was not completed. ended means that the exploration is
// finished.
func (d *director) level(t *tree, left func() bool) (runs int, ended bool) {
	r, p := d.result, plans{d.exploration, map[string]*testsched.Outcome{}}
	for again := 0; ; {
		if !left() {
			return 0, false
		}
		if d.step(p.schedule(t)) {
			return 0, true
		}
		o := r.Last
		if o.Delays {
			t.delays = r.Delays
		}
		t.drawn, r.drawn = t.drawn|o.Sampled, r.drawn|o.Sampled
		for more := r.drawn != 0 && d.Exhaustive; more; more = r.Schedules < minSaturated {
			if !left() {
				return 0, false
			}
			if d.sample() {
				return 0, true
			}
		}
		switch {
		case t.reduce && r.knows(o): // the operations after it are not executed in an equivalent order
			r.Missing = "runs end with a known finding"
		case o.Long || o.Kind == testsched.NoEnd:
			r.Missing = "a run is too long"
		case o.Sampled != 0 && !d.Exhaustive:
			r.Missing = "it draws " + o.Sampled.String()
		case o.Outside:
			r.Missing = "it waits for something outside the test"
		case o.LeftOut != "":
			r.Missing = o.LeftOut
		case !t.add(o.Decisions):
			if again++; again <= restarts {
				*t, runs = tree{bound: t.bound, reduce: t.reduce}, 0
				clear(p.outcomes)
				continue
			}
			r.Missing = "a run depends on package variables that earlier runs changed"
		default:
			if !o.Cut {
				runs++
			}
			if !t.next() {
				return runs, false
			}
			continue
		}
		r.Complete = nil
		return 0, false
	}
}
