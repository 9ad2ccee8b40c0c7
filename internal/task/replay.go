package task

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

// load reads a path file. done is true in a process that only executes the file: there is nothing left to do.
func (p *Process) load(ctx context.Context, file string) (l *check.Loaded, done bool, err error) {
	return loadFirst(ctx, p, file, -1)
}

// loadFirst is load for the first steps; a negative number means all.
func loadFirst(ctx context.Context, p *Process, file string, steps int) (l *check.Loaded, done bool, err error) {
	if p.Role.Reexecuting() {
		sys, err := check.SystemOf(p.Systems, file)
		if err == nil {
			isolate.Reexecute(sys, p.Role.Recorder)
		}
		return nil, true, err
	}
	l, err = within(ctx, func() (*check.Loaded, error) { return check.Load(ctx, p.Systems, file, steps, p.Respawn) })
	if err != nil {
		return nil, false, err
	}
	if l.Recording != nil {
		p.printDoubts(l.Recording)
	}
	if l.Returned != "" {
		fmt.Fprintf(textfmt.Printer(p.Stderr), "macemc: %s: %s\n", file, l.Returned)
	}
	if len(l.Moved) > 0 {
		fmt.Fprintf(p.Stderr, "macemc: %s: %v\n", file, l.Moved[0])
	}
	if len(l.Renamed) > 0 {
		fmt.Fprintf(textfmt.Printer(p.Stderr), "macemc: %s: %v: the system or the file has changed\n", file, l.Renamed[0])
	}
	return l, false, nil
}

// Replay executes a path and shows every step.
type Replay struct {
	File string
	To   int // the last step; a negative number means all
	JSON bool
	// Verbose shows each step also in the text, which otherwise folds steps as the lane view does.
	Verbose bool
	// Files is the folder to which the files are written that each node found at its last boot; empty means none.
	Files string
	// WriteTest is the file of a test in plain Go that opens a store with these files; empty means none.
	WriteTest string
}

// Validate implements [Task].
func (r *Replay) Validate() error { return nil }

// Do implements [Task].
func (r *Replay) Do(ctx context.Context, p *Process) error {
	l, done, err := loadFirst(ctx, p, r.File, r.To)
	if done || err != nil {
		return err
	}
	t, err := within(ctx, func() (*replay.Trace, error) { return l.Trace(r.To) })
	if err != nil {
		return err
	}
	recurs := true
	recorded := l.Recorded()
	if r.To < 0 && recorded != "" {
		if recurs, err = l.Recurs(ctx, t, p.Respawn); err != nil {
			return err
		}
		t.Recurs = &recurs
	}
	if h := &l.Header; r.To < 0 && recurs && t.Finding == nil && h.Endless && t.Round != h.Round {
		return t.SetRound(h.Round) // the file claims a cycle that the run does not have
	}
	var written bytes.Buffer
	if err := (bootFiles{r.Files, r.WriteTest}).write(ctx, l, t.Finding, &written); err != nil {
		return err
	}
	if err = r.show(p.Stdout, l, t, recorded); err == nil {
		_, err = written.WriteTo(p.Stderr)
	}
	status := exitcode.OK
	switch {
	case r.To >= 0:
	case t.Finding != nil || recurs && (t.Recurs != nil || l.Violation(t) != ""):
		status = exitcode.Violation
	case !recurs, l.Recording != nil && !l.Recording.Whole():
		status = exitcode.Inconclusive
	}
	return p.StatusError(ctx, status, err)
}

// show writes the run, and whether the recorded finding recurs.
func (r *Replay) show(w io.Writer, l *check.Loaded, t *replay.Trace, recorded string) error {
	if r.JSON {
		return WriteJSON(w, t)
	}
	out := textfmt.Printer(w)
	err := WriteRun(out, t, r.File, r.Verbose)
	if m := l.Recording; m != nil && m.Whole() && r.To < 0 && err == nil {
		_, err = fmt.Fprintf(out, "the execution reaches the same %d recorded states\n", m.Compared)
	}
	if err != nil || t.Recurs == nil {
		return err
	}
	verb := "recurs"
	if !*t.Recurs {
		verb = "does not recur"
		if l.Header.Finding == string(sim.Nondeterminism) {
			recorded += "; it is a difference between states or executions, which one run may not show: search again"
		}
	}
	_, err = fmt.Fprintf(out, "the finding that the file records %s: %s\n", verb, recorded)
	return err
}

// WriteRun writes the run of a path file as text. Unless it is verbose, it folds steps as the lane view does.
func WriteRun(w io.Writer, t *replay.Trace, file string, verbose bool) error {
	if verbose {
		return t.WriteText(w)
	}
	g := eventgraph.Build(t)
	if r := mdb.ReadCriticalTransition(file); r.Steps == g.Last() {
		g.Critical = min(r.Step, g.Last())
	}
	folded := g.Folded()
	if len(folded) > 0 {
		folded[len(folded)-1].Text += "; -v shows them"
	}
	return t.WriteText(w, folded...)
}

// within waits for f until ctx is done. f may then still run in a process that is about to end.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// printDoubts prints on standard error which parts of the recordings are not in the run, if any.
func (p *Process) printDoubts(m *recording.Merged) {
	for _, n := range m.Notes {
		fmt.Fprintf(p.Stderr, "macemc: recording: %s\n", n)
	}
	if m.Disagreement != nil {
		fmt.Fprintf(p.Stderr, "macemc: recording: the recording differs from the checked system: %v\n", m.Disagreement)
	}
	if left := m.Missing(); left > 0 {
		fmt.Fprintf(p.Stderr, "macemc: recording: %d events are not part of the run, by node: %v\n", left, m.Left)
	}
}
