package register

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// Regularity is the name of the monitor.
const Regularity = "regularity"

// regularity is a monitor: a read returns at least the last value that was written completely when it began.
type regularity struct {
	Ended  int   // the last complete write
	Floors []int // by node: the minimum result of its read
	Wrong  bool  // use the writes that are complete when a read ends
}

func (g *regularity) Name() string { return Regularity }

// Observe implements [sim.Monitor].
func (g *regularity) Observe(from sim.NodeID, event any) error {
	switch e := event.(type) {
	case WriteEnds:
		g.Ended = e.Stamp
	case ReadBegins:
		g.Floors[from] = g.Ended
	case ReadEnds:
		floor, when := g.Floors[from], "began"
		g.Floors[from] = 0
		if g.Wrong {
			floor, when = g.Ended, "ended"
		}
		if e.Stamp < floor {
			return fmt.Errorf("a read returns value %d, but %d was written when it %s", e.Stamp, floor, when)
		}
	}
	return nil
}

// Events returns samples of the observed events, see package observe.
func (*regularity) Events() []any { return []any{WriteEnds{}, ReadBegins{}, ReadEnds{}} }
