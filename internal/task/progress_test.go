package task

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/search"
)

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
