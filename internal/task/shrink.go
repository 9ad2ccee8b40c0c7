package task

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/search"
)

// Shrink shrinks a violating run. Its fields are the flags of the command with that name.
type Shrink struct {
	File string
	Out  string
	check.ShrinkOptions
	JSON  bool
	Given Given
}

// Validate implements [Task].
func (s *Shrink) Validate() error {
	return append(walkNumbers(&s.WalkOptions), numbers{{"max-steps", s.MaxSteps, 1}}...).check(s.Given)
}

// Do implements [Task].
func (s *Shrink) Do(ctx context.Context, p *Process) error {
	file, out := s.File, s.Out
	if out != "" && !p.Role.Reexecuting() {
		if _, err := os.Lstat(out); err == nil {
			return fmt.Errorf("--out %s exists already; name a file that does not", out)
		}
		if err := outfile.Creatable(out); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	l, done, err := p.load(ctx, file)
	if done || err != nil {
		return err
	}
	status := NewStatus(p.Stderr, p.Terminal)
	defer status.Clear()
	options := s.ShrinkOptions
	options.Respawn, options.Progress = p.Respawn, status.Show
	rep, err := check.Shrink(ctx, l, options)
	status.Clear()
	if err != nil {
		return err
	}
	if rep.PathText == "" {
		if s.JSON {
			return p.StatusError(ctx, p.show(ctx, rep, true), nil)
		}
		if rep.Verdict == search.OK {
			fmt.Fprintf(p.Stderr, "macemc: %s: the run contains no violation to shrink\n", file)
			return nil
		}
		fmt.Fprintf(p.Stderr, "macemc: %s: the violation could not be confirmed; longer walks (--walk-steps) may confirm it\n", file)
		return Exit(exitcode.Inconclusive)
	}
	found := exitcode.Of(rep.Verdict, context.Cause(ctx))
	if out != "" {
		if err := outfile.Create(out, []byte(rep.PathText)); err != nil {
			return p.StatusError(ctx, found, err)
		}
		rep.PathFile = out
	}
	switch {
	case s.JSON:
		found = p.show(ctx, rep, true)
	case out == "":
		_, err = io.WriteString(p.Stdout, rep.PathText)
	default:
		_, err = fmt.Fprintf(p.Stdout, "%s: %s\n", out, document.ShrunkText(rep))
	}
	return p.StatusError(ctx, found, err)
}
