package mdb

import (
	"bytes"
	"context"
	"fmt"
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
