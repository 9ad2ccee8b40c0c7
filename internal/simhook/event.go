package simhook

import "strings"

// EventKind is what the checker knows of a kind of event besides its rules, mostly words for people.
type EventKind struct {
	Weight   string   // name of the weight in random walks: action, message, timer, consequence or fault
	Class    string   // name of the class that readers of a run select: messages, timers, actions, errors or faults
	Method   string   // of a service that handles the event; "" if none does
	Sentence Template // what happens, with the nodes
	Lane     Template // what happens, on the lane of the node
	Link     Template // what happens to the link between node and peer; "" if it is no link that the event strikes
	Cause    Template // how the event follows from its cause; "" if it is a fault, which has none
	Process  Template // the fair process that the event is a step of; "" if it is of none
}

// Template is a text with the places {node}, {peer} and {what}.
type Template string

// Fill returns the text with the places filled. It has no space at the end where what is empty.
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
