package mdb

import (
	"bytes"
	"context"
	"fmt"

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
	s := r.step(n)
	if r.whole != nil {
		return r.recordedBecause(n)
	}
	switch s.ev.Kind {
	case sim.Deliver, sim.Lose, sim.Duplicate:
		return fmt.Sprintf("was sent by n%d in", s.ev.Peer)
	case sim.TakeQuorum:
		return "the last of its messages was sent in"
	case sim.FireTimer:
		return "the timer was set in"
	case sim.DoAction:
		return "by the application, which runs since"
	case sim.Internal:
		return "is what was left to do after"
	case sim.Arrive:
		return "was sent in"
	case sim.Boot:
		return "the node was down since"
	case sim.DeliverError:
		if s.refused {
			return "what was refused was sent in"
		}
		return "the connection broke in"
	case sim.DeliverReady:
		return "a message was refused in"
	case sim.Heal:
		return "the partition began in"
	}
	return "follows from"
}
