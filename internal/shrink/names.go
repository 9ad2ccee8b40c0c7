package shrink

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// eventName identifies an event in scripts.
type eventName struct {
	key            string // the stable key
	class, handler string // see [classify]
}

// eventNames names the events of one run. It formats the text of a message once, because most messages are enabled in
// many states.
type eventNames struct {
	known     map[messageEvent]*eventName
	envelopes []sim.Envelope
}

// messageEvent is an event that consumes one message.
type messageEvent struct {
	kind       sim.EventKind
	node, peer sim.NodeID
	id         sim.MessageID
}

// reset forgets all names. Message numbers begin again in each run.
func (n *eventNames) reset() { clear(n.known) }

// of returns the name of an event that is enabled in the state of w.
func (n *eventNames) of(w kernel.World, ev sim.Event) *eventName {
	at := messageEvent{ev.Kind, ev.Node, ev.Peer, 0}
	if ev.Msgs == 1 && ev.Kind != sim.TakeQuorum {
		if n.envelopes = w.Messages(ev, n.envelopes[:0]); len(n.envelopes) == 1 {
			at.id = n.envelopes[0].ID
		}
	}
	if name := n.known[at]; at.id != 0 && name != nil {
		return name
	}
	label := w.Label(ev)
	name := &eventName{key: label.String()}
	name.class, name.handler = classify(w, &label)
	if at.id != 0 {
		if n.known == nil {
			n.known = map[messageEvent]*eventName{}
		}
		n.known[at] = name
	}
	return name
}

// classify returns the class of an event: its kind, nodes, the Go types of its messages, and the first word of the
// text of a message or timer. The rest of the text may depend on earlier steps. Events of a class replace each
// other when earlier steps change. Handler is the class without nodes.
func classify(w kernel.World, l *stepinfo.Label) (class, handler string) {
	ev := l.Event
	kind := ev.Kind.String() + " "
	if ev.Msgs == 0 && ev.Kind != sim.FireTimer {
		return l.String(), kind + l.Content
	}
	word := l.Content
	if n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '.' && r != '"' }); n >= 0 {
		word = word[:n]
	}
	word = l.Carrier + " " + word
	class, handler = l.Head()+" "+word, kind+word
	for _, m := range w.Messages(ev, nil) {
		class += fmt.Sprintf(" %d:%T", m.From, m.Msg)
		handler += fmt.Sprintf(" %T", m.Msg)
	}
	return class, handler
}
