package encoding

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/encoding/diff"
	"pgregory.net/rapid"
)

// Changes returns the differences of all fields, if the first value is a copy.
func TestChanges(t *testing.T) {
	s := newSet(t)
	checks, differ := 0, 0
	check := func(t rapid.TB, a, b any) {
		p := planOf(t, s, a)
		want := diff.Between(p.Fields("v", a, nil), p.Fields("v", b, nil))
		if p.Copyable() {
			a = p.Copy(a)
		}
		if got := p.Changes("v", a, b); !slices.Equal(got, want) {
			t.Errorf("%v\nwant %v", got, want)
		}
		if checks++; len(want) > 0 {
			differ++
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := tapes(t)
		x, y := build(a), build(b)
		check(t, x, x)
		check(t, x, y)
		check(t, y, x)
	})
	type request struct {
		Client int
		Op     string
	}
	type log struct {
		Done  []request
		Rest  [][2]int8
		Other any
	}
	rapid.Check(t, func(t *rapid.T) {
		requests := func() (list []request) {
			for range rapid.IntRange(0, 150).Draw(t, "n") {
				list = append(list, request{1, "add"})
			}
			return list
		}
		l := &log{Done: requests(), Rest: make([][2]int8, rapid.IntRange(0, 3).Draw(t, "rest")), Other: requests()}
		more := &log{slices.Clone(l.Done), slices.Clone(l.Rest), slices.Clone(l.Other.([]request))}
		switch rapid.IntRange(0, 4).Draw(t, "how") {
		case 0:
			more.Done = append(more.Done, requests()...)
		case 1:
			more.Done = more.Done[:len(more.Done)/2]
		case 2:
			if n := len(more.Done); n > 0 {
				more.Done[rapid.IntRange(0, n-1).Draw(t, "at")].Op = "get"
			}
		case 3:
			more.Other = more.Done
		case 4:
			more.Rest, more.Other = append(more.Rest, [2]int8{}), more.Rest
		}
		check(t, l, more)
		check(t, more, l)
	})
	if differ < checks/10 {
		t.Errorf("only %d of %d pairs differ", differ, checks)
	}
}

// Equal beginnings are not rendered.
func TestChangesOfLongLog(t *testing.T) {
	type log struct{ Done []string }
	a, b := &log{make([]string, 10_000)}, &log{make([]string, 10_001)}
	p := planOf(t, newSet(t), a)
	n := testing.AllocsPerRun(3, func() {
		if c := p.Changes("", a, b); len(c) != 1 || c[0].Path != "Done[10000]" {
			t.Error(c)
		}
	})
	if n > 200 {
		t.Errorf("%v allocations", n)
	}
}
