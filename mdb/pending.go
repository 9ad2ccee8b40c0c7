package mdb

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

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
	lines, err := history.InFlight(s.run.Executed(), s.run.At)
	if err != nil {
		return err
	}
	var shown [][]history.InFlightMessage // those with equal texts together, of streams only neighbours
	for _, m := range lines {
		if (slices.Contains(nodes, int(m.From)) || slices.Contains(nodes, int(m.To))) && re.MatchString(m.Text) {
			from := 0
			if m.Stream {
				from = max(0, len(shown)-1)
			}
			at := slices.IndexFunc(shown[from:], func(same []history.InFlightMessage) bool { return same[0].String() == m.String() })
			if at < 0 {
				at = len(shown) - from
				shown = append(shown, nil)
			}
			shown[from+at] = append(shown[from+at], m)
		}
	}
	for _, same := range shown {
		times, steps := "", fmt.Sprintf("step %d", same[0].Sent)
		if n := len(same); n > 1 {
			times = fmt.Sprintf(" x%d", n)
			if last := same[n-1].Sent; last != same[0].Sent {
				steps = fmt.Sprintf("steps %d to %d", same[0].Sent, last)
			}
		}
		fmt.Fprintf(out, "  %s%s  sent in %s\n", same[0], times, steps)
	}
	switch {
	case len(lines) == 0:
		fmt.Fprintln(out, "  no message is in flight")
	case len(shown) == 0:
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
		for _, f := range only(fields, func(path string) bool { return strings.HasPrefix(path, "(timer ") }) {
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
