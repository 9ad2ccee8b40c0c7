package history

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// InFlightMessage is a message in flight.
type InFlightMessage struct {
	sim.Envelope
	Text string
	Sent int
}

func (f InFlightMessage) String() string {
	kind := ""
	if f.Stream {
		kind = " (stream)"
	}
	return fmt.Sprintf("n%d->n%d  %s%s", f.From, f.To, f.Text, kind)
}

// InFlight returns the messages in flight after step n.
func (r *Run) InFlight(n int) ([]InFlightMessage, error) {
	w, err := r.World(n)
	if err != nil {
		return nil, err
	}
	plans, err := encoding.NewSet(declared.Rules(w.System().State)...)
	if err != nil {
		return nil, err
	}
	var all []InFlightMessage
	for m := range w.InFlight() {
		f := InFlightMessage{Envelope: m}
		if p, err := plans.Of(m.Msg); err == nil {
			f.Text = replay.Brief(p.Names(m.Msg))
		}
		f.Sent, _ = r.Cursor.SentAt(m.ID)
		all = append(all, f)
	}
	return all, nil
}

// IsTimer reports whether a field describes a timer.
func IsTimer(path string) bool { return strings.HasPrefix(path, "(timer ") }

// SetAt returns the step at which a field of a node appeared, searching backward from the current step.
func (r *Run) SetAt(node int, path string) (int, error) {
	for n := r.At; n > 0; n-- {
		if int(r.Step(n).Ev.Node) != node {
			continue
		}
		t, err := r.Trace(n)
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
