package gotest

import (
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/explorer"
)

// testResult is the part of a summary about one test.
type testResult struct {
	testLine
	part                   packageSummary // counts besides those of testLine
	finding, text          string         // what package testing shows, with a finding and without
	place                  explorer.Place // of the finding
	accepted               []explorer.Place
	skipped                bool     // the test skips itself
	known, fixed, unsought []string // lines about known findings
}

// readTests reads the text of a summary.
func readTests(text string) (list []*testResult) {
	t := &testResult{} // the latest
	for line := range strings.Lines(text) {
		scan := func(format string, to ...any) bool {
			_, err := fmt.Sscanf(line, format, to...)
			return err == nil
		}
		var name, note string
		var known float64
		var drawn int
		var full time.Duration
		var one packageSummary
		n, v := &one.predictions, &one.saved
		switch {
		case scan("known %q %q", &name, &note):
			t.known = append(t.known, note)
		case scan("fixed %q %q", &name, &note):
			t.fixed = append(t.fixed, note)
		case scan("unsought %q %q", &name, &note):
			t.unsought = append(t.unsought, note)
		case scan("finding %q %q", &name, &t.finding), scan("text %q %q", &name, &t.text):
		case scan("saved %q %d %d %d %q %q", &name, &v.Passing, &v.Unfit, &v.Unlike, &v.UnfitFile, &v.UnlikeFile):
		case scan("predictions %q %d %d %d %d %d", &name, &n.Predicted, &n.Tried, &n.Confirmed, &n.Others, &n.Cut):
		case scan("coverage %q %f", &name, &known):
			if one.sampled = 1; known < explorer.FewNewOrders {
				one.unsaturated = 1
			}
		case scan("short %q %s %d %d", &name, &note, &drawn, (*int64)(&full)):
			n := shortened{partly: 1, full: full}
			if drawn <= 1 {
				n = shortened{unvaried: 1, full: full}
			}
			one.short = shortBy{note: n}
		case scan("skipped %q", &name):
			t.skipped = true
		default:
			if place, ok := explorer.ParsePlace(line); ok && place.Known != "" {
				t.accepted = append(t.accepted, place)
			} else if ok {
				t.place = place
			} else if test, ok := parseTest(line); ok {
				t = &testResult{testLine: test}
				list = append(list, t)
			}
		}
		t.part.add(one)
	}
	return list
}
