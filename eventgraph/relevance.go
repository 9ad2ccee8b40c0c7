package eventgraph

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
)

// HasLastingEffect reports whether the step has a lasting effect: it changed the state of a node, set or stopped a timer,
// wrote to a disk, or was a fault. Everything that its node does later depends on such a step, so before a
// violation it is always shown.
func (e *Event) HasLastingEffect() bool {
	switch {
	case len(e.Changes) > 0, len(e.Sets) > 0, e.Crashed, e.kind == eventkind.Boot, e.kind == eventkind.Heal, e.kind.Injection():
		return true
	}
	return slices.ContainsFunc(e.effects, func(f replay.TraceEffect) bool {
		return f.Applied && (f.Kind == stepinfo.WriteEffect.String() || f.Kind == stepinfo.SyncEffect.String())
	})
}

// Alters reports whether the step changed the state of a node beyond its timers and counters, or struck a node or the network.
func (e *Event) Alters() bool {
	return e.Crashed || e.kind == eventkind.Boot || e.kind == eventkind.Heal || e.kind.Injection() ||
		slices.ContainsFunc(e.Changes, func(c replay.NodeChange) bool { return !c.Minor() })
}

// Connects reports whether a step only delivers messages that open, close or pace a connection of programs. It changes no state,
// programs print and announce nothing in it, and the data that they send is delivered.
func Connects(g *Graph, step int) bool {
	e := &g.Events[step]
	return e.kind == eventkind.Deliver && len(e.Consumed) > 0 && !e.Alters() && !g.decisive(e) && e.turn == "" &&
		len(e.Notes)+len(e.Gone)+len(e.Broke)+len(e.Mended) == 0 &&
		!slices.ContainsFunc(e.Consumed, func(m int) bool { return !g.Messages[m].Control }) &&
		!slices.ContainsFunc(e.Sent, func(m int) bool { return !g.Messages[m].Control && len(g.Messages[m].Deliveries) == 0 })
}

// decisive reports whether an event is marked: the critical step, or the one with the finding. In a test with a critical step, only
// that step is marked.
func (g *Graph) decisive(e *Event) bool {
	return e.Step > 0 && (e.Step == g.Critical || e.Error != "" && (!g.Goroutines || g.Critical == 0))
}

// Before returns, ascending, the steps before a step that matter, the direct latest ones in its past, and those
// that sent what these consumed. See [Event.HasLastingEffect] and [Graph.Past].
func (g *Graph) Before(step, direct int) []int {
	steps := g.Past(step, direct)
	for i := 1; i < min(step, len(g.Events)); i++ {
		if e := &g.Events[i]; e.HasLastingEffect() {
			steps = append(steps, i)
			for _, m := range e.Consumed {
				if sent := g.Messages[m].Sent; sent > 0 {
					steps = append(steps, sent)
				}
			}
		}
	}
	slices.Sort(steps)
	return slices.Compact(steps)
}

// SetRace marks the two steps of a data race.
func (g *Graph) SetRace(a, b int) {
	g.Events[a].Race, g.Events[b].Race = b, a
	g.Named = append(g.Named, a, b)
}

// raceText describes the data race of the step. An empty string means none.
func (e *Event) raceText() string {
	if e.Race == 0 {
		return ""
	}
	return fmt.Sprintf("data race with step %d", e.Race)
}
