package eventgraph

import (
	"fmt"
	"strings"
)

// Diagram is what a drawing program needs to lay an event graph out: boxes in a column per node, and arrows.
type Diagram struct {
	Columns []string `json:"columns"`
	Boxes   []Box    `json:"boxes"`
	Arrows  []Arrow  `json:"arrows"`
}

// Box is a step.
type Box struct {
	Name     string `json:"name"`
	Column   int    `json:"column"` // index into Columns; -1: in none
	Label    string `json:"label"`
	Critical bool   `json:"critical,omitempty"`
	Fault    bool   `json:"fault,omitempty"`
	Round    bool   `json:"round,omitempty"` // it is part of a round that goes on for ever
}

// Arrow leads from a box to one that follows from it.
type Arrow struct {
	From  string    `json:"from"`
	To    string    `json:"to"`
	Kind  ArrowKind `json:"kind"`
	Label string    `json:"label,omitempty"`
}

// ArrowKind says why one step follows from another.
type ArrowKind string

const (
	MessageArrow ArrowKind = "message" // it sent what is received
	NextArrow    ArrowKind = "next"    // it is the one before on the same node
	CauseArrow   ArrowKind = "cause"   // another reason
	RoundArrow   ArrowKind = "round"   // it comes after the last step of a round that goes on for ever
)

// Diagram returns the steps shown and what they follow directly: a column per node, an arrow per message with its
// text, one from each step to the next on its node. Steps that are folded or left out have no box; what
// follows from them then has no arrow.
func (g *Graph) Diagram(o Options) Diagram {
	var d Diagram
	columns := map[int]int{}
	for _, n := range g.shown(o) {
		columns[n.ID] = len(d.Columns)
		d.Columns = append(d.Columns, n.title())
	}
	drawn := map[int]bool{}
	last := map[int]int{} // per lane
	for _, s := range g.stretches(o) {
		if s.folded() {
			continue
		}
		e := &g.Events[s.from()]
		b := Box{Name: boxName(e.Step), Column: -1, Label: fmt.Sprintf("%d first boots", e.Step)}
		if c, ok := columns[e.Node]; ok && e.onNode() {
			b.Column = c
		}
		if e.Step > 0 {
			b.Label = strings.Join(append([]string{fmt.Sprintf("%d %s", e.Step, e.label())}, e.digest(4)...), "\n")
		}
		b.Critical, b.Fault = e.Step > 0 && e.Step == g.Critical, e.class() == Faults
		b.Round = g.inRound(e.Step)
		d.Boxes = append(d.Boxes, b)
		drawn[e.Step] = true
		d.Arrows = append(d.Arrows, g.arrows(e, drawn, last)...)
		if e.onNode() {
			last[e.Node] = e.Step
		}
		for _, mate := range e.With {
			last[mate] = e.Step
		}
	}
	if g.Round > 0 && drawn[g.Round] && drawn[g.Last()] {
		d.Arrows = append(d.Arrows, Arrow{boxName(g.Last()), boxName(g.Round), RoundArrow, "again, for ever"})
	}
	return d
}

func boxName(step int) string { return fmt.Sprintf("s%d", step) }

// arrows are those to a step from what was drawn before.
func (g *Graph) arrows(e *Event, drawn map[int]bool, last map[int]int) (all []Arrow) {
	done := map[int]bool{}
	add := func(from int, kind ArrowKind, label string) {
		all = append(all, Arrow{boxName(from), boxName(e.Step), kind, label})
		done[from] = true
	}
	for _, i := range e.Consumed {
		if m := &g.Messages[i]; drawn[m.Sent] && m.Sent != e.Step {
			add(m.Sent, MessageArrow, shortly(m.Text))
		}
	}
	if before, ok := last[e.Node]; ok && e.onNode() && !done[before] {
		add(before, NextArrow, "")
	}
	for _, c := range e.Causes {
		if drawn[c] && !done[c] {
			add(c, CauseArrow, "")
		}
	}
	return all
}
