package eventkind

import "strings"

// Presentation holds the classes and display texts of a kind of event.
type Presentation struct {
	Weight   string   // name of the weight in random walks: action, message, timer, consequence or fault
	Class    string   // name of the class that readers of a run select: messages, timers, actions, errors or faults
	Method   string   // of a service that handles the event; empty if none does
	Sentence Template // the event, with its nodes
	Lane     Template // the event, on the lane of the node
	Struck   string   // what a fault has done to a message, as a participle; empty if it strikes none
	Link     Template // effect on the link between node and peer; empty if the event does not strike a link
	Cause    Template // how the event follows from its cause; empty for a fault, which has none
	Process  Template // the fair process that the event is a step of; empty if none
}

// Template is a text with the places {node}, {peer} and {what}.
type Template string

// Fill returns the text with the places filled. It trims a trailing space left by an empty what.
func (t Template) Fill(node, peer, what string) string {
	var b strings.Builder
	for rest := string(t); rest != ""; {
		text, place, _ := strings.Cut(rest, "{")
		b.WriteString(text)
		place, rest, _ = strings.Cut(place, "}")
		switch place {
		case "node":
			b.WriteString(node)
		case "peer":
			b.WriteString(peer)
		case "what":
			b.WriteString(what)
		}
	}
	if what == "" {
		return strings.TrimRight(b.String(), " ")
	}
	return b.String()
}
