package replay

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Describe returns a short sentence about an event: "n0 timer resend", "network loses Ack{2} n1->n0".
func Describe(l *stepinfo.Label) string { return describe(l, What(l)) }

// What returns the subject of an event: its action, timer, message or error as [Brief] text, for a quorum "promised
// from n2, n3", for a crash "with n2", or "".
func What(l *stepinfo.Label) string { return what(l, Brief(l.Content)) }

// what returns What with another text for the content of the label.
func what(l *stepinfo.Label, content string) string {
	switch {
	case l.Event.Kind == eventkind.TakeQuorum:
		var senders []sim.NodeID
		for _, m := range l.Set {
			senders = append(senders, m.From)
		}
		return l.Content + " from " + ListNodes(senders)
	case l.Event.Kind.TakesDown():
		return strings.TrimPrefix(mates(l), " ")
	case l.Carrier != "":
		return l.Carrier + " " + content
	}
	return content
}

// describe is Describe with another text for the event's subject.
func describe(l *stepinfo.Label, what string) string {
	ev := &l.Event
	switch {
	case ev.Kind.TakesDown():
		return fill(ev, "") + mates(l)
	case ev.Kind == eventkind.Partition || ev.Kind == eventkind.Heal:
		what = partitionedLinks(*ev)
	}
	return fill(ev, what)
}

// fill returns the sentence of the event's kind.
func fill(ev *netmodel.Event, what string) string {
	return ev.Kind.Presentation().Sentence.Fill(fmt.Sprintf("n%d", ev.Node), fmt.Sprintf("n%d", ev.Peer), what)
}

// mates formats the nodes that fail together in a crash of a process: " with n2, n3", or "" if there are none.
func mates(l *stepinfo.Label) string {
	var others []int
	for _, id := range l.Process {
		if id != l.Event.Node {
			others = append(others, int(id))
		}
	}
	return AlsoFell(others)
}

// partitionedLinks describes the links that a partition cuts.
func partitionedLinks(ev netmodel.Event) string {
	switch {
	case ev.Peer >= 0:
		return fmt.Sprintf("n%d-n%d", ev.Node, ev.Peer)
	case ev.Node >= 0:
		return fmt.Sprintf("all links of n%d", ev.Node)
	}
	return "the partition"
}

// Sentence describes the step and its choices in a few words.
func (s *TraceStep) Sentence() string {
	if s.Number == 0 {
		return s.Key
	}
	text := describe(&stepinfo.Label{Event: s.Event}, s.What)
	if s.Event.Kind.TakesDown() {
		text += AlsoFell(s.With) // some nodes of the process may have been down
	}
	if s.Crashed {
		kind := eventkind.Crash
		if s.Halted {
			kind = eventkind.Halt
		}
		text += ", and" + kind.Presentation().Sentence.Fill("", "", "") + AlsoFell(s.With) + "; " + strings.Join(s.Aftermath(), "; ")
	}
	return text
}

// Count returns how many of the step's effects happened, and their number.
func (s *TraceStep) Count() (applied, all int) {
	for i := range s.Effects {
		e := &s.Effects[i]
		if !e.happens() {
			continue
		}
		all++
		if e.Applied {
			applied++
		}
	}
	return applied, all
}

// Announced returns the observations of a step.
func (s *TraceStep) Announced() (all []Observation) {
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Applied && e.Kind == stepinfo.AnnounceEffect.String() {
			all = append(all, Observation{Step: s.Number, Node: s.Node, Text: e.Text})
		}
	}
	return all
}

// AnnouncedAt returns the place of the call that announced an event with the text.
func (s *TraceStep) AnnouncedAt(text string) string {
	for i := range s.Effects {
		if e := &s.Effects[i]; e.Kind == stepinfo.AnnounceEffect.String() && e.Text == text {
			return e.From
		}
	}
	return ""
}
