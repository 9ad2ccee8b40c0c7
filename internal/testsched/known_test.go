package testsched

import (
	"strings"
	"testing"
)

// A known finding does not end an exploration. Another one does, and the text never says that there was no finding.
func TestExplore_Known(t *testing.T) {
	n := 0
	run := func(s *Schedule) *Outcome {
		n++
		o := &Outcome{Points: 20, Choices: 500, Hash: uint64(n)}
		switch {
		case n%7 == 3:
			o.Kind, o.In = Deadlock, "f, g"
		case n == 50:
			o.Kind, o.In = Deadlock, "f, h"
		}
		return o
	}
	c := Config{Package: "example.org/p", Test: "TestX", Seed: 1, Schedules: 40}
	c.Known = &KnownList{File: "known", Lines: []string{"2026-01-02 example.org/p TestX: deadlock in f, g", "example.org/p TestX: deadlock in f"}}
	r := Explore(c, run)
	if r.Finding != nil || len(r.Known) != 1 || r.Known[0].Runs != 6 || r.Known[0].Line != c.Known.Lines[0] || r.Schedules != 40 {
		t.Errorf("finding %v, known %+v, %d schedules", r.Finding, r.Known, r.Schedules)
	}
	if text := r.text(); !strings.Contains(text, "no new finding") {
		t.Errorf("%q", text)
	}
	n, c.Schedules = 0, 100
	if r = Explore(c, run); r.Finding == nil || c.identity(r.Finding) != "example.org/p TestX: deadlock in f, h" || r.Schedules != 50 {
		t.Errorf("finding %v after %d schedules", r.Finding, r.Schedules)
	}
	n, c.Known = 0, nil
	if r = Explore(c, run); r.Finding == nil || r.Schedules != 3 {
		t.Errorf("without a list: finding %v after %d schedules", r.Finding, r.Schedules)
	}
}

// An identity contains no lines, goroutine numbers or values.
func TestIdentity(t *testing.T) {
	c := Config{Package: "p", Test: "TestX"}
	for want, o := range map[string]*Outcome{
		"p TestX: failed test in x_test.go: got N, want 'a'": {Kind: Failed, Message: "x_test.go:31: got 4711, want 'a'"},
		"p TestX: panic in f":                                {Kind: Panic, Message: "index out of range [3]", Where: "x.go:1", In: "f"},
		"p TestX: exit":                                      {Kind: Exit},
	} {
		if got := c.identity(o); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	all := []Goroutine{{Number: 1, Func: "TestX"}, {Number: 2, Func: "b", Holder: 3}, {Number: 3, Func: "a", Holder: 2}, {Number: 4, Func: "b", Holder: 3}}
	if got := functions(all); got != "a, b" {
		t.Errorf("goroutines that wait for each other are in %q", got)
	}
	if got := functions(all[:1]); got != "TestX" {
		t.Errorf("a goroutine that waits alone is in %q", got)
	}
}
