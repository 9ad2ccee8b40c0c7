package eventgraph

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
)

// EventKind returns the kind of the event.
func (e *Event) EventKind() eventkind.Kind { return e.kind }

// onLink reports whether the event affects the link between two nodes.
func (e *Event) onLink() bool {
	return e.kind.Presentation().Link != "" && e.Node >= 0 && e.Peer >= 0 && e.Peer != e.Node
}

// linkText describes what happens to the link.
func (e *Event) linkText() string { return e.fill(e.kind.Presentation().Link) }

// label describes the event on its own lane.
func (e *Event) label() string {
	if e.kind.TakesDown() {
		return e.failureWord() + replay.AlsoFell(e.With)
	}
	return e.fill(e.kind.Presentation().Lane)
}

func (e *Event) fill(t eventkind.Template) string {
	peer := fmt.Sprintf("n%d", e.Peer)
	if e.kind == eventkind.Deliver && e.Peer == e.Node {
		peer = "itself"
	}
	return t.Fill(fmt.Sprintf("n%d", e.Node), peer, e.What)
}

// failureWord returns the word for a crash, or for a halt.
func (e *Event) failureWord() string {
	kind := eventkind.Crash
	if e.Halted || e.kind == eventkind.Halt {
		kind = eventkind.Halt
	}
	return string(kind.Presentation().Lane)
}

// short describes the event for summaries: "n0 timer resend", "n1 Ping{2}".
func (e *Event) short() string {
	if e.kind == eventkind.FireTimer {
		return fmt.Sprintf("n%d timer %s", e.Node, e.What)
	}
	return strings.TrimSpace(fmt.Sprintf("n%d %s", e.Node, shortly(e.What)))
}

// shortLabel is label with only the name of a message from a node without a lane.
func (e *Event) shortLabel() string {
	if e.kind.OfMessage() && (e.kind != eventkind.Deliver || e.Peer != e.Node) {
		brief := *e
		brief.What = shortly(e.What)
		return brief.label()
	}
	return e.label()
}

// lane returns the short name of a node, or of a goroutine.
func (g *Graph) lane(id int) string {
	if g.Goroutines {
		return fmt.Sprintf("g%d", id+1)
	}
	return fmt.Sprintf("n%d", id)
}

// first names what precedes the steps.
func (g *Graph) first() string {
	if g.Goroutines {
		return "the test starts"
	}
	return "all nodes boot"
}

// sends returns the word before a sent message.
func (g *Graph) sends() string {
	if g.Goroutines {
		return ""
	}
	return "sends "
}

// heading returns the text above a lane.
func (g *Graph) heading(n Node) string { return strings.TrimSpace(g.lane(n.ID) + " " + n.Name) }
