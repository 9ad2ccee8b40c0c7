package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
)

// commands tell what a person can run next.
func (r *request) commands(program string) func(string) report.Commands {
	return func(dir string) report.Commands {
		return report.Commands{
			Look:   fmt.Sprintf("%s mdb %s", program, shellWord(filepath.Join(dir, check.ErrorPath))),
			Rerun:  program + " " + r.again,
			Report: filepath.Join(dir, check.ReportPage),
		}
	}
}

// search runs the search, or lets another process run it.
func (a *app) search(ctx context.Context, r *request) error {
	if r.savePrefixes != "" {
		return a.savePrefixes(ctx, r)
	}
	if a.role.Reexecuting() {
		sys, err := r.options.System()
		if err == nil {
			check.Reexecute(&sys, a.role.Recorder)
		}
		return err
	}
	if r.recording != nil && !a.role.Searching() {
		a.doubts(r.recording)
	}
	r.options.Respawn, r.options.Commands = a.respawn, r.commands(a.program)
	if a.respawn != nil && !a.role.Searching() {
		return a.supervise(ctx, r)
	}
	if a.role.Searching() {
		r.options.Search.PathBuffer = a.role.Recorder.Path
		r.options.Search.Progress = func(p search.Progress) { check.ReportProgress(a.role.Recorder, p) }
	} else {
		status := newStatus(a.stderr, a.terminal)
		defer status.clear()
		r.options.Search.Progress = status.show
	}
	if err := check.Writable(r.options); err != nil {
		return err
	}
	rep, err := check.Run(ctx, r.options)
	return a.conclude(ctx, rep, err, r)
}

// savePrefixes writes paths to live states.
func (a *app) savePrefixes(ctx context.Context, r *request) error {
	names, err := check.SavePrefixes(ctx, r.options, r.savePrefixes, prefixRuns)
	if r.json {
		if names == nil {
			names = []string{}
		}
		if e := writeJSON(a.stdout, map[string][]string{"prefixes": names}); e != nil {
			return e
		}
	} else {
		for _, n := range names {
			fmt.Fprintln(a.stdout, n)
		}
	}
	if err == nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// supervise lets another process search, so that nothing that checked code does can take the report
// away.
func (a *app) supervise(ctx context.Context, r *request) error {
	if err := check.Writable(r.options); err != nil {
		return err
	}
	status := newStatus(a.stderr, a.terminal)
	defer status.clear()
	s := check.Supervisor{
		Respawn:      a.respawn,
		Stdout:       a.stdout,
		Stderr:       a.stderr,
		Workers:      r.options.Search.Workers,
		Progress:     status.show,
		HandlerLimit: r.options.Search.HandlerLimit,
		Kill:         a.kill,
	}
	out, err := s.Run(ctx)
	status.clear()
	switch {
	case err != nil:
		a.fail(err)
		return a.conclude(ctx, check.Lose(r.options, out, err), nil, r)
	case out.Death == nil:
		return statusError(out.Status)
	}
	rep, err := check.Bury(ctx, r.options, out)
	return a.conclude(ctx, rep, err, r)
}

// conclude prints a report, also one whose files could not be written, and writes the test that was asked for.
func (a *app) conclude(ctx context.Context, rep *report.Report, err error, r *request) error {
	if rep == nil {
		return err
	}
	if r.junit.name != "" {
		err = errors.Join(err, r.writeJUnit(rep))
	}
	if err != nil {
		err = fmt.Errorf("the report is not complete: %w", err)
	}
	err = a.ended(ctx, a.show(ctx, rep, r.json), err)
	for name := range rep.PathFiles() {
		if !r.writeTest {
			break
		}
		if file, e := a.test.WriteTest(name); e != nil {
			a.fail(fmt.Errorf("no regression test: %w", e))
		} else {
			fmt.Fprintf(a.stderr, "regression test: %s\n", file)
		}
	}
	return err
}

// writeJUnit writes a report as JUnit XML.
func (r *request) writeJUnit(rep *report.Report) error {
	sys, err := r.options.System()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := report.JUnit(&b, rep, sys.Properties); err != nil {
		return err
	}
	return r.junit.write(b.Bytes())
}

// makeRoom begins to print a report: the line about progress, which the process that waits for this one has
// written, makes room for it.
func (a *app) makeRoom() {
	if a.role.Recorder == nil {
		return
	}
	check.ReportProgress(a.role.Recorder, search.Progress{Phase: check.Reporting})
	if a.style.Width > 0 { // standard output is a terminal
		fmt.Fprint(a.stdout, "\r\x1b[K")
	}
}

// show prints a report and returns its exit status. It fails when the report cannot be printed.
func (a *app) show(ctx context.Context, rep *report.Report, asJSON bool) int {
	a.makeRoom()
	var err error
	if asJSON {
		err = report.JSON(a.stdout, rep)
	} else {
		err = report.Terminal(a.stdout, rep, a.style)
	}
	status := check.Status(rep.Verdict, rep.Stopped, context.Cause(ctx))
	if errors.Is(err, syscall.EPIPE) { // head, or a pager that was left, has seen enough
		return status
	}
	if err != nil {
		a.fail(fmt.Errorf("the report cannot be printed: %w", err))
		if status == check.StatusOK {
			status = check.ErrorStatus(ctx, err)
		}
	}
	return status
}
