package isolate

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/search"
)

// Only a process in which one worker visits states uses a single processor.
func TestOneWorkerTakesOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rec, err := flight.Create(filepath.Join(t.TempDir(), "flight"), 1, 1)
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
