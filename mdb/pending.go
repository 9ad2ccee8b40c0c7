package mdb

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

func showMessages(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	nodes, rest, err := s.nodesIn(args)
	if err != nil {
		return err
	}
	re, err := pattern(rest...)
	if err != nil {
		return err
	}
	lines, err := s.run.inFlight(s.run.at)
	if err != nil {
		return err
	}
	shown := 0
	for _, m := range lines {
		if (slices.Contains(nodes, int(m.From)) || slices.Contains(nodes, int(m.To))) && re.MatchString(m.text) {
			fmt.Fprintf(out, "  %s  sent in step %d\n", m, m.sent)
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

// flying is a message in flight.
type flying struct {
	sim.Envelope
	text string
	sent int
}

func (f flying) String() string {
	kind := ""
	if f.Stream {
		kind = " (stream)"
	}
	return fmt.Sprintf("n%d->n%d  %s%s", f.From, f.To, f.text, kind)
}

func (r *run) inFlight(n int) ([]flying, error) {
	w, err := r.world(n)
	if err != nil {
		return nil, err
	}
	plans, err := encoding.NewSet(w.System().State...)
	if err != nil {
		return nil, err
	}
	var all []flying
	for m := range w.InFlight() {
		f := flying{Envelope: m}
		if p, err := plans.Of(m.Msg); err == nil {
			f.text = replay.Brief(p.Names(m.Msg))
		}
		f.sent, _ = r.cursor.SentAt(m.ID)
		all = append(all, f)
	}
	return all, nil
}

func isTimer(path string) bool { return strings.HasPrefix(path, "(timer ") }

func showTimers(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	nodes, err := s.onlyNodes(args)
	if err != nil {
		return err
	}
	shown := 0
	for _, id := range nodes {
		fields, err := s.run.fields(s.run.at, sim.NodeID(id))
		if err != nil {
			return err
		}
		for _, f := range only(fields, isTimer) {
			step, err := s.run.setAt(id, f.Path)
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

// setAt is the step since which a node has a field, looking back from where we stand.
func (r *run) setAt(node int, path string) (int, error) {
	for n := r.at; n > 0; n-- {
		if int(r.step(n).ev.Node) != node {
			continue
		}
		t, err := r.trace(n)
		if err != nil {
			return 0, err
		}
		for _, c := range t.Changes {
			if c.Node == node && c.Path == path && c.Old == "" {
				return n, nil
			}
		}
	}
	return 0, nil
}
