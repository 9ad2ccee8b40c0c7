package testsched

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// encode and Decode define the format in which processes exchange outcomes: a line for each part, with fields separated by blanks. Texts
// are quoted. Traces are long and have few distinct texts, so that each is quoted and unquoted once.
func encode(o *Outcome) string {
	var b strings.Builder
	texts := map[string]string{}
	quote := func(text string) string {
		quoted, ok := texts[text]
		if !ok {
			quoted = strconv.Quote(text)
			texts[text] = quoted
		}
		return quoted
	}
	fmt.Fprintf(&b, "%q %q %q %d %d %x\n", string(o.Kind), o.Message, o.Where, o.Points, o.Followed, o.Hash)
	for _, d := range o.Details {
		fmt.Fprintf(&b, "detail %q\n", d)
	}
	for _, text := range o.Shows {
		fmt.Fprintf(&b, "shows %s\n", quote(text))
	}
	for _, p := range o.Printed {
		fmt.Fprintf(&b, "printed %d %d %s\n", p.After, p.Number, quote(p.Text))
	}
	for _, s := range o.Switches {
		fmt.Fprintf(&b, "switch %x %x %x\n", s.Who, s.Place, s.To)
	}
	if o.Untraced > 0 {
		fmt.Fprintf(&b, "untraced %d\n", o.Untraced)
	}
	for _, e := range o.Trace {
		fmt.Fprintf(&b, "event %d %x %d %d %d %d %d %d %s %s %s %s %t %d %d\n",
			e.Count, e.Who, e.Number, e.Place, uint64(e.Op), uint64(e.Takes), e.Case, e.Ready, quote(e.Object), quote(e.At), quote(e.Func), quote(e.File),
			e.Direct, e.By, e.ByPlace)
	}
	for _, g := range o.Origins {
		fmt.Fprintf(&b, "origin %d %t %t %d %d %s %s %s\n", g.Number, g.Test, g.Timer, g.By, g.ByPlace, quote(g.At), quote(g.Func), quote(g.Starter))
	}
	for _, s := range o.States {
		fmt.Fprintf(&b, "state %x %d %d %d %s %s %s %s %d\n", s.Who, s.After, s.Number, int(s.Kind),
			quote(s.Waits), quote(s.Object), quote(s.At), quote(s.Func), s.Other)
	}
	return b.String()
}

// Decode decodes the file of VariableOutcome. It returns nil if the text is damaged.
func Decode(text string) *Outcome {
	o := new(Outcome)
	f := fields{texts: map[string]string{}}
	head, rest, _ := strings.Cut(text, "\n")
	f.line = head
	o.Kind, o.Message, o.Where, o.Points, o.Followed, o.Hash = Kind(f.text()), f.text(), f.text(), f.uint(10), f.int(), f.uint(16)
	for line := range strings.Lines(rest) {
		var key string
		key, f.line, _ = strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "detail":
			o.Details = append(o.Details, f.text())
		case "shows":
			o.Shows = append(o.Shows, f.text())
		case "printed":
			o.Printed = append(o.Printed, Printed{After: f.int(), Number: f.int(), Text: f.text()})
		case "switch":
			o.Switches = append(o.Switches, Switch{f.uint(16), f.uint(16), f.uint(16)})
		case "untraced":
			o.Untraced = f.int()
		case "event":
			o.Trace = append(o.Trace, Event{Count: f.uint(10), Who: f.uint(16), Number: f.int(), Place: f.uint(10), Op: program.Op(f.uint(10)),
				Takes: program.Op(f.uint(10)), Case: f.int(), Ready: f.int(), Object: f.text(),
				At: f.text(), Func: f.text(), File: f.text(), Direct: f.bool(),
				By: f.int(), ByPlace: f.uint(10)})
		case "origin":
			o.Origins = append(o.Origins, Origin{Number: f.int(), Test: f.bool(), Timer: f.bool(), By: f.int(), ByPlace: f.uint(10),
				At: f.text(), Func: f.text(), Starter: f.text()})
		case "state":
			o.States = append(o.States, State{Who: f.uint(16), After: f.int(), Number: f.int(), Kind: StateKind(f.int()),
				Waits: f.text(), Object: f.text(), At: f.text(), Func: f.text(), Other: f.int()})
		}
	}
	if f.err != nil {
		return nil
	}
	return o
}

// fields reads the fields of lines, in their order. err is the first error.
type fields struct {
	line  string
	texts map[string]string // unquoted, by quoted text
	err   error
}

func (f *fields) word() (word string) {
	word, f.line, _ = strings.Cut(f.line, " ")
	return word
}

func parsed[T any](f *fields, parse func(string) (T, error)) T {
	value, err := parse(f.word())
	f.err = cmp.Or(f.err, err)
	return value
}

func (f *fields) uint(base int) uint64 {
	return parsed(f, func(word string) (uint64, error) { return strconv.ParseUint(word, base, 64) })
}
func (f *fields) int() int   { return parsed(f, strconv.Atoi) }
func (f *fields) bool() bool { return parsed(f, strconv.ParseBool) }

func (f *fields) text() string {
	quoted, err := strconv.QuotedPrefix(f.line)
	f.line = strings.TrimPrefix(f.line[len(quoted):], " ")
	text, ok := f.texts[quoted]
	if !ok && err == nil {
		text, err = strconv.Unquote(quoted)
		text = strings.Clone(text) // not the whole file
		f.texts[quoted] = text
	}
	f.err = cmp.Or(f.err, err)
	return text
}
