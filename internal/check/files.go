package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// files are the path files of a finding.
type files struct {
	error    *pathfile.File
	live     *pathfile.File // nil when no live run is known
	original *pathfile.File // nil when the run was not shrunk
}

// describe adds the finding to the report. If its run does not replay, it returns an error and a path file without
// comments.
func (c *checker) describe(r *report.Report, res *search.Result) (files, error) {
	found := res.Finding
	r.SetFinding(&found.Finding, found.Steps)
	r.Difference, r.Starved, r.Schedule = found.Difference, found.Starved, found.Schedule
	d, dies := res.Detail.(*isolate.Death)
	if dies {
		r.SetFinding(&d.Finding, d.Steps)
		r.Running = d.Running
	}
	h := c.headerFor(r)
	f, err := c.describeRun(r, res, h)
	if err == nil && res.Detail == nil && departs(r.Dead, found) {
		res.Finding = departure(r.Dead, found)
		return c.describe(r, res)
	}
	if err == nil || dies || f.error != nil {
		return f, err
	}
	as := *found
	if detail, ok := res.Detail.(*critical.Result); ok {
		as.Path = detail.Dead
	}
	file, _, failed := outline(&c.sys, &as, c.patient())
	if failed != nil {
		return f, errors.Join(err, failed)
	}
	file.Header = replay.HeaderOf(&c.sys, h)
	f.error = file
	if found.Kind == sim.Nondeterminism {
		err = fmt.Errorf("the run differs again when repeated: %w", err)
	}
	return f, err
}

// departs reports whether the described run of a finding does not end in it. The last state may violate several properties.
func departs(t *replay.Trace, found *search.Suspect) bool {
	if found.Late || found.Property == kernel.MessagesProperty || found.Kind != sim.Safety && found.Kind != sim.Panic {
		return false
	}
	if t.Finding == nil || t.FoundAt != found.Steps {
		return true
	}
	as := found.Finding
	as.Property = t.Finding.Property
	return !isolate.SameFinding(t.Finding, &as)
}

// departure returns the finding that the described run of a finding does not end in it.
func departure(t *replay.Trace, found *search.Suspect) *search.Suspect {
	end := "ends without a finding"
	if t.Finding != nil {
		end = fmt.Sprintf("ends in step %d: %v", t.FoundAt, t.Finding)
	}
	as := *found
	as.Finding = sim.Finding{Kind: sim.Nondeterminism, Node: -1, Message: fmt.Sprintf("%s (%s) was found but does not recur: "+
		"described in the process that searched, the run %s", what(found), found.Message, end)}
	as.Steps = len(t.Steps)
	return &as
}

// headerFor returns the header of the path file of a finding.
func (c *checker) headerFor(r *report.Report) pathfile.Header {
	h := c.header()
	h.Seed, h.Property, h.Schedule = r.Seed, r.Property, r.Schedule
	h.Finding, h.Note = string(r.Kind), note(r)
	return h
}

// describeRun adds the run of the finding to the report.
func (c *checker) describeRun(r *report.Report, res *search.Result, h pathfile.Header) (f files, err error) {
	found := res.Finding
	switch detail := res.Detail.(type) {
	case *isolate.Death:
		if err := c.describeDeath(detail); err != nil {
			f.error = detail.Outline(&c.sys, h)
			return f, err
		}
		r.Dead = detail.Trace(&c.sys)
		f.error, err = detail.File(&c.sys, h)
		return f, err
	case *critical.Result:
		return c.describeDead(r, detail, h)
	}
	if r.Dead, err = replay.RecordNear(&c.sys, found.Path, c.tracing(), shown(found.Steps)); err != nil {
		return f, err
	}
	r.Explain = explanation(r.Dead, found.Property)
	if s := found.Starved; s != nil {
		h.Endless, h.Round = true, s.Round
		if err := r.Dead.SetRound(s.Round); err != nil {
			return f, err
		}
	}
	f.error = r.Dead.File(&c.sys, h)
	return f, nil
}

// describeDeath executes the run of a death in another process, as executing it here may end this one.
func (c *checker) describeDeath(d *isolate.Death) error {
	return d.Describe(context.Background(), c.fresh(), d.Steps-fullSteps+1)
}

// fullSteps is how many steps before and after an important one are described in full. Stacks of all goroutines are
// expensive.
const fullSteps = 12

// shown returns a function that reports whether a step is described in full. marks are the important steps of the
// run.
func shown(marks ...int) func(step int) bool {
	return func(step int) bool {
		return slices.ContainsFunc(marks, func(mark int) bool { return step > mark-fullSteps && step < mark+fullSteps })
	}
}

// tracing returns the options for reported runs. A function that the search did not depend on, such as Explain, may
// not return.
func (c *checker) tracing() kernel.Options {
	return kernel.Options{Trace: true, Overdue: runloop.Overdue(c.fresh().Limit)}
}

// patient returns the options for executing checked code again: contained, with a limit on handlers that do not
// return.
func (c *checker) patient() kernel.Options {
	return kernel.Options{Contain: true, Overdue: runloop.Overdue(c.fresh().Limit)}
}

// describeDead adds a dead run and the nearest live run.
func (c *checker) describeDead(r *report.Report, of *critical.Result, h pathfile.Header) (f files, err error) {
	if r.Dead, err = replay.RecordNear(&c.sys, of.Dead, c.tracing(), shown(of.Bound, of.Steps)); err != nil {
		return f, err
	}
	r.Steps = len(r.Dead.Steps)
	r.Critical = report.CriticalOf(of, r.Dead)
	r.Engine.Add(of.Engine)
	r.Property = deadProperty(r.Dead, of.Step, r.Property)
	r.Explain, h.Property, h.Finding = explanation(r.Dead, r.Property), r.Property, string(r.Kind)
	if r.Shrunk != nil {
		r.Message = cmp.Or(r.Explain, r.Message)
		h.Note = note(r)
	}
	if f.error = r.Dead.File(&c.sys, h); of.Live == nil {
		return f, nil
	}
	live, err := replay.RecordNear(&c.sys, of.Live, c.tracing(), shown(of.LiveCommon))
	if err != nil {
		return f, err
	}
	r.SetLive(live, of.LiveCommon)
	h.Finding, h.Property, h.Known, h.Note = "", "", "", "the nearest run that recovers"
	f.live = live.File(&c.sys, h)
	return f, nil
}

// deadProperty returns the property that a dead run violates: the suspected one if it never holds after the critical
// step, otherwise the first one that never holds. If all hold at some time, it returns the suspected one.
func deadProperty(t *replay.Trace, critical int, suspected string) string {
	never := ""
	for _, p := range t.Properties {
		holds := func(s replay.TraceStep) bool { return !slices.Contains(s.Failing, p.Name) }
		if p.Kind == "eventually" && !p.Holds && !slices.ContainsFunc(t.Steps[max(critical, 1)-1:], holds) {
			if p.Name == suspected {
				return suspected
			}
			never = cmp.Or(never, p.Name)
		}
	}
	return cmp.Or(never, suspected)
}

// note describes the violation for the header of a path file.
func note(r *report.Report) string { return string(r.Kind) + ": " + r.Message }

// explanation returns the property's explanation of the last state.
func explanation(t *replay.Trace, property string) string {
	for _, p := range t.Properties {
		if p.Name == property {
			return p.Explain
		}
	}
	return ""
}
