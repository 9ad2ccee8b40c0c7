package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// ErrNoViolation is the error for a run that contains no violation to report.
var ErrNoViolation = errors.New("the run contains no violation: no finding in any step, and no liveness violation at its end")

// Describe reports the violation in a run that was loaded from a file or a folder of recordings. For liveness it
// computes the critical transition and the nearest live run again. It writes no files.
func Describe(ctx context.Context, l *Loaded, file string, c CriticalOptions) (*report.Report, error) {
	r, _, err := l.describe(ctx, file, c)
	return r, err
}

// DescribeInto is [Describe] for a run that left its path. It writes the finding to the folder of o, as Run does,
// because the file does not contain the run that was executed. If only writing fails, it returns the report and the
// error.
func DescribeInto(ctx context.Context, l *Loaded, file string, c CriticalOptions, o Options) (*report.Report, error) {
	r, f, err := l.describe(ctx, file, c)
	if err != nil {
		return nil, err
	}
	if f.error == nil {
		if f.error, err = replay.WriteFile(&l.System, l.Header, l.Path); err != nil {
			return r, err
		}
	}
	h := &f.error.Header
	h.Finding, h.Property, h.Note = string(r.Kind), r.Property, note(r)
	return r, (&checker{Options: o}).write(r, f)
}

// describe returns the report. The files are those of a liveness violation.
func (l *Loaded) describe(ctx context.Context, file string, effort CriticalOptions) (*report.Report, files, error) {
	t, err := l.Trace(-1)
	if err != nil {
		return nil, files{}, err
	}
	f := t.Finding
	switch {
	case f == nil && l.Header.Endless:
		// The cycle is observed here. The pending obligation and the fairness of the run are as recorded by the
		// search that wrote the file.
		if err := t.SetRound(l.Header.Round); err != nil {
			return nil, files{}, err
		}
		f = &sim.Finding{Kind: sim.Starvation, Property: l.Header.Property, Message: l.Header.Note}
	case f == nil && (l.Unsafe != nil || l.Header.Finding == string(sim.Divergence)): // walks would take as long as its slow steps
		return nil, files{}, ErrNoViolation
	case f == nil:
		r, files, err := l.critical(ctx, effort)
		if err == nil && r.Verdict == search.OK || errors.Is(err, critical.ErrNoGoal) {
			err = ErrNoViolation
		}
		return r, files, err
	}
	c := checker{Options: Options{Search: search.Config{System: l.System, Seed: l.Header.Seed}, Header: l.Header}}
	r := c.report(&search.Result{Verdict: search.Violation})
	r.Strategy = "replay"
	r.SetFinding(f, len(t.Steps))
	r.Dead, r.Explain = t, explanation(t, f.Property)
	if l.Death != nil {
		r.Running = l.Death.Running
	}
	return r, files{}, keepText(r, l, file)
}

// keepText stores the text of a path file in its report.
func keepText(r *report.Report, l *Loaded, file string) error {
	if l.Recording == nil {
		text, err := infile.Read(file)
		r.PathText = string(text)
		return err
	}
	f, err := l.Recording.File()
	if err != nil {
		return err
	}
	return keep(r, files{error: f})
}

// SetLiveRun replaces the live run in the report of a liveness violation.
func SetLiveRun(r *report.Report, live *Loaded) error {
	if r.Critical == nil || r.Dead == nil {
		return fmt.Errorf("the finding is not a liveness violation (%s), so there is no live run to compare it with", r.Kind)
	}
	t, err := live.Trace(-1)
	if err != nil {
		return err
	}
	if n := len(t.Steps); n == 0 && !t.Boot.Live || n > 0 && !t.Steps[n-1].Live {
		return errors.New("its last state is not live")
	}
	common := 0
	for common < min(len(t.Steps), len(r.Dead.Steps)) && t.Steps[common].Hash == r.Dead.Steps[common].Hash {
		common++
	}
	r.SetLive(t, common)
	f, err := replay.WriteFile(&live.System, live.Header, live.Path)
	if err != nil {
		return err
	}
	text, err := content(f)
	r.LivePathText = string(text)
	return err
}
