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
	"github.com/macemc/macemc/sim"
)

var (
	errFirstChoice = errors.New("no goroutine can continue here: the first choice is at step 1")
)

// errNoCritical says why the critical step of the run of a test is not known.
func errNoCritical(c CriticalTransition) error {
	const usual = "the critical step is not known: \"macemc test\" records one if 5 of 200 continuations before it pass, and none after it"
	return errors.New(cmp.Or(c.Why, usual))
}

// openRecorded opens a session on the recorded run of a test.
func openRecorded(cfg Config) *Session {
	s := &Session{cfg: cfg, sys: &sim.System{Name: cfg.Trace.System, Nodes: cfg.Trace.Nodes}, node: -1, table: commands()}
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

// listGoroutines lists the goroutines that can continue in place of the one of the current step.
func (s *Session) listGoroutines(out *bytes.Buffer) error {
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
	return history.WriteHeld(out, "       ", r, r.At-1, -1)
}

// takeGoroutine switches to another goroutine at the current step, on a branch.
func (s *Session) takeGoroutine(ctx context.Context, args []string, out *bytes.Buffer) error {
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
	if g := r.Goroutine(r.At, node); !g.CanRun() {
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
		other.Nodes = s.sys.Nodes
		other.States = append(other.States, make([][]history.GoroutineState, s.sys.Nodes-len(other.States))...)
	}
	b.From, b.Common = r, history.Common(r, b)
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

// refuses returns why a command does not work in the session; nil means that it works.
func (s *Session) refuses(c *command) error {
	switch recorded := s.cfg.Trace != nil; {
	case recorded && c.system:
		text := fmt.Sprintf("%q needs a system of nodes", c.name)
		if c.group == trying && s.cfg.Try != nil {
			return errors.New(text + "; in the schedule of a test use \"options\" and \"take gN\"")
		}
		return errors.New(text + ", and this is the schedule of a test; \"help\" lists what can be done")
	case !recorded && c.recorded:
		return fmt.Errorf("%s is for the goroutines of a test, and this is the run of a system", c.name)
	}
	return nil
}

func showWaits(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	fmt.Fprintf(out, "after step %d\n", s.run.At)
	return history.WriteWaits(out, s.run, s.run.At)
}

// recordedInfo writes the information about a recorded test.
func (s *Session) recordedInfo(line func(name, text string)) {
	main := s.runs[0]
	line("test", fmt.Sprintf("%s, %d goroutines", main.Whole.System, main.Whole.Nodes))
	line("schedule", fmt.Sprintf("%s, %d steps", main.File, main.Len()))
	if main.Critical > 0 {
		line("critical", fmt.Sprintf("step %d, as recorded", main.Critical))
	} else {
		line("critical", "not known")
	}
	if len(s.runs) > 1 {
		line("passing", fmt.Sprintf("the nearest run that passes has %d steps, %d of them shared", s.runs[1].Len(), s.runs[1].Common))
	} else {
		line("passing", "none: "+s.cfg.LiveName)
	}
	if main.Finding != nil {
		line("found", history.Violation(main.Finding))
	}
}
