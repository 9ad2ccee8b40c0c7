package mdb_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
)

// wants fails the test for each text that out lacks.
func wants(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, want := range parts {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// In drawn, a state is live if n0 has drawn 3: only after step 3.
func TestTry(t *testing.T) {
	s := drawn(t)
	wants(t, do(t, s, "3; choices"), "step 3: event 0 of these", " @  0  n0 draw\n    1  n1 draw\n", "choices in the step:\n  1. ", `"luck": alternative 3 of 4`)
	wants(t, do(t, s, "instead 0 2"), `"luck": alternative 2 of 4`, "branch1 step 3 of 3: n0 draw", "n0.Luck  1 -> 2")
	wants(t, do(t, s, "take 1"), "branch1 step 4 of 4: n1 draw", "n1.Luck  3 -> 0")
	wants(t, do(t, s, "search live"), "200 of 200 walks reached a live state; the shortest after 1 steps", "branch2: 1 steps more from step 4 on",
		"branch2 step 5 of 5: n0 draw", "n0.Luck  2 -> 3", "(live)")
	wants(t, do(t, s, "run main 4; walk"), "live after ", "branch3: ", "n0.Luck", "-> 3", "(live)")
	wants(t, do(t, s, "run main 4; walk steps=1"), "branch4: 1 steps more from step 4 on")
	wants(t, do(t, s, "runs"), "branch1    4 steps, at step 4, branched from main at step 2, not saved",
		"branch2    5 steps, at step 5, branched from branch1 at step 4, live in the end, not saved")
	if why := fails(t, s, "start; instead 0"); !strings.Contains(why, "no step to replace") {
		t.Error(why)
	}
	if why := fails(t, s, "take 2"); !strings.Contains(why, "there is no event 2") {
		t.Error(why)
	}
	wants(t, do(t, s, "run main 5; options"), "step 6: event 0 of these\n @  0  n0 draw\n    1  n1 draw\n")
	if out := do(t, s, "6; options"); out[strings.Index(out, "    0  n0"):] != "    0  n0 draw\n    1  n1 draw\n" {
		t.Errorf("at the end no event happens next:\n%s", out)
	}
	wants(t, do(t, s, "start; search live walks=3 steps=1"), "none of 3 walks from step 0 reached a live state (1 steps each)")
}

// An event replaces the step whose list was shown last. Words select the only event that contains them.
func TestInstead_List(t *testing.T) {
	for line, want := range map[string]string{
		"3; instead 1":                   "branch1 step 3 of 3: n1 draw",
		"3; options; instead 1":          "branch1 step 4 of 4: n1 draw",
		"3; options; choices; instead 1": "branch1 step 3 of 3: n1 draw",
		"3; choices 5; instead 0":        "branch1 step 5 of 5: n0 draw",
		"3; options; 3; instead 1":       "branch1 step 3 of 3: n1 draw",
		"3; options; next; instead 1":    "branch1 step 4 of 4: n1 draw",
		"start; options; instead 1":      "branch1 step 1 of 1: n1 draw",
		"3; instead N1":                  "branch1 step 3 of 3: n1 draw",
		"3; take n1 draw":                "branch1 step 4 of 4: n1 draw",
	} {
		wants(t, do(t, drawn(t), line), want)
	}
	for line, want := range map[string]string{
		"start; instead 1":          `the first state has no step to replace; "options" lists what can happen next, and "take EVENT" makes it happen`,
		"3; instead":                `which event? "choices" lists them; usage: instead EVENT [PICK...]`,
		"3; instead 2":              `there is no event 2; "choices" lists 0 to 1`,
		"3; options; instead 2":     `there is no event 2; "options" lists 0 to 1`,
		"3; choices 5; instead 2":   `there is no event 2; "choices 5" lists 0 to 1`,
		"3; take draw":              `"draw" may be 0 n0 draw or 1 n1 draw; give the number; usage: take EVENT [PICK...]`,
		"3; take n2 draw":           `no event contains "n2 draw"; give the number of one, "options" lists them; usage: take EVENT [PICK...]`,
		"3; take 1 luck":            `"luck" is not the number of an alternative; usage: take EVENT [PICK...]`,
		"3; options; options again": "options takes no arguments",
	} {
		if why := fails(t, drawn(t), line); why != want {
			t.Errorf("%s: %s, want %s", line, why, want)
		}
	}
}

func (d *drawer) fall(sim.Env) { panic("it fell") }

// No step follows a panic, and the panic is not hidden.
func TestPanic(t *testing.T) {
	s := opened(t, mdb.Config{Path: choose.Path{0, 2, 1}, System: &sim.System{
		Name: "falls", Nodes: 1, New: func(sim.NodeID) sim.Service { return &drawer{} },
		Actions: []sim.AnyAction{
			sim.Action[*drawer]{Name: "draw", Do: (*drawer).draw}, sim.Action[*drawer]{Name: "fall", Do: (*drawer).fall},
		},
	}})
	if out := do(t, s, "1"); strings.Contains(out, "FOUND") {
		t.Errorf("too early:\n%s", out)
	}
	wants(t, do(t, s, "options"), "  1  n0 fall")
	wants(t, do(t, s, "end"), "step 2 of 2: n0 fall", "PANIC: it fell")
	for _, line := range []string{"options", "take 0", "walk", "search live", "search violation"} {
		if why := fails(t, s, line); !strings.Contains(why, "it fell") {
			t.Errorf("%s: %s", line, why)
		}
	}
	wants(t, do(t, s, "critical"), "no step is critical", "it fell")
	wants(t, do(t, s, "1; take 0 3; runs"), "branch1    2 steps, at step 2, branched from main at step 1")
	wants(t, do(t, s, "take 1"), "branch1 step 3 of 3: n0 fall", "PANIC: it fell")
	wants(t, do(t, s, "1; search violation"), "found a PANIC: it fell", "  PANIC: it fell")
}

// A selected node determines the steps to go to and the states to show.
func TestSelectedNode(t *testing.T) {
	s := drawn(t)
	wants(t, do(t, s, "node 1; next ."), "step 2 of 6: n1 draw")
	wants(t, do(t, s, "next ."), "step 5 of 6: n1 draw")
	if why := fails(t, s, "next ."); why != "n1 has no step between here and the end" {
		t.Error(why)
	}
	lines, err := s.States()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l.Node != 1 {
			t.Errorf("n1 is selected, but %+v is shown", l)
		}
	}
	if p := s.Position(); p.Node != 1 {
		t.Errorf("selected: %d", p.Node)
	}
	wants(t, do(t, s, "node none; node"), "no node is selected\nno node is selected\n")
	if p := s.Position(); p.Node != -1 {
		t.Errorf("selected: %d", p.Node)
	}
	wants(t, do(t, s, "prev 2"), "step 3 of 6")
	wants(t, do(t, s, "prev n1"), "step 2 of 6")
	wants(t, do(t, s, "next 99"), "step 6 of 6")
}
