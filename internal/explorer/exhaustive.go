package explorer

import (
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
)

// Bounds of an exhaustive exploration that no flag requested.
const (
	exhaustiveRuns    = 2000
	exhaustiveChoices = 100 // points with a choice in the first run
)

// reduceFrom is the preemption bound after which a search of all orders with sleep sets is tried.
const reduceFrom = 2

// exhaust explores all schedules with no preemption, with one, and so on (Musuvathi and Qadeer, PLDI 2007), and all orders with sleep sets.
// If they draw, it samples the first minSaturated schedules, as an exploration without the flag does, and later every other one. It
// stops after limit runs; 0 means no limit. It reports whether the exploration of the test is finished. Runs that draw do not finish it,
// because other draws may fail.
func (d *director) exhaust(limit int) (ended bool) {
	c, r := d.Config, d.result
	if c.Intrinsics && !c.Exhaustive {
		return false
	}
	preemptions := systematic.Unbounded
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
		t := &systematic.Tree{Bound: bound}
		runs, ended := d.level(t, func() bool { return left(1) })
		if ended {
			return true
		}
		if runs == 0 {
			break
		}
		r.Complete = t.Coverage(runs, bound, c.Race)
		if !t.Skipped {
			r.Complete.Preemptions = systematic.Unbounded
			break
		}
		if bound >= preemptions {
			break
		}
		if bound == reduceFrom && preemptions == systematic.Unbounded {
			t := &systematic.Tree{Bound: systematic.Unbounded, Reduce: true}
			runs, ended := d.level(t, func() bool { return left(2) })
			if ended {
				return true
			}
			if runs > 0 {
				r.Complete = t.Coverage(runs, systematic.Unbounded, c.Race)
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
func (d *director) level(t *systematic.Tree, left func() bool) (runs int, ended bool) {
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
			t.Delays = r.Delays
		}
		t.Drawn, r.drawn = t.Drawn|o.Sampled, r.drawn|o.Sampled
		for more := r.drawn != 0 && d.Exhaustive; more; more = r.Schedules < minSaturated {
			if !left() {
				return 0, false
			}
			if d.sample() {
				return 0, true
			}
		}
		switch {
		case t.Reduce && r.knows(o): // the operations after it are not executed in an equivalent order
			r.Missing = "runs end with a known finding"
		case o.Long || o.Kind == testsched.NoEnd:
			r.Missing = "a run is too long"
		case o.Sampled != 0 && !d.Exhaustive:
			r.Missing = "it draws " + o.Sampled.String()
		case o.Outside:
			r.Missing = "it waits for something outside the test"
		case o.LeftOut != "":
			r.Missing = o.LeftOut
		case !t.Add(o.Decisions):
			if again++; again <= restarts {
				*t, runs = systematic.Tree{Bound: t.Bound, Reduce: t.Reduce}, 0
				clear(p.outcomes)
				continue
			}
			r.Missing = "a run depends on package variables that earlier runs changed"
		default:
			if !o.Cut {
				runs++
			}
			if !t.Next() {
				return runs, false
			}
			continue
		}
		r.Complete = nil
		return 0, false
	}
}
