package task

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/search"
)

// For waiting states, the line has their number and the speed.
func TestPace(t *testing.T) {
	var m pace
	at := func(seconds, states, waiting int) string {
		return m.text(search.Progress{Elapsed: time.Duration(seconds) * time.Second, States: states, Waiting: waiting})
	}
	for _, c := range []struct {
		seconds, states, waiting int
		want                     string
	}{
		{1, 1000, 600, "  600 waiting"},
		{4, 41_000, 20_000, "  20,000 waiting  10,250 states/s"},
		{5, 51_000, 15_000, "  15,000 waiting  10,250 states/s"}, // not measured again
		{14, 61_000, 11_000, "  11,000 waiting  2,000 states/s"},
		{20, 61_000, 0, ""},
	} {
		if got := at(c.seconds, c.states, c.waiting); got != c.want {
			t.Errorf("after %d s: %q, want %q", c.seconds, got, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	at := func(seconds int) search.Progress {
		return search.Progress{
			Elapsed: time.Duration(seconds) * time.Second, Phase: "deepening", Depth: 7, Paths: 1234, States: 999, Events: 1234567,
		}
	}
	var lines, terminal strings.Builder
	for _, w := range []*Status{NewStatus(&lines, false), NewStatus(&terminal, true)} {
		for s := 1; s <= 31; s += 3 {
			w.Show(at(s))
		}
		w.Clear()
	}
	// 1, 4, ..., 31 s: a line is due at the first call after each tenth second.
	want := "  10s  deepening  depth 7  1,234 paths  999 states  1,234,567 events\n" +
		"  22s  deepening  depth 7  1,234 paths  999 states  1,234,567 events\n" +
		"  31s  deepening  depth 7  1,234 paths  999 states  1,234,567 events\n"
	if lines.String() != want {
		t.Errorf("got\n%s", lines.String())
	}
	if s := terminal.String(); strings.Contains(s, "\n") || strings.Count(s, "\r\x1b[K") != 12 || !strings.HasSuffix(s, "\r\x1b[K") {
		t.Errorf("on a terminal: %q", s)
	}
}

// Text written while a line is on the terminal replaces the line, and stays.
func TestWriteTakesThePlaceOfTheLine(t *testing.T) {
	for terminal, want := range map[bool]string{true: "\r\x1b[K\x1b[?7lline\x1b[?7h\r\x1b[Ktext\nmore\n", false: "text\nmore\n"} {
		var b strings.Builder
		w := NewStatus(&b, terminal)
		w.Tell(time.Second, "line")
		for _, text := range []string{"text\n", "more\n"} {
			if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
				t.Error(n, err)
			}
		}
		w.Clear()
		if b.String() != want {
			t.Errorf("%v: %q, want %q", terminal, b.String(), want)
		}
	}
}
