package mdb

import (
	"bytes"
	"context"
	"fmt"
)

// PropertyLine is a property and its value in the current state.
type PropertyLine struct {
	Kind  string // always, eventually, inevitably or sometimes
	Name  string
	State string // holds, FAILS, "does not hold" or "not yet"; empty if unknown
	Since string // since when it has that value
	Why   string // explanation of a failure; empty if there is none
}

// Properties returns the properties of the system, in its order.
func (s *Session) Properties() ([]PropertyLine, error) {
	r := s.run
	w, err := r.World(r.At)
	if err != nil {
		return nil, err
	}
	var lines []PropertyLine
	for i := range s.sys.Properties {
		p := &s.sys.Properties[i]
		l := PropertyLine{Kind: "always", Name: p.Name}
		switch {
		case p.Eventually != nil:
			l.Kind = "eventually"
		case p.Inevitably != nil:
			l.Kind = "inevitably"
		case p.Sometimes != nil:
			l.Kind = "sometimes"
		}
		if i < 64 {
			bit := uint64(1) << i
			since := r.At
			for since > 0 && (r.Step(since-1).Failing^r.Step(r.At).Failing)&bit == 0 {
				since--
			}
			l.State, l.Since = "holds", "from the start"
			if since > 0 {
				l.Since = fmt.Sprintf("since step %d", since)
			}
			if r.Step(r.At).Failing&bit != 0 {
				l.State, l.Why = "FAILS", w.Explain(p)
				switch {
				case p.Sometimes != nil && since == 0:
					l.State, l.Since = "not yet", ""
				case p.Always == nil: // it may hold again
					l.State = "does not hold"
				}
			}
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func showProperties(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	lines, err := s.Properties()
	if err != nil {
		return err
	}
	for _, l := range lines {
		if l.State == "" {
			fmt.Fprintf(out, "  %-10s %s\n", l.Kind, l.Name)
			continue
		}
		fmt.Fprintf(out, "  %-10s %-13s  %-16s %s\n", l.Kind, l.State, l.Since, l.Name)
		if l.Why != "" {
			fmt.Fprintln(out, indent(l.Why, "                               "))
		}
	}
	last := r.At
	for last >= 0 && !r.Step(last).Live {
		last--
	}
	switch {
	case last == r.At:
		fmt.Fprintln(out, "  the state is live")
	case last >= 0:
		fmt.Fprintf(out, "  the state is not live; it was after step %d\n", last)
	default:
		fmt.Fprintln(out, "  the state is not live, and none before was")
	}
	return nil
}
