package gotest

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/macemc/macemc/cmd/macemc/internal/runview"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
)

// Graph draws a test under the schedule of a file.
func (a Runner) Graph(ctx context.Context, f *task.Graph, s *schedulefile.Stored) error {
	if err := f.Validate(); err != nil {
		return err
	}
	o, passes, err := a.executeSchedule(ctx, f.File, s, "nearest")
	if err != nil {
		return err
	}
	g := runview.Graph(s, o)
	page := func(w io.Writer, eo eventgraph.Options) error {
		e := runview.Page(f.File, s, o, passes)
		e.Options, e.Run.Critical = eo, g.Critical
		if g.Critical > 0 {
			e.Start = g.Critical
		}
		return e.HTML(w)
	}
	hint, err := runview.SelectAround(f, o, g)
	if err != nil {
		return err
	}
	if err := f.Draw(a.Process, g, page); err != nil {
		return err
	}
	if hint != "" {
		fmt.Fprintf(a.Stderr, "macemc: %s: %s\n", f.File, hint)
	}
	a.noteUntraced(f.File, o)
	return changed(f.File, s, o)
}

// noteUntraced prints which operations of a long run are shown.
func (a Runner) noteUntraced(file string, o *testsched.Outcome) {
	if o.Untraced+o.Later > 0 {
		fmt.Fprintf(a.Stderr, "macemc: %s: %s\n", file, o.Window())
	}
}

// changed returns an error if a run under the schedule of a file lacks the finding that the file records.
func changed(file string, s *schedulefile.Stored, o *testsched.Outcome) error {
	if kind, _, _ := strings.Cut(s.Finding, ":"); kind == strings.ToUpper(string(o.Kind)) {
		return nil
	}
	now := "passes"
	if o.Kind != testsched.Passed {
		now = "has " + o.Title()
	}
	return fmt.Errorf("%s: the test has changed: the file records %q, but the replayed run %s", file, s.Finding, now)
}
