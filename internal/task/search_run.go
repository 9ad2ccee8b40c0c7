package task

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"syscall"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// commands returns a function with the commands suggested next.
func (r *request) commands(program string) func(string) report.Commands {
	more := ""
	if !r.KeepGoing && r.Durable == "" && r.Cluster.URL == "" {
		more = "--keep-going continues the search after a violation"
	}
	return func(pathFile string) report.Commands {
		path := ShellWord(pathFile)
		return report.Commands{
			More:   more,
			Look:   fmt.Sprintf("%s mdb %s", program, path),
			Replay: fmt.Sprintf("%s replay %s", program, path),
			Decide: fmt.Sprintf("%s critical %s", program, path),
			Search: program + " " + r.Again,
			Report: filepath.Join(filepath.Dir(pathFile), outfolder.ReportPage),
		}
	}
}

// search runs the search, directly or in another process.
func (p *Process) search(ctx context.Context, r *request) error {
	if p.Role.Reexecuting() {
		sys, err := r.options.System()
		if err == nil {
			isolate.Reexecute(&sys, p.Role.Recorder)
		}
		return err
	}
	status := NewStatus(p.Stderr, p.Terminal)
	defer status.Clear()
	o := &r.options
	o.Respawn, o.Commands, o.OtherVersions, o.Unshrunk = p.Respawn, r.commands(p.Program), p.OtherVersions, status
	if r.JSON {
		o.Unshrunk = io.Discard
	}
	if p.Role.Searching() {
		p.Role.Record(&o.Search)
	} else {
		if r.recording != nil {
			p.printDoubts(r.recording)
		}
		if err := check.Writable(*o); err != nil {
			return err
		}
		if p.Respawn != nil {
			return p.supervise(ctx, r, status)
		}
		o.Search.Progress = status.Show
	}
	switch {
	case r.Durable == "":
	case r.options.Search.Strategy.Can(strategy.VisitsStates):
		return p.searchDurably(ctx, r)
	default:
		return p.walkDurably(ctx, r)
	}
	if r.Cluster.URL != "" {
		p.Role.Unlimited()
		elsewhere, err := p.Cluster(r.Cluster, r.job)
		if err != nil {
			return err
		}
		r.options.Search.RemoteExplorer, r.options.Cluster = elsewhere, r.Cluster.URL
	}
	rep, err := check.Run(ctx, r.options)
	return p.conclude(ctx, rep, err, r)
}

// supervise runs the search in another process, so that checked code cannot prevent the report.
func (p *Process) supervise(ctx context.Context, r *request, status *Status) error {
	s := isolate.Supervisor{
		Respawn:      p.Respawn,
		Stdout:       p.Stdout,
		Stderr:       status,
		Workers:      r.options.Search.Workers,
		Progress:     status.Show,
		HandlerLimit: r.options.Search.HandlerLimit,
		Kill:         p.kill,
	}
	out, err := s.Run(ctx)
	status.Clear()
	switch {
	case err != nil:
		p.fail(err)
		status := p.conclude(ctx, check.ReportLost(r.options, out, err), nil, r)
		if defect.Is(err) {
			return Exit(exitcode.Resource)
		}
		return status
	case out.Death == nil:
		return Exit(out.Status)
	}
	rep, err := check.ReportDeath(ctx, r.options, out)
	return p.conclude(ctx, rep, err, r)
}

// conclude prints a report, also if its files could not be written, and writes the requested test.
func (p *Process) conclude(ctx context.Context, rep *report.Report, err error, r *request) error {
	if errors.Is(err, isolate.ErrLost) {
		p.Role.Resign()
	}
	if rep == nil {
		return err
	}
	sys, e := r.options.System()
	status, unwritten := r.output(ctx, p, rep, sys.Properties)
	p.notePrinted(status)
	err = errors.Join(err, e, unwritten)
	faulty := defect.Is(err)
	if err != nil {
		err = fmt.Errorf("the report is not complete: %w", err)
	}
	err = p.StatusError(ctx, status, err)
	if faulty {
		err = Exit(exitcode.Resource)
	}
	for name := range rep.PathFiles() {
		if !r.WriteTest {
			break
		}
		if file, e := p.WriteTest(name); e != nil {
			p.fail(fmt.Errorf("no regression test: %w", e))
		} else {
			fmt.Fprintf(p.Stderr, "regression test: %s\n", file)
		}
	}
	return err
}

// ShowCutShort prints the report of a search whose process ended for reason why before it could report: the findings in
// path files, or a suspect unless confirmed.
func (s *Search) ShowCutShort(ctx context.Context, p *Process, files []string, confirmed bool, why error) error {
	rep, err := check.ReportCutShort(files, confirmed, s.KeepGoing, why)
	if err != nil {
		status := exitcode.Inconclusive
		if confirmed {
			status = exitcode.Violation
		}
		return p.StatusError(ctx, status, errors.Join(why, err))
	}
	status, err := s.output(ctx, p, rep, nil)
	return p.StatusError(ctx, status, errors.Join(why, err))
}

// output writes a report in the formats for other programs, and prints it unless one of these goes to standard output. It returns the exit
// status.
func (s *Search) output(ctx context.Context, p *Process, rep *report.Report, properties []sim.Property) (status int, err error) {
	if p.Role.Recorder != nil { // the waiting process has written a progress line
		isolate.ReportProgress(p.Role.Recorder, search.Progress{Phase: isolate.Reporting})
		if p.Style.Terminal {
			fmt.Fprint(p.Stdout, "\r\x1b[K")
		}
	}
	if len(s.Collected) > 0 {
		results, e := render.ResultsOf(document.New(rep, properties))
		err = errors.Join(e, s.Collected.Write(p, results))
	}
	if s.Collected.Printed() != "" {
		return exitcode.Of(rep.Verdict, context.Cause(ctx)), err
	}
	return p.show(ctx, rep, s.JSON), err
}

// show prints a report and returns its exit status, which is that of an error if printing fails.
func (p *Process) show(ctx context.Context, rep *report.Report, asJSON bool) int {
	d := document.New(rep, nil)
	d.Style = p.Style
	print := render.Terminal
	if asJSON {
		print = render.JSON
	}
	err := print(p.Stdout, d)
	status := exitcode.Of(rep.Verdict, context.Cause(ctx))
	if errors.Is(err, syscall.EPIPE) { // the reader, such as head or a pager, has stopped
		return status
	}
	if err != nil {
		p.fail(fmt.Errorf("the report cannot be printed: %w", err))
		if status == exitcode.OK {
			status = exitcode.OfError(ctx, err)
		}
	}
	return status
}
