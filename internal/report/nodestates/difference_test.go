package nodestates

import (
	"testing"

	"github.com/macemc/macemc/internal/replay"
)

// trace returns a trace of two nodes with one changed field a step.
func trace(changes ...replay.NodeChange) *replay.Trace {
	t := &replay.Trace{Nodes: 2}
	t.Boot.Changes = []replay.NodeChange{{Node: 0, Path: "Sent", New: "0"}, {Node: 1, Path: "Seen", New: "0"}}
	for _, c := range changes {
		t.Steps = append(t.Steps, replay.TraceStep{Node: c.Node, Changes: []replay.NodeChange{c}})
	}
	return t
}

var (
	sent  = replay.NodeChange{Node: 0, Path: "Sent", Old: "0", New: "1"}
	seen  = replay.NodeChange{Node: 1, Path: "Seen", Old: "0", New: "1"}
	timer = replay.NodeChange{Node: 0, Path: "(timer resend)", New: "set", Part: replay.Part{Kind: replay.Timer, Name: "resend"}}
)

func TestAfterSteps_NamesFirstDifference(t *testing.T) {
	dead, live := trace(sent, timer, timer), trace(sent, seen)
	align := []replay.Counterpart{{}, {Step: 1, Same: true}, {Step: 2}, {Step: 2}}
	text, at, named := AfterSteps(dead, live, align, 1)
	if want := "n1.Seen 0 | 1 (after step 2)"; text != want || at != 2 || len(named) != 0 {
		t.Errorf("got %q, step %d, named %v, want %q, step 2 and none named", text, at, named, want)
	}
	// A timer counts only if nothing else differs.
	text, at, _ = AfterSteps(trace(sent, timer), trace(sent), []replay.Counterpart{{}, {Step: 1}, {Step: 1}}, 1)
	if want := "n0.(timer resend) set | none (after step 2 | step 1)"; text != want || at != 2 {
		t.Errorf("got %q, step %d, want %q, step 2", text, at, want)
	}
	if text, at, _ = AfterSteps(dead, dead, []replay.Counterpart{{}, {Step: 1}, {Step: 2}, {Step: 3}}, 1); text != "" || at != 0 {
		t.Errorf("a run differs from itself: %q, step %d", text, at)
	}
}

func TestInTheEnd_ListsLastingDifferencesFirst(t *testing.T) {
	back := sent
	back.Old, back.New = "1", "2"
	dead, live := trace(sent, back, timer), trace(sent, seen)
	live.Steps[1].Live = true
	if got, want := InTheEnd(dead, live, 1, 0, nil), "n1.Seen 0 | 1\nn0.Sent 2 | 1\nn0.(timer resend) set | none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := InTheEnd(dead, live, 1, 0, []string{"n1.Seen 0 | 1 (after step 2)"}), "n0.Sent 2 | 1\nn0.(timer resend) set | none"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStates_AreShown(t *testing.T) {
	run := trace(sent, seen, timer)
	for _, c := range []struct{ got, want string }{
		{Small(run, []int{0, 1}), "n0{Sent:1} n1{Seen:1}"},
		{Small(run, []int{1}), "n1{Seen:1}"},
		{LastChanged(run, 3), "n1.Seen 1\nn0.Sent 1"},
		{LastChanged(run, 1), "n0.Sent 1"},
		{JoinFew([]string{"a", "b", "c", "d", "e"}), "a; b; c; and 2 more"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	x, y := OfNode(After(run, 3), After(run, 0), 0)
	if x != "Sent 1, timer resend set" || y != "Sent 0, timer resend not set" {
		t.Errorf("got %q and %q", x, y)
	}
}
