package eventgraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// EventKind returns the kind of the event.
func (e *Event) EventKind() eventkind.Kind { return e.kind }

// onLink reports whether the event affects the link between two nodes.
func (e *Event) onLink() bool {
	return e.kind.Presentation().Link != "" && e.Node >= 0 && e.Peer >= 0 && e.Peer != e.Node
}

// struck returns what a fault has done to the message of the event, or an empty string.
func (e *Event) struck() string { return e.kind.Presentation().Struck }

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
		return cmp.Or(g.Events[0].What, "the test starts")
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

// headingIn returns the heading in at most so many letters. Receivers are left out first, then the beginnings of the names of function
// literals, and the ends of others.
func headingIn(g *Graph, n Node, room int) string {
	lane, name := g.lane(n.ID), []rune(n.Name)
	if at := strings.Index(n.Name, ")."); len(lane)+1+len(name) > room && at > 0 && n.Name[0] == '(' {
		name = []rune(n.Name[at+2:])
	}
	if over := len(lane) + 1 + len(name) - room; over > 0 && over+1 < len(name) && slices.Contains(name, '.') {
		name = append([]rune{'…'}, name[over+1:]...)
	}
	return textfmt.Truncate(strings.TrimSpace(lane+" "+string(name)), room)
}

// arguments are the fields of messages by which those of one kind differ.
type arguments map[string]*differing

// differing describes the messages of one kind.
type differing struct {
	first []string // fields of the first message
	vary  []bool   // by field; nil means that the numbers of fields differ
}

// argumentsOf compares the messages of a graph.
func argumentsOf(g *Graph) arguments {
	a := arguments{}
	for i := range g.Messages {
		name, fields := splitMessage(g.Messages[i].Text)
		d, ok := a[name]
		if !ok {
			a[name] = &differing{fields, make([]bool, len(fields))}
			continue
		}
		if len(fields) != len(d.first) {
			d.vary = nil
		}
		for k := range d.vary {
			d.vary[k] = d.vary[k] || fields[k] != d.first[k]
		}
	}
	return a
}

// label returns a message in at most room letters: its whole text, or else its name with the fields that distinguish it from messages of
// its kind, or with the values of these fields, cut. An empty string means that the name does not fit.
func (a arguments) label(text string, room int) string {
	if len([]rune(text)) <= room {
		return text
	}
	name, fields := splitMessage(text)
	if d := a[name]; d != nil && len(d.vary) == len(fields) {
		var kept []string
		for k, f := range fields {
			if d.vary[k] {
				kept = append(kept, f)
			}
		}
		if len(kept) > 0 {
			fields = kept
		}
	}
	const fewest = 3 // letters of fields that are worth their place
	switch left := room - len([]rune(name)); {
	case left < 0:
		return ""
	case left < fewest || len(fields) == 0:
		return name
	}
	whole := name + "{" + strings.Join(fields, " ") + "}"
	if len([]rune(whole)) > room {
		for k, f := range fields {
			if field, value, ok := strings.Cut(f, ":"); ok && !strings.ContainsAny(field, "{[\"") {
				fields[k] = value
			}
		}
		whole = name + "{" + strings.Join(fields, " ") + "}"
	}
	return textfmt.Truncate(whole, room)
}

// splitMessage splits the text of a message into its name and its fields: "Put{Key:1 At:{2 3}}" has the fields "Key:1" and "At:{2 3}",
// and so has "Put Key:1 At:{2 3}".
func splitMessage(text string) (name string, fields []string) {
	at := strings.IndexAny(text, " {")
	if at < 0 {
		return text, nil
	}
	name, rest := text[:at], text[at+1:]
	if text[at] == '{' {
		rest = strings.TrimSuffix(rest, "}")
	}
	depth, from := 0, 0
	for i, c := range rest {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ' ':
			if depth == 0 {
				fields, from = append(fields, rest[from:i]), i+1
			}
		}
	}
	if from < len(rest) {
		fields = append(fields, rest[from:])
	}
	return name, fields
}
