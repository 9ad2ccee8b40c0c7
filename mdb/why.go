package mdb

import (
	"bytes"
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// why follows the chain of causes.
func why(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	n, err := s.stepIn(args)
	if err != nil {
		return err
	}
	const most = 200
	for length := 0; ; length++ {
		if n == 0 {
			text := "first boots"
			if r.whole != nil {
				text = r.beginning()
			}
			fmt.Fprintln(out, "    0  "+text)
			return nil
		}
		info := r.step(n)
		t, err := r.trace(n)
		if err != nil {
			return err
		}
		source := ""
		if t.Source != "" {
			source = "  [" + t.Source + "]"
		}
		fmt.Fprintf(out, "%5d  %s%s\n", n, r.sentence(n, t), source)
		if err := r.whyViolated(n, out); err != nil {
			return err
		}
		if info.cause == root {
			fmt.Fprintln(out, "       a fault: nothing caused it")
			return nil
		}
		if length == most {
			fmt.Fprintf(out, "       and so on, see \"why %d\"\n", info.cause)
			return nil
		}
		fmt.Fprintf(out, "       %s\n", r.because(n))
		n = int(info.cause)
	}
}

// whyViolated lists, for the step of a safety violation, the other steps that wrote what its property reads.
func (r *run) whyViolated(n int, out *bytes.Buffer) error {
	if f, at := r.firstFound(); f == nil || at != n || f.Kind != sim.Safety || r.whole != nil {
		return nil
	}
	first := max(1, n-exactGraphSteps)
	g, _, err := r.graph(first, n, n, 0)
	if err != nil {
		return err
	}
	const most = 5
	if more := len(g.Read) - most; more > 0 {
		fmt.Fprintf(out, "       the property also reads what %s wrote\n", textfmt.Plural(more, "earlier step"))
		g.Read = g.Read[more:]
	}
	for _, cause := range g.Read {
		if cause == 0 {
			continue
		}
		if cause += first - 1; cause != int(r.step(n).cause) {
			t, err := r.trace(cause)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "       the property also reads what step %d wrote: %s\n", cause, r.sentence(cause, t))
		}
	}
	return nil
}

// because says how step n follows from its cause.
func (r *run) because(n int) string {
	if r.whole != nil {
		return r.recordedBecause(n)
	}
	s := r.step(n)
	cause := s.ev.Kind.Seam().Cause
	switch {
	case s.refused:
		return "what was refused was sent in"
	case cause == "":
		return "follows from"
	}
	return cause.Fill("", fmt.Sprintf("n%d", s.ev.Peer), "")
}
