package eventgraph

import (
	"strings"

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
				name = textfmt.Truncate(name, l.x[nodes[i+1].ID]-l.x[n.ID]-1)
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
