package shrink

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// eventName identifies an event in scripts.
type eventName struct {
	key            string // the stable key
	class, handler string // see [classify]
}

// eventNames names the events of runs. It formats equal messages once, because most are enabled in many states, and sent
// in many runs.
type eventNames struct {
	known     map[messageEvent]*eventName // of one run
	contents  map[contentEvent]map[string]*eventName
	envelopes []sim.Envelope
	encoding  []byte
}

// messageEvent is an event that consumes one message.
type messageEvent struct {
	kind       eventkind.Kind
	node, peer sim.NodeID
	id         sim.MessageID
}

// contentEvent is an event without its content: the encoding of the message that it consumes, or the text of its label.
type contentEvent struct {
	kind       eventkind.Kind
	node, peer sim.NodeID
	carrier    string // see [stepinfo.Label]
	stream     bool   // as in [sim.Envelope]
	message    bool
}

// mostContents is the number of contents of an event after which their names are forgotten.
const mostContents = 1 << 10

// planner is implemented by worlds that encode messages.
type planner interface{ PlanOf(v any) *encoding.Plan }

// reset forgets the names of messages by their numbers, which begin again in each run.
func (n *eventNames) reset() { clear(n.known) }

// of returns the name of an event that is enabled in the state of w.
func (n *eventNames) of(w kernel.World, ev netmodel.Event) *eventName {
	plans, ok := w.(planner)
	if n.envelopes = n.envelopes[:0]; ok && ev.Msgs == 1 && (ev.Kind.OfMessage() || ev.Kind == eventkind.Arrive) {
		n.envelopes = w.Messages(ev, n.envelopes)
	}
	if len(n.envelopes) != 1 {
		return n.ofLabel(w, ev)
	}
	m := &n.envelopes[0]
	at := messageEvent{ev.Kind, ev.Node, ev.Peer, m.ID}
	if known := n.known[at]; m.ID != 0 && known != nil {
		return known
	}
	content := contentEvent{kind: ev.Kind, node: ev.Node, peer: ev.Peer, stream: m.Stream, message: true}
	n.encoding = plans.PlanOf(m.Msg).Append(n.encoding[:0], m.Msg)
	known := n.contents[content][string(n.encoding)]
	if known == nil {
		label := w.Label(ev)
		known = name(w, &label)
		n.add(content, string(n.encoding), known)
	}
	if m.ID != 0 {
		if n.known == nil {
			n.known = map[messageEvent]*eventName{}
		}
		n.known[at] = known
	}
	return known
}

// ofLabel is of for an event that does not consume one message.
func (n *eventNames) ofLabel(w kernel.World, ev netmodel.Event) *eventName {
	label := w.Label(ev)
	if ev.Msgs > 0 {
		return name(w, &label)
	}
	content := contentEvent{kind: ev.Kind, node: ev.Node, peer: ev.Peer, carrier: label.Carrier}
	known := n.contents[content][label.Content]
	if known == nil {
		known = name(w, &label)
		n.add(content, label.Content, known)
	}
	return known
}

func (n *eventNames) add(event contentEvent, content string, name *eventName) {
	if n.contents == nil {
		n.contents = map[contentEvent]map[string]*eventName{}
	}
	if list := n.contents[event]; list == nil || len(list) >= mostContents {
		n.contents[event] = map[string]*eventName{}
	}
	n.contents[event][content] = name
}

// name returns the name of the event of a label.
func name(w kernel.World, l *stepinfo.Label) *eventName {
	name := &eventName{key: l.String()}
	name.class, name.handler = classify(w, l)
	return name
}

// classify returns the class of an event: its kind, nodes, the Go types of its messages, and the first word of the
// text of a timer, or of a message that it delivers or strikes. The rest of the text may depend on earlier steps.
// Events of a class replace each other when earlier steps change. Handler is the class without nodes.
func classify(w kernel.World, l *stepinfo.Label) (class, handler string) {
	ev := l.Event
	kind := ev.Kind.String() + " "
	if ev.Msgs == 0 && ev.Kind != eventkind.FireTimer && !ev.Kind.OfMessage() {
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

// commonWords returns the number of words and numbers that two keys have at the same positions.
func commonWords(a, b string) (n int) {
	for a != "" && b != "" {
		var x, y string
		x, a = cutWord(a)
		if y, b = cutWord(b); x == y {
			n++
		}
	}
	return n
}

// cutWord returns a key up to its first separator, and the rest behind it.
func cutWord(key string) (word, rest string) {
	if n := strings.IndexAny(key, " :,{}[]()"); n >= 0 {
		return key[:n], key[n+1:]
	}
	return key, ""
}
