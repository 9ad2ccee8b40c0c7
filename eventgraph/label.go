package eventgraph

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// onLink reports whether the event strikes the link between two nodes.
func (e *Event) onLink() bool {
	return (e.kind == sim.Break || e.kind == sim.Partition || e.kind == sim.Heal) && e.Node >= 0 && e.Peer >= 0 && e.Peer != e.Node
}

// linkText says what happens to the link.
func (e *Event) linkText() string {
	what := map[sim.EventKind]string{
		sim.Break: "connection n%d-n%d breaks", sim.Partition: "link n%d-n%d is cut", sim.Heal: "link n%d-n%d heals",
	}[e.kind]
	return fmt.Sprintf(what, e.Node, e.Peer)
}

// label says what happens on the event's own lane.
func (e *Event) label() string {
	switch e.kind {
	case sim.DoAction, sim.TakeQuorum:
		return e.What
	case sim.Deliver:
		if e.Peer == e.Node {
			return e.What + " from itself"
		}
		return fmt.Sprintf("%s from n%d", e.What, e.Peer)
	case sim.Lose:
		return fmt.Sprintf("LOSS of %s from n%d", e.What, e.Peer)
	case sim.Duplicate:
		return fmt.Sprintf("duplicate of %s from n%d", e.What, e.Peer)
	case sim.Break:
		return fmt.Sprintf("connection with n%d breaks", e.Peer)
	case sim.FireTimer:
		return "timer " + e.What
	case sim.DeliverError:
		return strings.TrimSpace(fmt.Sprintf("error with n%d %s", e.Peer, e.What))
	case sim.DeliverReady:
		return fmt.Sprintf("ready for n%d", e.Peer)
	case sim.Arrive:
		return fmt.Sprintf("%s arrives at n%d", e.What, e.Peer)
	case sim.Internal:
		return "internal step"
	case sim.Crash, sim.Halt:
		return e.fall() + replay.AlsoFell(e.With)
	case sim.Partition:
		return strings.TrimSpace("CUT OFF " + e.What)
	}
	return strings.TrimSpace(e.Kind + " " + e.What)
}

// fall is what a crash is called, and one for ever.
func (e *Event) fall() string {
	if e.Halted || e.kind == sim.Halt {
		return "HALT"
	}
	return "CRASH"
}

// short says what the event is, for summaries: "n0 timer resend", "n1 Ping{2}".
func (e *Event) short() string {
	if e.kind == sim.FireTimer {
		return fmt.Sprintf("n%d timer %s", e.Node, e.What)
	}
	return strings.TrimSpace(fmt.Sprintf("n%d %s", e.Node, shortly(e.What)))
}

// shortLabel is label with only the name of a message from a node that has no lane.
func (e *Event) shortLabel() string {
	switch {
	case e.kind == sim.Deliver && e.Peer != e.Node, e.kind == sim.Lose, e.kind == sim.Duplicate:
		brief := *e
		brief.What = shortly(e.What)
		return brief.label()
	}
	return e.label()
}

// lane is the short name of a node, or of a goroutine.
func (g *Graph) lane(id int) string {
	if g.Goroutines {
		return fmt.Sprintf("g%d", id+1)
	}
	return fmt.Sprintf("n%d", id)
}

// first says what precedes the steps.
func (g *Graph) first() string {
	if g.Goroutines {
		return "the test starts"
	}
	return "first boots"
}

// sends is what a step does that a message comes from.
func (g *Graph) sends() string {
	if g.Goroutines {
		return ""
	}
	return "sends "
}

// heading is what stands above a lane.
func (g *Graph) heading(n Node) string { return strings.TrimSpace(g.lane(n.ID) + " " + n.Name) }
