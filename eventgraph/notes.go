package eventgraph

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// mostChanges is the maximum number of changes in the notes of a step.
const mostChanges = 8

// changes returns the notes common to all kinds of events.
func (l *lanes) changes(e *Event, handler bool) []string {
	var notes []string
	bookkeeping := slices.ContainsFunc(e.Changes, func(c replay.NodeChange) bool { return c.Bookkeeping() })
	changes := e.digest(mostChanges)
	switch {
	case e.kind == eventkind.Boot || e.takesDown():
	case len(changes) > 0:
		notes = append(notes, strings.Join(changes, ", "))
	case handler && !bookkeeping && e.kind == eventkind.Deliver:
		notes = append(notes, "no change")
	}
	if e.kind == eventkind.Crash || e.kind == eventkind.Boot && !e.Crashed {
		notes = append(notes, e.Aftermath...)
	}
	for _, c := range e.Choices {
		if replay.Notable(c) && !e.takesDown() {
			notes = append(notes, replay.Decision(c))
		}
	}
	notes = append(notes, l.sent(e)...)
	notes = append(notes, l.g.timerNotes(e)...)
	if e.Round != "" {
		notes = append(notes, e.Round)
	}
	if race := e.raceText(); race != "" {
		notes = append(notes, "!! "+race)
	}
	if l.o.Notes {
		for _, c := range e.Calls {
			notes = append(notes, strings.Repeat("> ", c.Depth+1)+c.What)
		}
		notes = append(notes, e.Notes...)
		for _, p := range e.Broke {
			notes = append(notes, "no longer: "+p)
		}
		for _, p := range e.Mended {
			notes = append(notes, "holds again: "+p)
		}
	}
	if turn := e.turn; turn != "" {
		notes = append(notes, turn)
	}
	return notes
}

// sent names the messages that the event sends and that no line directly below shows, and counts the others if there are both.
func (l *lanes) sent(e *Event) []string {
	var notes []string
	below := 0
	for _, i := range e.Sent {
		m := &l.g.Messages[i]
		if len(m.Deliveries) == 0 || m.Deliveries[0] == e.Step+1 && l.adjacent {
			below++
			continue
		}
		notes = append(notes, l.g.sends()+shortly(m.Text)+" to "+l.g.lane(m.To))
	}
	if len(notes) > 0 && below > 0 && !l.g.Goroutines {
		notes = append(notes, textfmt.Plural(below, "other message")+" below")
	}
	return notes
}

// timerNotes describes the timers that the event sets and stops. It omits timers that are only set again, and those
// of a boot.
func (g *Graph) timerNotes(e *Event) []string {
	if e.kind == eventkind.Boot {
		return nil
	}
	var notes []string
	again := map[string]bool{}
	for _, i := range e.Ends {
		switch t := &g.Timers[i]; t.Ended {
		case "fired", "set again":
			again[t.What] = true
		case "stopped":
			notes = append(notes, "stops "+t.What)
		}
	}
	for _, i := range e.Sets {
		if t := &g.Timers[i]; !again[t.What] {
			notes = append(notes, "sets "+t.What)
		}
	}
	return notes
}
