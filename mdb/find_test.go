package mdb_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

// drawer draws numbers, and is angry about high ones.
type drawer struct {
	sim.Nop
	Luck int
	Mood mood
}

type mood int

func (m mood) String() string { return [...]string{"calm", "angry"}[m] }

func (d *drawer) draw(env sim.Env) {
	d.Luck, d.Mood = env.Choose("luck", 4), 0
	if d.Luck > 2 {
		d.Mood = 1
	}
}

// drawn opens a run of two nodes: n0 draws 1, n1 draws 3, n0 draws 3, n0 draws 2, n1 draws 0, n0 draws 2 again.
func drawn(t *testing.T) *mdb.Session {
	t.Helper()
	lucky := func(v *sim.View) bool { return v.Service(0).(*drawer).Luck == 3 }
	return opened(t, mdb.Config{Path: choose.Path{0, 1, 1, 3, 0, 3, 0, 2, 1, 0, 0, 2}, System: &sim.System{
		Name: "draws", Nodes: 2, New: func(sim.NodeID) sim.Service { return &drawer{} },
		Actions:    []sim.AnyAction{sim.Action[*drawer]{Name: "draw", Do: (*drawer).draw}},
		Properties: []sim.Property{{Name: "n0 is lucky", Eventually: lucky}},
	}})
}

// find returns a step after the current one, at which a condition becomes true.
func TestFind(t *testing.T) {
	s := drawn(t)
	const none = -1
	for _, c := range []struct {
		from int
		line string
		want int
	}{
		{0, "find event n1", 2}, {2, "find event /n1 draw/", 5}, {5, "find event n1", none}, {6, "rfind event n1", 5}, {2, "rfind event n1", none},
		{0, "find choice", 1}, {2, "find choice luck", 3}, {0, "find choice fate", none}, {6, "rfind choice luck", 5},
		{0, "find live", 3}, {3, "find live", none}, {0, "find dead", 4}, {6, "rfind live", 3}, {6, "rfind dead", 4},
		{0, "find property lucky", 3}, {3, "find property lucky", 4}, {4, "find property lucky", none},
		{0, "find n0.Luck changes", 1}, {1, "find n0.Luck", 3}, {4, "find n0.Luck changes", none}, {0, "find Luck", 1}, {1, "find Luck", 2},
		{6, "rfind n0.Luck changes", 4}, {6, "rfind Luck", 5},
		{0, "find n1.Luck == 3", 2}, {0, "find n1.Luck = 3", 2}, {0, "find n0.Luck ==3", 3}, {0, "find n0.Luck == 7", none}, {6, "rfind n1.Luck == 3", 2},
		{0, "find n0.Luck != 0", 1}, {0, "find n1.Luck != 3", 5}, // it is not 3 at the start, either
		{0, "find n0.Luck < 3", 4}, {0, "find n0.Luck <= 2", 4}, {0, "find n0.Luck < 2", none},
		{0, "find n0.Luck > 2", 3}, {0, "find n0.Luck >= 3", 3}, {0, "find Luck >=3", 2}, {0, "find Luck > 3", none}, {0, "find n0.Luck >= 1.5", 3},
		{0, "find n0.Luck ~ [23]", 3}, {0, "find Luck ~ /^3$/", 2},
		{0, "find Mood == angry", 2}, {0, "find n0.Mood == 1", 3}, {0, "find n0.Mood == angry(1)", 3}, {0, "find n0.Mood > 0", 3}, {3, "find n0.Mood ~ calm", 4},
	} {
		s.Go(c.from)
		if c.want == none {
			if why := do(t, s, c.line); !strings.HasPrefix(why, "no step ") {
				t.Errorf("%s from step %d: %s", c.line, c.from, why)
			}
			c.want = c.from // the session does not move
		} else {
			do(t, s, c.line)
		}
		if at := s.Position().Step; at != c.want {
			t.Errorf("%s from step %d leads to step %d, want %d", c.line, c.from, at, c.want)
		}
	}
	for line, want := range map[string]string{
		"find Luck ==": "lacks a value", "find Luck is 3": "not a condition", "find Luck > 3 4": "not a number",
		"find n0. == 3": "names no field",
	} {
		if why := fails(t, s, line); !strings.Contains(why, want) {
			t.Errorf("%s: %s", line, why)
		}
	}
}

// Lists contain the steps around the current one, or those that match.
func TestList(t *testing.T) {
	s := drawn(t)
	s.Go(3)
	for _, c := range []struct{ line, want string }{
		{"steps 2 3", "     2  n1 draw  [find_test.go:23]\n@ +  3  n0 draw  [find_test.go:23]\n"},
		{"steps 5", "     5  n1 draw  [find_test.go:23]\n     6  n0 draw  [find_test.go:23]\n"},
		{"steps n1", "     2  n1 draw  [find_test.go:23]\n     5  n1 draw  [find_test.go:23]\n"},
		{"steps n1 3", "     5  n1 draw  [find_test.go:23]\n"},
		{"steps -1 +1 /N1/", "no step matches\n"},
		{"steps -1 +1 /n1/ kind=action", "     2  n1 draw  [find_test.go:23]\n"},
		{"steps kind=timer", "no step matches\n"},
		{"steps 3 99 /n1/ kind=action", "     5  n1 draw  [find_test.go:23]\n"},
		{"steps 0 1", "     0  the first state\n     1  n0 draw  [find_test.go:23]\n"},
		{"node n1; steps .", "n1 is selected\n     2  n1 draw  [find_test.go:23]\n     5  n1 draw  [find_test.go:23]\n"},
	} {
		if out := do(t, s, c.line); out != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.line, out, c.want)
		}
	}
	if why := fails(t, s, "steps 1 2 3"); !strings.Contains(why, "more than two steps") {
		t.Error(why)
	}
}

// States of two steps are compared field by field. Picks of a manual step are shown.
func TestDiffOfSteps(t *testing.T) {
	s := drawn(t)
	s.Go(4)
	for _, c := range []struct{ line, want string }{
		{"diff 1 2", "after step 1 | after step 2\n  n1.Luck  0 | 3\n  n1.Mood  calm(0) | angry(1)\n"},
		{"diff 3", "after step 3 | after step 4\n  n0.Luck  3 | 2\n  n0.Mood  angry(1) | calm(0)\n"},
		{"diff 4 6", "after step 4 | after step 6\n  n1.Luck  3 | 0\n  n1.Mood  angry(1) | calm(0)\n"},
		{"diff here here", "after step 4 | after step 4\n  the states are the same\n"},
	} {
		if out := do(t, s, c.line); out != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.line, out, c.want)
		}
	}
	if why := fails(t, s, "take 1 4"); !strings.Contains(why, `pick 1 is 4, but choice "luck" has alternatives 0 to 3`) {
		t.Error(why)
	}
	if out := do(t, s, "take 1 2"); !strings.Contains(out, `"luck": alternative 2 of 4`) || !strings.Contains(out, "n1.Luck  3 -> 2") {
		t.Errorf("take:\n%s", out)
	}
	if out := do(t, s, "diff main match"); !strings.Contains(out, "branch1 after step 5 | main after step 5, the matching step; the first 4 steps are the same\n  n1.Luck  2 | 0\n") {
		t.Errorf("the branch:\n%s", out)
	}
}
