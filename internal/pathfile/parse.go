package pathfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/testflags"
)

const (
	magic      = "macemc path"
	headerKeys = "system, nodes, package, test, param, bug, limit, timing, interleave, crash-cut, live-network, instant, seed, " +
		"schedule, finding, property, known, round, note"
)

// Read reads the path file of that name.
func Read(name string) (*File, error) {
	f, err := infile.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Parse(f)
}

// Parse reads a path file. Errors are of type [*ParseError], unless r fails. Truncated files are refused. The whole
// file is held in memory.
func Parse(r io.Reader) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("path file: %w", err)
	}
	p := &parser{file: &File{Lines: map[string]int{}}}
	if err := p.parse(data); err != nil {
		return nil, &ParseError{Line: p.line, Reason: err.Error()}
	}
	return p.file, nil
}

type parser struct {
	file  *File
	line  int  // the current line, counted from 1
	ended bool // whether the end line was read
}

func (p *parser) parse(data []byte) error {
	lines := strings.Split(string(bytes.TrimRight(data, " \t\r\n")), "\n")
	p.line = 1
	if err := checkVersion(strings.TrimRight(lines[0], "\r")); err != nil {
		return err
	}
	// This check comes first, because the last line of a truncated file usually has errors of its own.
	p.line = len(lines)
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "end" && !strings.HasPrefix(last, "end ") {
		return fmt.Errorf("the file is truncated: its last line is not %q", "end NUMBER-OF-STEPS")
	}
	for i, text := range lines[1:] {
		p.line = i + 2
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		if p.ended {
			return fmt.Errorf("%q after the end line", excerpt(text))
		}
		if err := p.entry(text); err != nil {
			return err
		}
	}
	for _, key := range []string{"system", "nodes"} {
		if p.file.Lines[key] == 0 {
			return fmt.Errorf("the header has no %q line", key)
		}
	}
	return nil
}

func checkVersion(first string) error {
	rest, ok := strings.CutPrefix(first, magic+" ")
	switch {
	case first == "":
		return fmt.Errorf("the file is empty; a path file begins with %q", fmt.Sprint(magic, " ", Version))
	case strings.HasPrefix(first, "macemc schedule "):
		return errors.New(`this is a schedule of "macemc test": execute it with macemc test -schedule FILE, ` +
			`debug it with macemc mdb FILE, or draw it with macemc graph FILE`)
	case !ok:
		return fmt.Errorf("this is not a path file: it begins with %q, not with %q", excerpt(first),
			fmt.Sprint(magic, " ", Version))
	case rest != strconv.Itoa(Version):
		return fmt.Errorf("the file has format version %s; this program reads version %d", excerpt(rest), Version)
	}
	return nil
}

// entry reads one line that is neither blank nor a comment. It has no space at either end.
func (p *parser) entry(text string) error {
	if strings.IndexByte("0123456789+-", text[0]) >= 0 {
		return p.step(text)
	}
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "end":
		n, err := number(rest, "steps")
		if err != nil {
			return err
		}
		if p.file.Header.Round > n {
			return fmt.Errorf("the round has %d steps, but the file has %d", p.file.Header.Round, n)
		}
		if n != len(p.file.Steps) {
			return fmt.Errorf("the end line announces %d steps, but the file has %d", n, len(p.file.Steps))
		}
		p.ended = true
		return nil
	case "boot":
		if p.body() {
			return fmt.Errorf("there must be at most one boot line, before the first step")
		}
		p.file.Lines[word] = p.line
		picks, rest, err := scanPicks(rest)
		if err == nil && rest != "" {
			err = fmt.Errorf("%q after the picks", excerpt(rest))
		}
		if err == nil && picks == nil {
			err = fmt.Errorf("the boot line has no picks")
		}
		p.file.Boot = picks
		return err
	}
	if p.body() {
		return fmt.Errorf("%q does not begin a step; header lines must precede the boot line and the steps", excerpt(word))
	}
	return p.header(word, rest)
}

// body reports whether the header has ended.
func (p *parser) body() bool { return p.file.Lines["boot"] != 0 || len(p.file.Steps) > 0 }

