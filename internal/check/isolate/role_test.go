package isolate

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/search"
)

// Only a process in which one worker visits states uses a single processor.
func TestOneWorkerTakesOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rec, err := flight.Create(filepath.Join(t.TempDir(), "flight"), 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		strategy      search.Name
		workers, want int
	}{{search.BFS, 2, 3}, {search.Walk, 1, 3}, {search.DFS, 1, 1}} {
		Role{Recorder: rec}.Record(&search.Config{Strategy: c.strategy, Workers: c.workers})
		if got := runtime.GOMAXPROCS(0); got != c.want {
			t.Errorf("%s by %d workers: %d processors", c.strategy, c.workers, got)
		}
	}
}

// A search has no more workers than its recorder has room for: two runs each.
func TestRole_RecordLimitsWorkers(t *testing.T) {
	rec, err := flight.Create(filepath.Join(t.TempDir(), "flight"), 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for workers, want := range map[int]int{1: 1, 2: 2, 3: 2} {
		s := search.Config{Strategy: search.Walk, Workers: workers}
		if (Role{Recorder: rec}).Record(&s); s.Workers != want {
			t.Errorf("%d workers of %d, want %d", s.Workers, workers, want)
		}
	}
}

// A process continues if checked code has closed its input.
func TestRole_FollowWithoutInput(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	in.Close()
	defer func(stdin *os.File) { os.Stdin = stdin }(os.Stdin)
	os.Stdin = in
	Role{Recorder: new(flight.Recorder)}.Follow(func(error) {})
	time.Sleep(2 * lookEvery) // this process would end
}

// Searches that repeat one whose process died end within the time limit of a single one, with what follows it.
func TestRole_RecordLeavesTimeOfOneSearch(t *testing.T) {
	rec, err := flight.Create(filepath.Join(t.TempDir(), "flight"), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit, spent, want time.Duration
		late               bool
	}{
		{0, 0, 0, false},
		{0, time.Hour, 0, false},
		{time.Minute, 0, time.Minute, false},
		{time.Minute, 30 * time.Second, time.Minute, false},
		{time.Minute, 50 * time.Second, 40 * time.Second, false},
		{time.Minute, 89500 * time.Millisecond, 500 * time.Millisecond, true},
		{time.Minute, 2 * time.Minute, 1, true},
		{500 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, false},
	} {
		s := search.Config{Strategy: search.Walk, Time: c.limit}
		Role{Recorder: rec, earlier: earlier{Spent: c.spent}}.Record(&s)
		if late := (&earlier{limit: c.limit, Spent: c.spent}).late(); s.Time != c.want || late != c.late {
			t.Errorf("%v spent of %v: time %v, too late: %v", c.spent, c.limit, s.Time, late)
		}
		if c.limit > 0 && time.Duration(rec.Get(flight.Limited)) != c.limit {
			t.Errorf("%v spent of %v: announces %v", c.spent, c.limit, rec.Get(flight.Limited))
		}
	}
}

// A process that repeats a search is killed at the time limit of both together.
func TestOverrun_CountsEarlierProcesses(t *testing.T) {
	rec, err := flight.Create(filepath.Join(t.TempDir(), "flight"), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	rec.Set(flight.Limited, int(time.Minute))
	for _, c := range []struct {
		spent  time.Duration
		killed bool
	}{{0, false}, {KillAfter(time.Minute) - 30*time.Second, false}, {KillAfter(time.Minute), true}} {
		o := overrun{pid: os.Getpid(), spent: c.spent, stop: time.Hour}
		if err := o.look(rec); (err != nil) != c.killed {
			t.Errorf("%v spent: %v", c.spent, err)
		}
	}
}

// A process that works on after its time limit is not killed before its phase has lasted for long, or before twice that limit.
func TestOverrun_WaitsForPhases(t *testing.T) {
	rec, err := flight.Create(filepath.Join(t.TempDir(), "flight"), 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	rec.Set(flight.Limited, int(time.Minute))
	for _, c := range []struct {
		name      string
		phaseTook time.Duration // since its last change
		spent     time.Duration
		want      string
	}{
		{"changes", phasePatience / 2, KillAfter(time.Minute), ""},
		{"lasts", 2 * phasePatience, KillAfter(time.Minute), "may not have returned"},
		{"changes for ever", phasePatience / 2, 2 * KillAfter(time.Minute), "it was still working"},
	} {
		o := overrun{pid: os.Getpid(), stop: time.Hour}
		rec.SetPhase("shrinking, candidate 1")
		if err := o.look(rec); err != nil {
			t.Fatal(err)
		}
		o.clock.spent = c.spent - c.phaseTook
		rec.SetPhase("shrinking, candidate 2")
		if err := o.look(rec); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		o.clock.spent = c.spent
		if err := o.look(rec); (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
