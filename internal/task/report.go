package task

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
)

// Report explains the violation in a run. Its fields are the flags of the command with that name.
type Report struct {
	File   string
	Format string
	Live   string
	Walks  check.CriticalOptions
	Out    outfile.Output
	Given  Given
}

// Validate implements [Task].
func (f *Report) Validate() error {
	if err := walkNumbers(&f.Walks.WalkOptions).check(f.Given); err != nil {
		return err
	}
	if _, err := render.Formats().Choose(f.Format, f.Out.File); err != nil {
		return err
	}
	return f.Out.Check()
}

// Do implements [Task].
func (f *Report) Do(ctx context.Context, p *Process) error {
	name := f.Format
	if name == "" && f.Out.File == "" && p.Style.Terminal {
		name = "text" // a page is not for reading
	}
	format, err := render.Formats().Choose(name, f.Out.File)
	if err != nil {
		return err
	}
	file := f.File
	l, done, err := p.load(ctx, file)
	if done || err != nil {
		return err
	}
	r, err := check.Describe(ctx, l, file, f.Walks)
	switch {
	case errors.Is(err, check.ErrNoViolation):
		return fmt.Errorf("%s: %w; %s graph %s draws it", file, err, p.Program, ShellWord(file))
	case err != nil:
		return err
	case r.Verdict == search.Inconclusive:
		p.fail(fmt.Errorf("%s: the walks could not decide whether the run is dead; longer walks (--walk-steps) may", file))
		return Exit(exitcode.Inconclusive)
	}
	if f.Live != "" {
		live, err := check.LoadFor(ctx, f.Live, &l.System, nil)
		if err != nil {
			return err
		}
		if err := check.SetLiveRun(r, live); err != nil {
			return fmt.Errorf("%s: %w", f.Live, err)
		}
	}
	r.PathFile = file
	r.Commands = report.Commands{
		Look:   fmt.Sprintf("%s mdb %s", p.Program, ShellWord(file)),
		Replay: fmt.Sprintf("%s replay %s", p.Program, ShellWord(file)),
	}
	return f.Out.Write(p.Stdout, func(w io.Writer) error {
		d := document.New(r, l.System.Properties)
		d.Style = p.Style
		return format.Render(w, d)
	})
}
