package fairness_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/fair"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/systems/spec"
)

// Edges have the same labels by their transitions as by the corresponding steps, in all states of systems with obligations.
func TestLabels_AgreeWithSteps(t *testing.T) {
	owed := 0
	for _, c := range []struct {
		name  string
		nodes int
		bugs  []string
		set   map[string]string
	}{
		{"detector", 5, nil, map[string]string{"failures": "2"}}, {"detector", 5, []string{"FD2"}, nil}, {"channel", 0, nil, nil},
		{"clientserver", 0, nil, nil}, {"hashtable", 0, nil, nil}, {"chain", 0, nil, nil}, {"chain", 0, nil, map[string]string{"fail": "crash"}},
	} {
		entry, err := papers.Find(c.name)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := entry.New(spec.Config{Nodes: c.nodes, Bugs: c.bugs, Params: c.set})
		if err != nil {
			t.Fatal(err)
		}
		x, err := table.Explore(context.Background(), &sys, options.Options{LabelSample: 1, MaxStates: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		if x.Fairness != nil && x.Fairness.Judged && x.Fairness.Left > 0 {
			t.Logf("%v: %d states, %d labelled", c, x.States, x.Fairness.Left)
			owed++
		}
	}
	if owed < 3 {
		t.Errorf("edges of %d systems were labelled", owed)
	}
}

// Labels differ when anything does but how events are numbered.
func TestAlike_Differences(t *testing.T) {
	row := []fair.Edge{{To: 1, Event: 0, Actor: 1}, {To: 2, Event: 0, Actor: 1}, {To: 3, Event: 1, Actor: 2, Marks: 1, Draws: 2}}
	same := func(change func(r []fair.Edge)) bool {
		other := append([]fair.Edge(nil), row...)
		change(other)
		f := fairness.Alike(row, other)
		for k := range row {
			if !f(row[k], other[k]) {
				return false
			}
		}
		return true
	}
	if !same(func(r []fair.Edge) { r[0].Event, r[1].Event, r[2].Event = 4, 4, 7 }) {
		t.Error("numbers of events matter")
	}
	for what, change := range map[string]func(r []fair.Edge){
		"events are split":  func(r []fair.Edge) { r[1].Event = 1 },
		"events are joined": func(r []fair.Edge) { r[2].Event = 0 },
		"another place":     func(r []fair.Edge) { r[0].To = 0 },
		"another actor":     func(r []fair.Edge) { r[1].Actor = 2 },
		"other marks":       func(r []fair.Edge) { r[2].Marks = 0 },
		"other draws":       func(r []fair.Edge) { r[2].Draws = 0 },
	} {
		if same(change) {
			t.Errorf("not noticed: %s", what)
		}
	}
}
