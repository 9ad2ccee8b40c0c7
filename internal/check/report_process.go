package check

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// ReportDeath reports how checked code killed the search process.
func ReportDeath(ctx context.Context, o Options, out isolate.Outcome) (*report.Report, error) {
	d := out.Death
	if d.Making { // and it contains nothing to select by name
		o.Search.System, o.Search.Property = d.Hollow(o.Search.System), ""
	}
	c, err := newChecker(o)
	if err != nil {
		return nil, err
	}
	c.start = budget.Now() - o.Search.Time // as it may have used all of its time
	c.suspectFile = suspectFileOf(&out, c)
	res := &search.Result{
		Verdict: search.Violation,
		Finding: &search.Suspect{Finding: d.Finding, Path: d.Path(), Steps: d.Steps, Strategy: o.Search.Strategy},
		Detail:  d,
		Stopped: stats.StoppedFound,
		Stats:   statsOf(&out),
	}
	known, err := c.accept(ctx)
	if err != nil {
		return nil, err
	}
	if !o.KeepGoing && len(known) == 0 {
		c.writeOutline(res, d)
		return c.conclude(ctx, res)
	}
	k := c.keeper(known)
	k.recover(out.Found)
	res.Last = "it terminated the search process"
	if err := k.found(ctx, res); err != nil {
		return nil, err
	}
	if res.Accepted {
		res.Verdict, res.Finding, res.Detail = search.Inconclusive, nil, nil
	}
	return k.conclude(res)
}

// writeOutline writes the path of a death before the run is executed in this process, which may end it. It drops the
// error, because a finding that cannot be written here cannot be written later either.
func (c *checker) writeOutline(res *search.Result, d *isolate.Death) {
	r := c.report(res)
	r.SetFinding(&d.Finding, d.Steps)
	r.Running = d.Running
	f := d.Outline(&c.sys, c.headerFor(r))
	if f != nil && !c.Replace && c.write(r, files{error: f}) == nil {
		c.unshrunkDir = filepath.Dir(r.PathFile)
	}
}

// ReportLost reports on a search after its process died. err is the error of Run of [isolate.Supervisor].
func ReportLost(o Options, out isolate.Outcome, err error) *report.Report {
	c, _ := newChecker(o) // the search has selected the same property
	c.suspectFile = suspectFileOf(&out, c)
	res := &search.Result{Stopped: stats.StoppedLost, Stats: statsOf(&out)}
	var lost *isolate.LostError
	var unresponsive *isolate.UnresponsiveError
	switch {
	case errors.As(err, &unresponsive) && !unresponsive.Told:
		res.Stopped = stats.StoppedUnresponsive
	case unresponsive != nil:
		res.Stopped = stats.StoppedInterrupted
	case errors.Is(err, isolate.ErrKilled):
		res.Stopped = stats.StoppedInterrupted
	case errors.As(err, &lost) && lost.Memory:
		res.Stopped = stats.StoppedMemory
	case exitcode.OutOfResource(err):
		res.Stopped = stats.StoppedDisk
	}
	res.Verdict = search.Conclude(false, res.Stopped, false)
	r := c.report(res)
	if len(out.Found) > 0 {
		k := c.keeper(nil)
		k.recover(out.Found)
		r, _ = k.conclude(res)
	}
	r.Message = err.Error()
	if lost != nil && len(lost.LastSteps) > 0 && out.Suspect == nil && len(out.Found) == 0 {
		out.Suspect = c.leftBehind(lost)
	}
	if s := out.Suspect; s != nil && s.Run() != nil {
		f := sim.Finding{Kind: s.Kind, Property: s.Property, Message: s.Message, Node: -1}
		sus := &search.Suspect{Finding: f, Strategy: o.Search.Strategy}
		c.suspectFile.putExecuted(sus, s.Run())
		out.Suspect = &isolate.PendingSuspect{Suspect: *c.suspectFile.entry(sus, s.Status)}
	}
	if s := out.Suspect; s != nil && !slices.Contains(out.Found, filepath.Dir(s.PathFile)) {
		r.SetSuspect(&s.Suspect)
		if o.Commands != nil && r.PathFile != "" {
			r.Commands.Look = o.Commands(r.PathFile).Look
		}
	}
	return r
}

// leftBehind writes the run in progress of a process that checked code ended, as a suspect.
func (c *checker) leftBehind(lost *isolate.LostError) *isolate.PendingSuspect {
	in := "this run"
	if len(lost.LastSteps) > 1 {
		in += " or in another one in progress"
	}
	f := sim.Finding{Kind: sim.Panic, Node: -1, Message: "the search process died in " + in + ": " + lost.How}
	s := &search.Suspect{Finding: f, Strategy: c.Search.Strategy}
	c.suspectFile.putExecuted(s, lost.LastSteps[0].Run())
	return &isolate.PendingSuspect{Suspect: *c.suspectFile.entry(s, report.Suspected)}
}

// ReportCutShort reports what a search left in path files that ended for reason why before it could report. The findings
// are suspects unless they are confirmed, also by the note in the file. several is KeepGoing of [Options].
func ReportCutShort(files []string, confirmed, several bool, why error) (*report.Report, error) {
	r, err := cutShort(files[0], confirmed, why)
	if err != nil || r.Verdict != search.Violation || !several {
		return r, err
	}
	all := &report.Report{Settings: r.Settings, Seed: r.Seed, Verdict: search.Violation, Stopped: stats.StoppedLost, Message: why.Error(),
		Findings: []*report.Report{r}}
	for _, file := range files[1:] {
		if r, err = cutShort(file, confirmed, why); err != nil {
			return nil, err
		}
		all.Findings = append(all.Findings, r)
	}
	return all, nil
}

// cutShort reports what a search left in one path file. A confirmed finding has its report beside it.
func cutShort(file string, confirmed bool, why error) (*report.Report, error) {
	if r, err := outfolder.ReadReport(filepath.Dir(file)); confirmed && err == nil && r.Verdict == search.Violation {
		r.Stopped = stats.StoppedLost
		return r, nil
	}
	f, err := pathfile.Read(file)
	if err != nil {
		return nil, err
	}
	h := &f.Header
	limits, err := replay.HeaderLimits(h)
	if err != nil {
		return nil, err
	}
	s := report.Suspect{Status: report.Suspected, Kind: sim.FindingKind(h.Finding), Property: h.Property, Message: why.Error(),
		Steps: len(f.Steps), PathFile: file}
	r := &report.Report{Settings: report.Settings{System: h.System, Nodes: h.Nodes, Limits: limits, Timing: h.Timing},
		Seed: h.Seed, Stopped: stats.StoppedLost, Message: s.Message}
	if confirmed || strings.HasPrefix(h.Note, string(report.Confirmed)+": ") {
		s.Status = report.Confirmed
	}
	r.SetSuspect(&s)
	return r, nil
}

// statsOf returns the known coverage of a process that died.
func statsOf(out *isolate.Outcome) search.Stats {
	p := &out.Progress
	return search.Stats{Work: search.Work{Seconds: p.Elapsed.Seconds(), Paths: p.Paths, Events: p.Events, States: p.States}}
}
