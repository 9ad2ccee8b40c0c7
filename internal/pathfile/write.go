package pathfile

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/testflags"
)

// WriteTo writes f. It writes nothing and returns an error if f cannot be represented: a number that is negative or
// above 2^31-1, a header entry that occurs twice, a pick of kind [choose.Event].
func (f *File) WriteTo(w io.Writer) (int64, error) {
	out, err := f.append(nil)
	if err != nil {
		return 0, fmt.Errorf("path file: %w", err)
	}
	n, err := w.Write(out)
	return int64(n), err
}

func (f *File) append(dst []byte) ([]byte, error) {
	h := &f.Header
	if err := h.validate(); err != nil {
		return nil, err
	}
	line := func(words ...string) {
		dst = append(append(dst, strings.Join(words, " ")...), '\n')
	}
	text := func(key, value string) {
		if value != "" {
			line(key, quoteRest(value))
		}
	}
	line(magic, strconv.Itoa(Version))
	if h.Program != "" {
		line("# written by macemc", strings.Join(strings.Fields(h.Program), " "))
	}
	line("system", quoteRest(h.System))
	line("nodes", strconv.Itoa(h.Nodes))
	text("package", h.Package)
	text("test", h.Test)
	for _, p := range h.Params {
		line("param", quoteKey(p.Key)+"="+quoteRest(p.Value))
	}
	for _, b := range h.Bugs {
		line("bug", quoteRest(b))
	}
	for _, l := range h.Limits {
		line("limit", quoteKey(l.Key)+"="+strconv.Itoa(l.Value))
	}
	text("timing", h.Timing)
	text("interleave", h.Interleave)
	text("crash-cut", h.CrashCut)
	if h.AsLive {
		line("live-network")
	}
	if h.Instant != 0 {
		line("instant", testflags.FormatInstant(h.Instant))
	}
	line("seed", strconv.FormatUint(h.Seed, 10))
	text("schedule", h.Schedule)
	text("finding", h.Finding)
	text("property", h.Property)
	text("known", h.Known)
	if h.Endless {
		if h.Round < 0 || h.Round > len(f.Steps) {
			return nil, fmt.Errorf("the round has %d steps, must have 0 to %d", h.Round, len(f.Steps))
		}
		line("round", strconv.Itoa(h.Round))
	}
	text("note", h.Note)
	dst, err := f.appendSteps(dst)
	if err != nil {
		return nil, err
	}
	line("end", strconv.Itoa(len(f.Steps)))
	return dst, nil
}

// appendSteps appends the lines of the first boots and the steps.
func (f *File) appendSteps(dst []byte) ([]byte, error) {
	var err error
	if slices.ContainsFunc(f.Boot, Pick.listed) {
		if dst, err = appendPicks(append(dst, "boot"...), f.Boot); err != nil {
			return nil, fmt.Errorf("boot: %w", err)
		}
		dst = append(dst, '\n')
	}
	for i := range f.Steps {
		if dst, err = f.Steps[i].append(dst); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return dst, nil
}

func (h *Header) validate() error {
	if h.Nodes < 1 || h.Nodes > math.MaxInt32 {
		return fmt.Errorf("nodes is %d, must be from 1 to %d", h.Nodes, math.MaxInt32)
	}
	seen := map[string]bool{}
	once := func(what, key string) error {
		if seen[what+" "+key] {
			return fmt.Errorf("%s %q occurs twice", what, key)
		}
		seen[what+" "+key] = true
		return nil
	}
	for _, p := range h.Params {
		if err := once("param", p.Key); err != nil {
			return err
		}
	}
	for _, b := range h.Bugs {
		if err := once("bug", b); err != nil {
			return err
		}
	}
	for _, l := range h.Limits {
		if err := once("limit", l.Key); err != nil {
			return err
		}
		if l.Value < 0 || l.Value > math.MaxInt32 {
			return fmt.Errorf("limit %q is %d, must be from 0 to %d", l.Key, l.Value, math.MaxInt32)
		}
	}
	return nil
}

func (s *Step) append(dst []byte) ([]byte, error) {
	if s.Index < 0 || s.Index > math.MaxInt32 {
		return nil, fmt.Errorf("index is %d, must be from 0 to %d", s.Index, math.MaxInt32)
	}
	dst = strconv.AppendInt(dst, int64(s.Index), 10)
	dst = append(dst, ' ')
	dst = append(dst, quoteEvent(s.Key)...)
	if slices.ContainsFunc(s.Picks, Pick.listed) {
		var err error
		if dst, err = appendPicks(append(dst, " |"...), s.Picks); err != nil {
			return nil, err
		}
	}
	if s.Comment != "" {
		dst = append(dst, " # "...)
		dst = append(dst, quoteRest(s.Comment)...)
	}
	return append(dst, '\n'), nil
}

// listed reports whether p is written.
func (p Pick) listed() bool { return !p.Kind.Implied(p.Pick) }

func appendPicks(dst []byte, picks []Pick) ([]byte, error) {
	for _, p := range picks {
		switch {
		case p.Kind == choose.Event || !p.Kind.Known():
			return nil, fmt.Errorf("a pick cannot be of kind %v", p.Kind)
		case p.Pick < 0 || p.Pick > math.MaxInt32:
			return nil, fmt.Errorf("%v picks %d, must be from 0 to %d", p.Kind, p.Pick, math.MaxInt32)
		case !p.listed():
			continue
		}
		dst = append(dst, ' ')
		dst = append(dst, p.Kind.String()...)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, int64(p.Pick), 10)
		if p.Label != "" {
			dst = append(dst, '(')
			dst = append(dst, quoteLabel(p.Label)...)
			dst = append(dst, ')')
		}
	}
	return dst, nil
}

// The quote functions leave text unquoted if the parser would read the same text back.

func quoteRest(s string) string { // ends at the end of the line
	return quoteUnless(plain(s) && strings.TrimSpace(s) == s, s)
}

func quoteEvent(s string) string { // ends at "|" or "#"
	return quoteUnless(plain(s) && strings.TrimSpace(s) == s && !strings.ContainsAny(s, "|#"), s)
}

func quoteKey(s string) string { // ends at "="
	return quoteUnless(plain(s) && !strings.ContainsAny(s, "= "), s)
}

func quoteLabel(s string) string { // ends at ")"
	return quoteUnless(plain(s) && !strings.ContainsAny(s, ")"), s)
}

func quoteUnless(ok bool, s string) string {
	if ok {
		return s
	}
	return strconv.Quote(s)
}

// plain reports whether s is printable, not empty, and does not look quoted.
func plain(s string) bool {
	return s != "" && s[0] != '"' && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
}
