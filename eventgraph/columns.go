package eventgraph

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/textfmt"
)

// lines wraps the notes beside the lanes. Sources get their own column if there is room.
func (l *lanes) lines() []Line {
	var out []Line
	if !l.o.NoHeader {
		var c canvas
		nodes := l.g.shown(l.o)
		for i, n := range nodes {
			name := l.g.heading(n)
			if i+1 < len(nodes) {
				name = headingIn(l.g, n, l.x[nodes[i+1].ID]-l.x[n.ID]-1)
			}
			c.put(l.x[n.ID], name)
		}
		out = append(out, Line{-1, -1, c.String()})
	}
	source := 0
	for _, r := range l.rows {
		source = max(source, len(r.source))
	}
	if l.o.NoSource {
		source = 0
	}
	room := l.width - l.notes
	column := true // sources have their own column
	if source > 0 {
		if room-source-2 >= 24 {
			room -= source + 2
		} else {
			column = false
		}
	}
	wide := 0
	for i := range l.rows {
		r := &l.rows[i]
		if l.o.NoSource {
			r.source = ""
		}
		if !column && r.source != "" {
			r.notes = strings.TrimPrefix(r.notes+" ["+r.source+"]", " ")
			r.source = ""
		}
		if at := len([]rune(r.lane)); !r.plain && at < l.notes {
			wide = max(wide, min(room, len([]rune(r.notes))))
		}
	}
	at := l.notes + wide + 2 // column of the sources
	for _, r := range l.rows {
		if r.plain {
			out = append(out, Line{r.from, r.to, strings.TrimRight(r.lane, " ")})
			continue
		}
		line := canvas(r.lane)
		first := room
		if over := len(line) + 2 - l.notes; over > 0 {
			first = room - over
		}
		lines := wrap(r.notes, first, max(room, 16))
		for i, text := range lines {
			if i > 0 {
				line = nil
			}
			if text != "" {
				line.put(max(l.notes, len(line)+2), text)
			}
			if i == 0 && r.source != "" {
				line.put(max(at, len(line)+2), r.source)
			}
			out = append(out, Line{r.from, r.to, line.String()})
		}
	}
	return out
}

// wrap breaks text at spaces into lines of at most n characters, the first one of at most first. A longer word gets
// a line of its own. There is at least one line.
func wrap(text string, first, n int) []string {
	var lines []string
	line := ""
	room := first
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "" && (len(lines) > 0 || len([]rune(word)) <= room):
			line = word
		case line != "" && len([]rune(line))+1+len([]rune(word)) <= room:
			line += " " + word
		default:
			lines = append(lines, line)
			line, room = word, n
		}
	}
	return append(lines, line)
}

// announces begins the note of an announcement.
var announces = stepinfo.AnnounceEffect.String() + " "

// mostAnnounced is the maximum length of an announcement in the notes of a step.
const mostAnnounced = 72

// mostChanges is the maximum number of changes in the notes of a step.
const mostChanges = 8

// changes returns the notes common to all kinds of events.
func (l *lanes) changes(e *Event, handler bool) []string {
	var notes []string
	bookkeeping := slices.ContainsFunc(e.Changes, func(c replay.NodeChange) bool { return c.Minor() })
	changes := e.digest(mostChanges)
	switch {
	case e.kind == eventkind.Boot || e.takesDown():
	case len(changes) > 0:
		notes = append(notes, strings.Join(changes, ", "))
	case handler && !bookkeeping && e.kind == eventkind.Deliver && !l.g.Nodes[e.Node].Program:
		notes = append(notes, "no change")
	}
	if e.kind == eventkind.Crash || e.kind == eventkind.Boot && !e.Crashed {
		notes = append(notes, e.Aftermath...)
	}
	for _, c := range e.Choices {
		if replay.Meaningful(c) && !e.takesDown() && !simext.Restores(c.Label) {
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
	} else {
		for _, note := range output(l.g, e) {
			if !strings.Contains(strings.Join(changes, ", "), note) {
				notes = append(notes, note)
			}
		}
	}
	if turn := e.turn; turn != "" {
		notes = append(notes, turn)
	}
	return notes
}

// output returns the notes of a step with lines that the process of a program has printed, see bubble.Command, with its announcements, what
// a crash has left of its files, and where its goroutines pause.
func output(g *Graph, e *Event) (lines []string) {
	for _, note := range e.Notes {
		line := strings.TrimPrefix(note, "log ")
		if text, ok := strings.CutPrefix(line, simext.Scheduled); ok {
			lines = append(lines, text)
		} else if text, ok := strings.CutPrefix(line, simext.Survived); ok {
			lines = append(lines, text)
		} else if strings.HasPrefix(line, "stdout: ") || strings.HasPrefix(line, "stderr: ") {
			lines = append(lines, line)
		}
	}
	return append(lines, announcements(g, e)...)
}

// announcements returns the announcements of a program, whose state a graph does not show. If a monitor is violated it counts those without
// a part in that.
func announcements(g *Graph, e *Event) (lines []string) {
	others := 0
	for _, note := range e.Notes {
		text, ok := strings.CutPrefix(note, announces)
		switch observed := func(o replay.Observation) bool { return o.Step == e.Step && o.Text == text }; {
		case !ok || e.Node < 0 || !g.Nodes[e.Node].Program:
		case len(g.trace.Observed) > 0 && !slices.ContainsFunc(g.trace.Observed, observed):
			others++
		default:
			lines = append(lines, "announces "+replay.Shorten(text, mostAnnounced))
		}
	}
	if others > 0 {
		lines = append(lines, "announces "+textfmt.Plural(others, "event")+" that the violation does not need")
	}
	return lines
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