// texts returns the entries that are texts.
func (h *Header) texts() map[string]*string {
	return map[string]*string{"system": &h.System, "test": &h.Test, "timing": &h.Timing, "interleave": &h.Interleave, "crash-cut": &h.CrashCut,
		"schedule": &h.Schedule, "finding": &h.Finding, "property": &h.Property, "known": &h.Known, "note": &h.Note}
}

func (p *parser) header(word, rest string) (err error) {
	h := &p.file.Header
	switch word {
	case "system", "test", "timing", "interleave", "crash-cut", "schedule", "finding", "property", "known", "note":
		*h.texts()[word], err = unquoteRest(rest)
	case "nodes":
		if h.Nodes, err = number(rest, "nodes"); err == nil && h.Nodes == 0 {
			err = fmt.Errorf("nodes is 0, must be at least 1")
		}
	case "package":
		h.Package, err = importPath(rest)
	case "live-network":
		if h.AsLive = true; rest != "" {
			err = fmt.Errorf("live-network has no value, not %q", excerpt(rest))
		}
	case "instant":
		h.Instant, err = testflags.ParseInstant(rest)
	case "seed":
		if h.Seed, err = strconv.ParseUint(rest, 10, 64); err != nil {
			err = fmt.Errorf("bad number %q for the seed: want 0 to %d", excerpt(rest), uint64(math.MaxUint64))
		}
	case "round":
		h.Endless = true
		h.Round, err = number(rest, "steps")
	case "bug":
		var id string
		if id, err = unquoteRest(rest); err == nil {
			h.Bugs = append(h.Bugs, id)
			word = "bug " + id
		}
	case "param":
		var q Param
		if q.Key, q.Value, err = scanPair(rest); err == nil {
			q.Value, err = unquoteRest(q.Value)
			h.Params = append(h.Params, q)
			word = "param " + q.Key
		}
	case "limit":
		var l Limit
		var value string
		if l.Key, value, err = scanPair(rest); err == nil {
			l.Value, err = numberTo(mostFaults, value, "the limit")
			h.Limits = append(h.Limits, l)
			word = "limit " + l.Key
		}
	default:
		return fmt.Errorf("unknown header key %q; known are %s", excerpt(word), headerKeys)
	}
	if err != nil {
		return err
	}
	if first := p.file.Lines[word]; first != 0 {
		return fmt.Errorf("the header has a second %q; the first is in line %d", word, first)
	}
	p.file.Lines[word] = p.line
	return nil
}

func (p *parser) step(text string) error {
	s := Step{Line: p.line}
	index, rest, _ := strings.Cut(text, " ")
	var err error
	if s.Index, err = number(index, "the event index"); err != nil {
		return err
	}
	if s.Key, rest, err = scanEvent(strings.TrimLeft(rest, " ")); err != nil {
		return err
	}
	if after, ok := strings.CutPrefix(rest, "|"); ok {
		if s.Picks, rest, err = scanPicks(after); err != nil {
			return err
		}
	}
	if after, ok := strings.CutPrefix(rest, "#"); ok {
		s.Comment, rest = strings.TrimSpace(after), ""
		if text, err := strconv.Unquote(s.Comment); err == nil && s.Comment[0] == '"' {
			s.Comment = text // it cannot be unquoted, so it was written by hand; any text will do
		}
	}
	if rest != "" {
		return fmt.Errorf("%q instead of %q or %q", excerpt(rest), "| PICKS", "# COMMENT")
	}
	p.file.Steps = append(p.file.Steps, s)
	return nil
}

// scanEvent reads an event key and returns the remaining text, which begins with "|" or "#" unless it is malformed.
func scanEvent(s string) (key, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		if key, rest, err = scanQuoted(s); err != nil {
			return "", "", err
		}
		return key, strings.TrimLeft(rest, " "), nil
	}
	if at := strings.IndexAny(s, "|#"); at >= 0 {
		s, rest = s[:at], s[at:]
	}
	if key = strings.TrimSpace(s); key == "" {
		return "", "", fmt.Errorf("the step has no event key")
	}
	return key, rest, nil
}

