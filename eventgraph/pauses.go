package eventgraph

import (
	"cmp"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
)

// Pause is a part of a run in which messages to a node wait while other nodes handle later ones, as when its process pauses
// or a link is slow.
type Pause struct {
	Node  int
	From  int // the sender of the waiting messages if the node handles those of others; -1 means that it handles none
	First int // the step after which the first message waits
	Last  int // the step before the one that handles the first of them
	Waits int // number of messages that wait then
	Acts  int // number of steps of the node meanwhile

	overtaken int // number of steps that handle messages sent in it
}

// leastOvertaken is the minimum number of steps that handle messages sent during a pause before its end.
const leastOvertaken = 3

// Pauses returns the pauses of a run up to a step, those with the most later messages handled elsewhere first. A link is listed
// if its receiver does not pause as a whole. Times in which a node crashes, boots or is down are not pauses.
func Pauses(g *Graph, last int) (pauses []Pause) {
	if g.Goroutines {
		return nil
	}
	for node := range g.Nodes {
		pauses = append(pauses, pausesOf(g, node, -1, last)...)
	}
	whole := len(pauses)
	for node := range g.Nodes {
		for from := range g.Nodes {
			for _, p := range pausesOf(g, node, from, last) {
				if !slices.ContainsFunc(pauses[:whole], p.overlaps) && p.Acts > 0 {
					pauses = append(pauses, p)
				}
			}
		}
	}
	slices.SortStableFunc(pauses, func(a, b Pause) int { return cmp.Compare(b.overtaken, a.overtaken) })
	return pauses
}

func (p *Pause) overlaps(other Pause) bool {
	return p.Node == other.Node && p.First < other.Last && other.First < p.Last
}

// pausesOf returns the pauses between two messages that a node handles, from one sender or from all (-1).
func pausesOf(g *Graph, node, from, last int) (pauses []Pause) {
	var waiting []*Message // by the first step that handles them
	for i := range g.Messages {
		m := &g.Messages[i]
		if m.To == node && m.From != node && (from < 0 || m.From == from) && len(m.Deliveries) > 0 && m.Deliveries[0] <= last {
			waiting = append(waiting, m)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *Message) int { return cmp.Compare(a.Deliveries[0], b.Deliveries[0]) })
	handled := 0 // the last step that handles one
	for i, m := range waiting {
		p := Pause{Node: node, From: from, First: m.Sent, Last: m.Deliveries[0] - 1}
		for _, other := range waiting[i:] {
			p.First = min(p.First, other.Sent)
			if other.Sent <= p.Last {
				p.Waits++
			}
		}
		p.First = max(p.First, handled)
		handled = m.Deliveries[0]
		if p.measure(g); p.overtaken >= leastOvertaken {
			pauses = append(pauses, p)
		}
	}
	return pauses
}

// measure counts the steps of the node in a pause, and the steps that handle messages sent in it. The latter is 0 if the
// node crashes or boots.
func (p *Pause) measure(g *Graph) {
	isLater := func(m int) bool { return g.Messages[m].Sent > p.First }
	for step := p.First + 1; step <= p.Last; step++ {
		e := &g.Events[step]
		if e.Node == p.Node && (e.Crashed || e.kind == eventkind.Boot || e.kind.TakesDown()) || slices.Contains(e.With, p.Node) {
			p.overtaken = 0
			return
		}
		if e.Node == p.Node {
			p.Acts++
		}
		if !e.kind.OfNetwork() && !e.kind.Injection() && slices.ContainsFunc(e.Consumed, isLater) {
			p.overtaken++
		}
	}
}
