package observe

import (
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Of returns the announcements of a run, which it executes without the system's monitors and properties. Causes are
// earlier steps of the same node, and the messages that a step takes. The break of a connection is not a cause. So
// more orders agree with the causes than may have happened; verdicts on every order, or on none, hold nevertheless.
func Of(sys *sim.System, path choose.Path) (History, error) {
	bare := *sys
	announcements := &announcements{}
	bare.Properties, bare.Monitors = nil, []func() sim.Monitor{func() sim.Monitor { return &listener{announcements} }}
	bare.State = append(slices.Clone(bare.State), sim.IgnoreField[listener]("to"))
	cursor, err := replay.NewCursor(&bare, path, kernel.Options{Trace: true})
	if err != nil {
		return nil, err
	}
	c := &causes{h: make(History, sys.Nodes), clocks: make([]clock, sys.Nodes), sent: map[sim.MessageID]clock{}}
	for i := range c.clocks {
		c.clocks[i] = make(clock, sys.Nodes)
	}
	for step := 0; ; step++ {
		if err := c.note(cursor.World().Last(), announcements.take(), step); err != nil {
			return nil, err
		}
		if cursor.AtEnd() {
			return c.h, nil
		}
		var finding *sim.Finding
		if err := cursor.Next(); err != nil && !errors.As(err, &finding) {
			return nil, fmt.Errorf("step %d: %w", step+1, err)
		}
	}
}

// listener is a monitor that records announcements.
type listener struct{ to *announcements }

func (e *listener) Observe(from sim.NodeID, event any) error {
	e.to.list = append(e.to.list, announced{from, event})
	return nil
}

type announcements struct{ list []announced }

type announced struct {
	node  sim.NodeID
	event any
}

// take returns the announcements since the last call.
func (h *announcements) take() []announced {
	list := h.list
	h.list = nil
	return list
}

// clock counts, by node, the preceding announcements.
type clock []int

func (c clock) merge(other clock) {
	for i, n := range other {
		c[i] = max(c[i], n)
	}
}

// causes computes clocks during a run.
type causes struct {
	h      History
	clocks []clock                 // by node: the clock before its next step
	sent   map[sim.MessageID]clock // the clock before a message
}

// note adds a step: what it takes precedes its announcements, and these precede what it sends.
func (c *causes) note(last *stepinfo.Step, all []announced, step int) error {
	for _, m := range last.Msgs {
		if before, ok := c.sent[m.ID]; ok && last.Handler {
			c.clocks[last.Event.Node].merge(before)
		}
	}
	for _, s := range all {
		at := c.clocks[s.node]
		c.h[s.node] = append(c.h[s.node], Announcement{Event: s.event, Step: step, After: slices.Clone(at)})
		at[s.node]++
	}
	for _, m := range last.Sent {
		if m.From < 0 || int(m.From) >= len(c.clocks) {
			return fmt.Errorf("step %d: a message is sent by n%d", step, m.From)
		}
		c.sent[m.ID] = slices.Clone(c.clocks[m.From])
	}
	for _, f := range last.Fates {
		if before, ok := c.sent[f.ID]; ok && f.Copy != 0 {
			c.sent[f.Copy] = before
		}
	}
	return nil
}
