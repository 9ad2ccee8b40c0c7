package mdb

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/sim"
)

func showMessages(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	nodes, rest, err := s.nodesIn(args)
	if err != nil {
		return err
	}
	re, err := cmdline.Pattern(rest...)
	if err != nil {
		return err
	}
	lines, err := s.run.InFlight(s.run.At)
	if err != nil {
		return err
	}
	shown := 0
	for _, m := range lines {
		if (slices.Contains(nodes, int(m.From)) || slices.Contains(nodes, int(m.To))) && re.MatchString(m.Text) {
			fmt.Fprintf(out, "  %s  sent in step %d\n", m, m.Sent)
			shown++
		}
	}
	switch {
	case len(lines) == 0:
		fmt.Fprintln(out, "  no message is in flight")
	case shown == 0:
		fmt.Fprintf(out, "  no such message is in flight, but %s\n", textfmt.Plural(len(lines), "other"))
	}
	return nil
}

func showTimers(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	nodes, err := s.onlyNodes(args)
	if err != nil {
		return err
	}
	shown := 0
	for _, id := range nodes {
		fields, err := s.run.Fields(s.run.At, sim.NodeID(id))
		if err != nil {
			return err
		}
		for _, f := range only(fields, history.IsTimer) {
			step, err := s.run.SetAt(id, f.Path)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "  n%d  %s  %s, since step %d\n", id, replay.Brief(f.Part.Name), f.Value, step)
			shown++
		}
	}
	if shown == 0 {
		fmt.Fprintln(out, "  no timer is armed")
	}
	return nil
}