// scanPicks reads picks up to "#" or the end.
func scanPicks(s string) (picks []Pick, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " ")
		if s == "" || s[0] == '#' {
			return picks, s, nil
		}
		word := s
		if at := strings.IndexAny(s, " (#"); at >= 0 {
			word = s[:at]
		}
		s = s[len(word):]
		kind, pick, ok := strings.Cut(word, ":")
		if !ok {
			return nil, "", fmt.Errorf("bad pick %q: want KIND:NUMBER", excerpt(word))
		}
		var p Pick
		if p.Kind, ok = ParseKind(kind, ""); !ok || p.Kind == choose.Event {
			return nil, "", fmt.Errorf("bad pick %q: kind %q is not one of %s", excerpt(word), excerpt(kind),
				strings.Join(pickWords(), ", "))
		}
		if p.Pick, err = number(pick, "the pick"); err != nil {
			return nil, "", err
		}
		if !p.listed() {
			return nil, "", fmt.Errorf("bad pick %q: alternative 0 of a %v is not listed", word, p.Kind)
		}
		if strings.HasPrefix(s, "(") {
			if p.Label, s, err = scanLabel(s[1:]); err != nil {
				return nil, "", err
			}
			p.Kind, _ = ParseKind(kind, p.Label)
		}
		if s != "" && s[0] != ' ' {
			return nil, "", fmt.Errorf("%q directly after a pick", excerpt(s))
		}
		picks = append(picks, p)
	}
}

// scanLabel reads a label and the closing parenthesis.
func scanLabel(s string) (label, rest string, err error) {
	ok := false
	if strings.HasPrefix(s, `"`) {
		if label, rest, err = scanQuoted(s); err != nil {
			return "", "", err
		}
		rest, ok = strings.CutPrefix(rest, ")")
	} else {
		label, rest, ok = strings.Cut(s, ")")
	}
	if !ok {
		return "", "", fmt.Errorf("the label %q has no closing parenthesis", excerpt(s))
	}
	return label, rest, nil
}

// scanPair reads KEY=VALUE and returns the value without unquoting it.
func scanPair(s string) (key, value string, err error) {
	ok := false
	if strings.HasPrefix(s, `"`) {
		if key, value, err = scanQuoted(s); err != nil {
			return "", "", err
		}
		value, ok = strings.CutPrefix(value, "=")
	} else {
		key, value, ok = strings.Cut(s, "=")
		ok = ok && key != "" && !strings.Contains(key, " ")
	}
	if !ok {
		return "", "", fmt.Errorf("%q is not of the form KEY=VALUE", excerpt(s))
	}
	return key, value, nil
}

func scanQuoted(s string) (text, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", fmt.Errorf("bad quoted text %s", excerpt(s))
	}
	text, err = strconv.Unquote(quoted)
	return text, s[len(quoted):], err
}

func unquoteRest(s string) (string, error) {
	switch {
	case s == "":
		return "", fmt.Errorf(`the value is missing; the empty text is written ""`)
	case s[0] != '"':
		return s, nil
	}
	text, rest, err := scanQuoted(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("%q after the quoted text", excerpt(rest))
	}
	return text, err
}

// number parses a number that fits into a path.
func number(s, what string) (int, error) { return numberTo(math.MaxInt32, s, what) }

// numberTo is number with an error that names another maximum, which the caller checks.
func numberTo(most int, s, what string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("bad number %q for %s: want 0 to %d", excerpt(s), what, most)
	}
	return int(n), nil
}

// excerpt shortens s for error messages.
func excerpt(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// ParseKind returns the kind of a pick with the given word and label: the kind that has both, or else the class that
// has the word.
func ParseKind(word, label string) (choose.Kind, bool) {
	class, ok := choose.Event, false
	for k := choose.Event; k.Known(); k++ {
		switch {
		case k.String() != word:
		case label != "" && k.Label() == label:
			return k, true
		case k.Class() == k:
			class, ok = k, true
		}
	}
	return class, ok
}

// pickWords returns the words that picks may have.
func pickWords() (words []string) {
	for k := choose.Event + 1; k.Known(); k++ {
		if k.Class() == k {
			words = append(words, k.String())
		}
	}
	return words
}
