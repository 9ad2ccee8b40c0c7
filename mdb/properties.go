package mdb

import (
	"bytes"
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

func showProperties(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	w, err := r.world(r.at)
	if err != nil {
		return err
	}
	for i := range s.sys.Properties {
		p := &s.sys.Properties[i]
		kind := "always"
		switch {
		case p.Eventually != nil:
			kind = "eventually"
		case p.Inevitably != nil:
			kind = "inevitably"
		case p.Sometimes != nil:
			kind = "sometimes"
		}
		if i >= 64 {
			fmt.Fprintf(out, "  %-10s %s\n", kind, p.Name)
			continue
		}
		bit := uint64(1) << i
		since := r.at
		for since > 0 && (r.step(since-1).failing^r.step(r.at).failing)&bit == 0 {
			since--
		}
		state := "holds"
		if r.step(r.at).failing&bit != 0 {
			state = "FAILS"
		}
		when := fmt.Sprintf("since step %d", since)
		if since == 0 {
			when = "from the start"
		}
		fmt.Fprintf(out, "  %-10s %s  %-16s %s\n", kind, state, when, p.Name)
		if state == "FAILS" {
			if text := explain(w, p); text != "" {
				fmt.Fprintln(out, indent(text, "                      "))
			}
		}
	}
	if r.step(r.at).live {
		fmt.Fprintln(out, "  the state is live")
	} else if last := r.lastLive(r.at); last >= 0 {
		fmt.Fprintf(out, "  the state is not live; it was after step %d\n", last)
	} else {
		fmt.Fprintln(out, "  the state is not live, and none before was")
	}
	return nil
}

// explain is what a property says of a state, nothing when its function panics.
func explain(w kernel.World, p *sim.Property) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return w.Explain(p)
}

func (r *run) lastLive(n int) int {
	for ; n >= 0; n-- {
		if r.step(n).live {
			return n
		}
	}
	return -1
}
