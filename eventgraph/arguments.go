package eventgraph

import (
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

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
