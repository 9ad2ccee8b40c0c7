package task

import (
	"context"
	"fmt"
	"io"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Refine compares the abstractions of a system with their implementations. Its fields are the flags of the command
// with that name.
type Refine struct {
	Subject
	MaxStates int
	JSON      bool
}

// Validate implements [Task].
func (f *Refine) Validate() error {
	if err := f.Subject.validate(); err != nil {
		return err
	}
	return numbers{{"max-states", f.MaxStates, 1}}.check(f.Given)
}

// compared is the result for one abstraction.
type compared struct {
	Name string `json:"name"`
	*refine.Result
	// Back is the opposite direction: behavior of the abstraction that the implementation lacks, which is allowed.
	Back *refine.Result `json:"back"`
}

// Do implements [Task].
func (f *Refine) Do(ctx context.Context, p *Process) error {
	subject, err := f.Subject.build(p)
	if err != nil {
		return err
	}
	sys := &subject.System
	if len(sys.Abstractions) == 0 {
		return fmt.Errorf("system %q declares no abstractions", sys.Name)
	}
	status := exitcode.OK
	var all []compared
	for _, a := range sys.Abstractions {
		if a.Impl == nil || a.Abs == nil {
			return fmt.Errorf("system %q does not define how %s is compared with its implementation", sys.Name, a.Name)
		}
		impl, abs := a.Impl(), a.Abs()
		c := compared{Name: a.Name}
		if c.Result, err = f.compare(ctx, &impl, &abs, a.Clients, true); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		if c.Back, err = f.compare(ctx, &abs, &impl, a.Clients, false); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		switch c.Verdict {
		case refine.Difference:
			status = exitcode.Violation
		case refine.Undecided:
			status = max(status, exitcode.Inconclusive)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		all = append(all, c)
	}
	if f.JSON {
		return p.StatusError(ctx, status, WriteJSON(p.Stdout, all))
	}
	for i := range all {
		if err = all[i].text(p.Stdout); err != nil {
			break
		}
	}
	return p.StatusError(ctx, status, err)
}

func (f *Refine) compare(ctx context.Context, impl, abs *sim.System, clients []sim.NodeID, faults bool) (*refine.Result, error) {
	r, err := refine.Compare(ctx, impl, abs, refine.Options{Clients: clients, Faults: faults, MaxStates: f.MaxStates})
	if err == nil && r.Verdict == refine.Difference {
		bare := *impl
		bare.Properties, bare.Monitors = nil, nil
		trace, err := replay.Record(&bare, r.Path, kernel.Options{Trace: true})
		if err != nil {
			return nil, err
		}
		for i := range trace.Steps {
			r.Steps = append(r.Steps, trace.Steps[i].Sentence())
		}
	}
	return r, err
}

func (c *compared) text(w io.Writer) error {
	out := &lines{w: w}
	d := c.Result
	out.add("%s", c.Name)
	switch d.Verdict {
	case refine.NoDifference:
		out.add("  the abstraction includes all behavior of the implementation that these clients observe: %s, %s abstract, %s compared (%s covered, sets of up to %s)",
			textfmt.Plural(d.States, "state"), textfmt.Number(d.Abstract), textfmt.Plural(d.Pairs, "pair"), textfmt.Number(d.Covered),
			textfmt.Number(d.Largest))
	case refine.Difference:
		out.add("  DIFFERENCE: %s", d.What)
		out.seen(d.Trace)
		out.add("  the run of the implementation:")
		for i, s := range d.Steps {
			round := ""
			if i >= len(d.Steps)-d.Round {
				round = "   (repeats forever)"
			}
			out.add("    %s%s", s, round)
		}
	default:
		out.add("  UNDECIDED: %s", d.What)
	}
	switch b := c.Back; b.Verdict {
	case refine.NoDifference:
		out.add("  the abstraction adds no behavior")
	case refine.Difference:
		what := "the abstraction also allows this, which the implementation does not do:"
		if b.What == refine.MustGoOn {
			what = "the abstraction may also stop after this, where the implementation continues:"
		}
		out.add("  %s", what)
		out.seen(b.Trace)
	default:
		out.add("  undecided whether the abstraction adds behavior: %s", b.What)
	}
	return out.err
}

// lines writes lines until a write fails.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) add(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(textfmt.Printer(l.w), format+"\n", args...)
	}
}

// seen adds the observations of a run.
func (l *lines) seen(trace []string) {
	if len(trace) == 0 {
		l.add("    (nothing is observed before)")
	}
	for _, t := range trace {
		l.add("    %s", t)
	}
}
