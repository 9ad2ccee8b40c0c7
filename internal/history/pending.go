package history

import (
	"fmt"

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
func InFlight(x *Executed, n int) ([]InFlightMessage, error) {
	w, err := x.World(n)
	if err != nil {
		return nil, err
	}
	var all []InFlightMessage
	for m := range w.InFlight() {
		_, names := x.Texts(m.Msg)
		sent, _ := x.Cursor.SentAt(m.ID)
		all = append(all, InFlightMessage{m, replay.Brief(names), sent})
	}
	return all, nil
}
