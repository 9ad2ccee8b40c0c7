package mdb

import (
	"bytes"
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/mdb/internal/history"
	"github.com/macemc/macemc/sim"
)

func showProperties(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	w, err := r.World(r.At)
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
		since := r.At
		for since > 0 && (r.Step(since-1).Failing^r.Step(r.At).Failing)&bit == 0 {
			since--
		}
		state := "holds"
		if r.Step(r.At).Failing&bit != 0 {
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
	if r.Step(r.At).Live {
		fmt.Fprintln(out, "  the state is live")
	} else if last := lastLive(r, r.At); last >= 0 {
		fmt.Fprintf(out, "  the state is not live; it was after step %d\n", last)
	} else {
		fmt.Fprintln(out, "  the state is not live, and none before was")
	}
	return nil
}

// explain returns a property's explanation of a state, or nothing if its function panics.
func explain(w kernel.World, p *sim.Property) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return w.Explain(p)
}

func lastLive(r *history.Run, n int) int {
	for ; n >= 0; n-- {
		if r.Step(n).Live {
			return n
		}
	}
	return -1
}
