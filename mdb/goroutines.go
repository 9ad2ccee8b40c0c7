package mdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/mdb/internal/variables"
	"github.com/macemc/macemc/sim"
)

var errFirstChoice = errors.New("no goroutine can continue here: the first choice is at step 1")

// openRecorded opens a session on the recorded run of a test.
func openRecorded(cfg Config) *Session {
	const usual = "the critical step is not known: \"macemc test\" records one if 5 of 200 continuations before it pass, and none after it"
	s := &Session{cfg: cfg, sys: &sim.System{Name: cfg.Trace.System, Nodes: cfg.Trace.Nodes}, node: -1, table: commandsFor(ofTest)}
	s.subject = subject{
		kind: ofTest, conditions: conditions[:1], variables: variables.OfTest{}, options: testOptions,
		noCritical: errors.New(cmp.Or(cfg.CriticalTransition.Why, usual)),
		noOther:    fmt.Errorf("there is no run to compare with: %s", cfg.LiveName),
	}
	if cfg.LiveTrace != nil {
		s.sys.Nodes = max(s.sys.Nodes, cfg.LiveTrace.Nodes)
	}
	r := history.Recorded("main", cfg.Trace, s.sys.Nodes)
	r.File = cfg.Name
	if cfg.CriticalTransition.Steps == r.Len() {
		r.Critical, r.Why = cfg.CriticalTransition.Step, cfg.CriticalTransition.Why
	}
	s.runs, s.run = []*history.Run{r}, r
	if cfg.LiveTrace != nil {
		passing := history.Recorded("passing", cfg.LiveTrace, s.sys.Nodes)
		s.addPassing(passing)
	}
	return s
}

// ofGoroutines translates help texts from nodes to goroutines.
var ofGoroutines = strings.NewReplacer("n2", "g2", "n1", "g1", "node 2", "goroutine 2", "node 1", "goroutine 1", "NODE",
	"GOROUTINE", "node", "goroutine",
	"the live run", "the passing run", "diff live", "diff passing")

// goroutines returns the goroutines that can continue before the operation of the current step of a recorded test, in place of its own.
func (s *Session) goroutines() (lines []OptionLine) {
	r := s.run.Recording()
	if r.At == 0 {
		return nil
	}
	for id := range r.Nodes {
		before, g := r.Goroutine(r.At-1, id), r.Goroutine(r.At, id)
		if before.CanRun() && g.CanRun() && int(r.Step(r.At).Ev.Node) != id { // the step itself may have started or woken others
			text := r.Node(id) + ": " + cmp.Or(g.Fields[history.FieldOperation], g.Fields[history.FieldStatus])
			if at := g.Fields[history.FieldAt]; at != "" {
				text += " at " + at
			}
			lines = append(lines, OptionLine{Command: "take " + r.Node(id), Node: id, Text: text})
		}
	}
	return lines
}

// testOptions implements subject.options.
func testOptions(s *Session) ([]OptionLine, error) {
	if s.cfg.Try == nil {
		return nil, nil
	}
	return s.goroutines(), nil
}

// listGoroutines lists the goroutines that can continue in place of the one of the current step.
func listGoroutines(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	if r.At == 0 {
		return errFirstChoice
	}
	lines := s.goroutines()
	for _, l := range lines {
		fmt.Fprintf(out, "  %s\n", l.Text)
	}
	if len(lines) == 0 {
		fmt.Fprintf(out, "  no other goroutine can continue before step %d\n", r.At)
	}
	return r.WriteHeld(out, "       ", r.At-1, -1)
}

// takeGoroutine switches to another goroutine at the current step, on a branch.
func takeGoroutine(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	switch {
	case s.cfg.Try == nil:
		return errors.New("the test cannot be executed again here")
	case len(args) == 0:
		return cmdline.Usagef("which goroutine? \"options\" lists those that can continue")
	case r.At == 0:
		return errFirstChoice
	}
	node, err := s.nodeID(strings.Join(args, " "))
	if err != nil {
		return err
	}
	if int(r.Step(r.At).Ev.Node) == node {
		return fmt.Errorf("%s continues here in this run, too; \"options\" lists the others that can", r.Node(node))
	}
	if g := r.Recording().Goroutine(r.At, node); !g.CanRun() {
		status := g.Fields[history.FieldStatus]
		return fmt.Errorf("%s cannot continue here: it %s; \"options\" lists the goroutines that can", r.Node(node),
			cmp.Or(status, "has not started"))
	}
	name := fmt.Sprintf("branch%d", s.branches+1)
	t, err := s.cfg.Try(ctx, r.Name, name, r.At, node+1)
	if err != nil {
		return err
	}
	s.sys.Nodes = max(s.sys.Nodes, t.Nodes)
	b := history.Recorded(name, t, s.sys.Nodes)
	for _, other := range s.runs {
		other.Recording().Grow(s.sys.Nodes)
	}
	b.From, b.Common = r, r.Shared(b)
	if b.Common == r.Len() && b.Common == b.Len() {
		return fmt.Errorf("%s cannot continue before the operation of step %d, so nothing changes", r.Node(node), r.At)
	}
	if r.Critical <= r.At {
		b.Critical = r.Critical
	}
	s.enter(b)
	first := min(b.Common+1, b.Len())
	fmt.Fprintf(out, "%s: %s in place of step %d; %d steps, the first %d are the same\n", b.Name, r.Node(node), first, b.Len(), b.Common)
	return s.to(first, out)
}

// showOperation describes a step of a test.
func showOperation(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	n, err := s.stepIn(args)
	if err != nil {
		return err
	}
	if err := s.describeStep(n, out); err != nil || n == 0 {
		return err
	}
	fmt.Fprintf(out, "  %s\n", s.run.Because(n))
	return nil
}

// goRecordedCritical goes to the critical step that is recorded with the run, or to the step where the report starts.
func goRecordedCritical(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	switch {
	case len(args) == 0 && r.Critical > 0:
		return s.toCritical(out)
	case len(args) == 0 && s.cfg.Start > 0 && r == s.runs[0]:
		fmt.Fprintf(out, "%v; the report names this step first\n", s.noCritical)
		return s.to(s.cfg.Start, out)
	}
	return s.noCritical
}

func showWaits(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	fmt.Fprintf(out, "after step %d\n", s.run.At)
	return s.run.WriteWaits(out, s.run.At)
}

// testInfo shows the information about the run of a test.
func testInfo(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	main, critical, passing := s.runs[0], "not known", "none: "+s.cfg.LiveName
	if main.Critical > 0 {
		critical = fmt.Sprintf("step %d, as recorded", main.Critical)
	}
	if s.cfg.LiveTrace != nil {
		passing = fmt.Sprintf("the nearest run that passes has %d steps, %d of them shared", s.runs[1].Len(), s.runs[1].Common)
	}
	infoLine(out, "test", fmt.Sprintf("%s, %d goroutines", s.cfg.Trace.System, s.cfg.Trace.Nodes))
	infoLine(out, "schedule", fmt.Sprintf("%s, %d steps", main.File, main.Len()))
	infoLine(out, "critical", critical)
	infoLine(out, "passing", passing)
	if main.Finding != nil {
		infoLine(out, "found", history.Violation(main.Finding))
	}
	return nil
}
