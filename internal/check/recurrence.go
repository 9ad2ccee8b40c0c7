package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// recur executes a finding again from its path, several times in a fresh process if one can be started, and findings of
// liveness, deadlock and starvation also in this one. A finding that does not recur becomes a finding of
// nondeterminism. If it cannot be executed to its end in time, it becomes a suspect.
//
// Findings of nondeterminism are already differences of executions, and deaths were already confirmed in fresh
// processes.
func (c *checker) recur(ctx context.Context, res *search.Result) {
	f := res.Finding
	if f == nil || f.Late || f.Kind == sim.Nondeterminism {
		return
	}
	path := f.Path
	switch detail := res.Detail.(type) {
	case *isolate.Death:
		return
	case *critical.Result:
		path = detail.Dead
	}
	c.suspectFile.put(f, report.Suspected)
	ctx, cancel := c.graceful(ctx)
	defer cancel()
	r := &recurrence{c: c, found: f, path: path}
	decided := false
	err := defect.Guard(func() (err error) {
		decided, err = r.decide(ctx)
		return err
	})
	c.problem = errors.Join(c.problem, err)
	switch {
	case !decided || err != nil:
		c.suspectFile.release(f, false)
		res.Finding, res.Detail, res.Suspect = nil, nil, f
		res.Suspects++
		res.Undecided++
		if res.Verdict == search.Violation {
			res.Verdict = search.Inconclusive
		}
	case !r.recurs():
		res.Finding, res.Detail = r.nondeterminism(), nil
		c.suspectFile.put(res.Finding, report.Confirmed)
	default:
		c.suspectFile.put(f, report.Confirmed)
	}
}

// graceful returns a context that ends some time after ctx, which leaves time to execute a finding again after a stop
// request. It also ends some time after the work that follows a finding, see [budget.FollowLimit].
func (c *checker) graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(budget.LeastConfirming, cancel) })
	if c.Search.Time == 0 {
		return longer, func() { stop(); cancel() }
	}
	limited, end := budget.WithDeadline(longer, c.start+budget.FollowLimit(c.Search.Time)+leastRecurring)
	return limited, func() { stop(); cancel(); end() }
}

// executedLater is the number of executions for which time must be left after one in a fresh process, for one more in this process.
const executedLater = 8

// leastRecurring is the time for executing a smaller run again after shrinking has used up the time.
const leastRecurring = time.Second

// recurrence compares a finding with another execution of its path.
type recurrence struct {
	c     *checker
	found *search.Suspect
	path  []int32

	again *isolate.Execution // in a fresh process, or in this one if none could be started
	death *isolate.Death     // of the fresh process; if set, again is nil
	here  *isolate.Execution // in this process; nil until needed
}

// decide executes the path. It returns false if the execution did not end in time.
func (r *recurrence) decide(ctx context.Context) (bool, error) {
	by := isolate.Comparison{
		Messages: r.found.Property == kernel.MessagesProperty,
		Last: slices.IndexFunc(r.c.sys.Properties, func(p sim.Property) bool {
			return p.Sometimes != nil && p.Name == r.found.Property
		}),
	}
	execute := func(times int) (*isolate.Execution, error) { // in this process
		return isolate.Repeat(times, &r.c.sys, r.c.patient(), r.path, by, func(int) error { return ctx.Err() })
	}
	began := budget.Now()
	var err error
	if r.c.Respawn != nil {
		r.again, r.death, err = r.c.fresh().Execute(ctx, r.path, by)
		if ctx.Err() != nil {
			return false, nil
		}
	}
	fresh := r.again != nil
	left, _ := budget.Left(ctx)
	took := budget.Now() - began
	hurried := fresh && left/executedLater < took
	if r.c.asFound.report == nil {
		r.c.asFound.executing = took
	}
	if !fresh && r.death == nil { // also if no process could be started
		r.again, err = execute(isolate.MaxExecutions)
	}
	if r.death != nil && r.death.Endless && r.found.Kind != sim.Divergence {
		return false, err
	}
	if r.again != nil && r.again.Other != nil {
		if r.here = r.again.Other; r.shows(r.again) {
			r.here, r.again = r.again, r.here
		}
		return true, err
	}
	switch kind := r.found.Kind; {
	case err != nil:
	case kind == sim.Liveness, kind == sim.Deadlock, kind == sim.Starvation, !r.recurs():
		r.here, err = execute(isolate.MaxExecutions)
	case fresh && !hurried: // this process describes the run, which also shows whether the finding is the same
		if r.here, err = execute(1); err == nil && !r.shows(r.here) {
			r.here, r.again = r.again, r.here
		}
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return false, nil
	}
	return true, err
}

// recurs reports whether the other execution shows the same finding.
func (r *recurrence) recurs() bool {
	if d := r.death; d != nil { // the process that searched survived a panic
		return r.found.Kind == sim.Divergence && d.Kind == sim.Divergence && d.Steps == r.found.Steps
	}
	switch r.found.Kind {
	case sim.Liveness, sim.Deadlock, sim.Starvation:
		again := r.again
		if r.here == nil || again.Finding != nil || again.Mismatch != "" || again.Live[len(again.Live)-1] && r.found.Kind != sim.Starvation {
			return false
		}
		if _, _, same := r.here.FirstDifference(again); !same || r.found.Starved == nil {
			return same
		}
		last, round := len(again.States)-1, r.found.Starved.Round // the last steps return to the state before them
		return round <= last && slices.Equal(again.States[last], again.States[last-round])
	}
	return r.shows(r.again)
}

// shows reports whether an execution ends in the finding, in the same step.
func (r *recurrence) shows(x *isolate.Execution) bool {
	return x.Finding != nil && x.Step() == r.found.Steps && isolate.SameFinding(x.Finding, &r.found.Finding)
}

// nondeterminism returns the finding that another execution of the path differs.
func (r *recurrence) nondeterminism() *search.Suspect {
	f := r.found
	sus := &search.Suspect{Finding: sim.Finding{Kind: sim.Nondeterminism, Node: -1}, Path: r.path, Steps: f.Steps,
		Strategy: f.Strategy, Schedule: f.Schedule, Depth: f.Depth}
	end := ""
	if r.death != nil {
		end = "ends in step " + fmt.Sprint(r.death.Steps) + ": " + r.death.Message
		sus.Steps = r.death.Steps
	} else {
		end = r.again.End()
		step, in, same := r.here.FirstDifference(r.again)
		if !same {
			sus.Steps = step
		}
		if in != nil {
			sus.Difference = &stats.Difference{Step: step, Where: in.String()}
			if in.Kind == kernel.NodeState {
				sus.Node = sim.NodeID(in.Index)
			}
		}
	}
	ends := r.here.Ends
	if r.again != nil && len(r.again.Ends) > len(ends) {
		ends = r.again.Ends
	}
	if sus.Steps < len(ends) {
		sus.Path = r.path[:ends[sus.Steps]]
	} else if r.here.Mismatch != "" && len(ends) > 0 {
		sus.Path = r.path[:ends[len(ends)-1]]
	}
	sus.Message = fmt.Sprintf("%s (%s) was found but does not recur: executed again, the run %s; "+
		"step %d of the original run is the first that differs", what(f), f.Message, end, sus.Steps)
	return sus
}

// what names a finding by its kind and property.
func what(f *search.Suspect) string {
	if f.Property == "" {
		return string(f.Kind)
	}
	return string(f.Kind) + ": " + f.Property
}
