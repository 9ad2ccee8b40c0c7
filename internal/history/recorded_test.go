package history

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// recorded returns the run of a test with one step, after which goroutines have these states: place, status and holder.
func recorded(states ...[3]string) *Run {
	t := &replay.Trace{Nodes: len(states), Steps: make([]replay.TraceStep, 1)}
	for id, s := range states {
		for i, path := range []string{PathAt, PathStatus, PathHolder} {
			t.Steps[0].Changes = append(t.Steps[0].Changes, replay.NodeChange{Node: id, Path: path, New: s[i]})
		}
	}
	return Recorded("main", t, len(states))
}

func TestWriteWaits(t *testing.T) {
	reader := [3]string{"a.go:7 in get", "waits to read-lock RWMutex `mu`", "g1"}
	for _, test := range []struct {
		run  *Run
		want string
	}{
		{recorded([3]string{"a.go:1 in f", StatusRuns}, [3]string{"", StatusEnded}), "  no goroutine waits\n"},
		{recorded([3]string{"a.go:1 in f", "waits to lock Mutex `b`", "g2"}, [3]string{"a.go:2 in g", "waits to lock Mutex `a`", "g1"}),
			"  g1 waits to lock Mutex `b` at a.go:1 in f, since step 1, held by g2\n" +
				"  g2 waits to lock Mutex `a` at a.go:2 in g, since step 1, held by g1\n  g1 -> g2 -> g1 wait for one another\n"},
		{recorded(reader), "  g1 waits to read-lock RWMutex `mu` at a.go:7 in get, since step 1, held by g1\n  g1 waits for itself\n"},
	} {
		var b strings.Builder
		if err := test.run.WriteWaits(&b, 1); err != nil || b.String() != test.want {
			t.Errorf("%v\n%s\nwant\n%s", err, &b, test.want)
		}
	}
	r := recorded([3]string{reader[0], reader[1], ""}, [3]string{"a.go:9 in set", "waits to lock RWMutex `mu`", "g1"})
	r.Recording().states[0][0].Fields[FieldWriter] = "g2"
	var b strings.Builder
	if err := r.WriteWaits(&b, 1); err != nil || !strings.Contains(b.String(), "since step 1, blocked by waiting writer g2\n") ||
		!strings.HasSuffix(b.String(), "  g1 -> g2 -> g1 wait for one another\n") {
		t.Errorf("%v\n%s", err, &b)
	}
	b.Reset()
	r = recorded(reader)
	if err := r.WriteWaits(&b, 0); err != nil || b.String() != "  no goroutine waits after this step; at the end, after step 1, these wait: g1\n" {
		t.Errorf("%v\n%s", err, &b)
	}
}

// Goroutines that run or can run elsewhere do not differ.
func TestWriteDifferences_Goroutines(t *testing.T) {
	a := recorded([3]string{"a.go:1 in f", StatusRuns}, [3]string{"a.go:2 in g", "waits to lock Mutex `a`", "g1"}, [3]string{"a.go:3", "can run after a wait"})
	b := recorded([3]string{"a.go:7 in f", StatusRuns}, [3]string{"", StatusEnded}, [3]string{"a.go:4", "can run, woken by g1"})
	var out strings.Builder
	if err := a.WriteDifferences(&out, 1, b, 1); err != nil || out.String() != "  g2  waits to lock Mutex `a` at a.go:2 in g, held by g1 | ended\n" {
		t.Errorf("%v\n%s", err, &out)
	}
	out.Reset()
	if err := a.WriteDifferences(&out, 1, a, 1); err != nil || out.String() != "  the goroutines wait at the same places\n" {
		t.Errorf("%v\n%s", err, &out)
	}
}

// carrier carries a program, whose goroutine 5 is held back after each action.
type carrier struct {
	sim.Nop
	goroutines description
}

type description string

func (*carrier) Carries() {}

func (c *carrier) turn(sim.Env) {
	c.goroutines = "goroutine 5" + simext.Pauses + "lock.go:77 in (*Client).Terms" + simext.BetweenGoroutines + "sleep at a.go:1"
}

// Held names the goroutine that the schedule holds back, where it pauses, and the step in which it continues.
func TestHeld(t *testing.T) {
	sys := &sim.System{
		Name: "held", Nodes: 2, New: func(sim.NodeID) sim.Service { return &carrier{} },
		State:   []sim.StateRule{sim.ShowBy(func(d description) string { return string(d) })},
		Actions: []sim.AnyAction{sim.Action[*carrier]{Name: "turn", Do: (*carrier).turn}},
	}
	r, err := New(sys, "main", choose.Path{0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n, node int
		want    string
	}{
		{0, -1, ""},
		{1, -1, "n0 goroutine 5 pauses before lock.go:77 in (*Client).Terms: the schedule holds it back until the next step of n0, which this run does not have"},
		{2, 1, "n1 goroutine 5 pauses before lock.go:77 in (*Client).Terms: the schedule holds it back until step 3, the next one of n1"},
		{2, 0, "n0 goroutine 5 pauses before lock.go:77 in (*Client).Terms: the schedule holds it back until the next step of n0, which this run does not have"},
	} {
		var out strings.Builder
		err := r.WriteHeld(&out, "", c.n, c.node)
		if got := strings.TrimSuffix(out.String(), "\n"); err != nil || got != c.want {
			t.Errorf("after step %d, node %d: %v, got %q, want %q", c.n, c.node, err, got, c.want)
		}
	}
	test := recorded([3]string{"a.go:3", StatusRuns}, [3]string{"b.go:7", StatusHeld})
	var out strings.Builder
	err = test.WriteHeld(&out, "", 1, -1)
	if want := "g2 is held back by the schedule at b.go:7: it continues when no other goroutine can\n"; err != nil || out.String() != want {
		t.Errorf("of a test: %v, got %q, want %q", err, out.String(), want)
	}
}

// The goroutines that wait for one another precede the others, and those that have ended follow.
func TestRecording_Order(t *testing.T) {
	ended, runs, waits := [3]string{"", StatusEnded}, [3]string{"a.go:1", StatusCanRun}, [3]string{"a.go:2", "waits for WaitGroup `wg`"}
	holds := func(other string) [3]string { return [3]string{"a.go:3", "waits to lock Mutex `mu`", other} }
	for _, test := range []struct {
		run      *Run
		at       int // goroutine of the last step
		critical int
		want     []int
	}{
		{recorded(waits, ended, runs, holds("g5"), holds("g4")), 4, 0, []int{3, 4, 0, 2, 1}},
		{recorded(waits, ended, runs, runs), 3, 0, []int{3, 0, 2, 1}},
		{recorded(waits, ended, runs), 1, 1, []int{1, 0, 2}},
	} {
		test.run.Recording().trace.Steps[0].Node, test.run.Critical = test.at, test.critical
		if got := test.run.Order(); !slices.Equal(got, test.want) {
			t.Errorf("goroutines are in the order %v, want %v", got, test.want)
		}
	}
}
