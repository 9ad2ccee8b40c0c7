package eventgraph

import (
	"fmt"
	"strings"

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
	case sim.DoAction:
		return e.What
	case sim.FireTimer:
		return "timer " + e.What
	case sim.DeliverError:
		return strings.TrimSpace(fmt.Sprintf("error with n%d %s", e.Peer, e.What))
	case sim.DeliverReady:
		return fmt.Sprintf("ready for n%d", e.Peer)
	case sim.Crash:
		return "CRASH"
	case sim.Partition:
		return strings.TrimSpace("CUT OFF " + e.What)
	}
	return strings.TrimSpace(e.Kind + " " + e.What)
}
