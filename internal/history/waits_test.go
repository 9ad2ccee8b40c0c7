package history

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/replay"
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
		if err := WriteWaits(&b, test.run, 1); err != nil || b.String() != test.want {
			t.Errorf("%v\n%s\nwant\n%s", err, &b, test.want)
		}
	}
	r := recorded(reader, [3]string{"a.go:9 in set", "waits to lock RWMutex `mu`", "g1"})
	r.States[0][0].Since[FieldStatus] = 2 // after the writer
	var b strings.Builder
	if err := WriteWaits(&b, r, 1); err != nil || !strings.Contains(b.String(), "since step 2, held by g1; g2 requested the lock earlier\n") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// Goroutines that run or can run elsewhere do not differ.
func TestWriteDifferences_Goroutines(t *testing.T) {
	a := recorded([3]string{"a.go:1 in f", StatusRuns}, [3]string{"a.go:2 in g", "waits to lock Mutex `a`", "g1"}, [3]string{"a.go:3", "can run after a wait"})
	b := recorded([3]string{"a.go:7 in f", StatusRuns}, [3]string{"", StatusEnded}, [3]string{"a.go:4", "can run, woken by g1"})
	var out strings.Builder
	if err := WriteDifferences(&out, a, 1, b, 1); err != nil || out.String() != "  g2  waits to lock Mutex `a` at a.go:2 in g, held by g1 | ended\n" {
		t.Errorf("%v\n%s", err, &out)
	}
	out.Reset()
	if err := WriteDifferences(&out, a, 1, a, 1); err != nil || out.String() != "  the goroutines wait at the same places\n" {
		t.Errorf("%v\n%s", err, &out)
	}
}
