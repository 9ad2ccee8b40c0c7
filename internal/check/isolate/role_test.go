package isolate

import (
	"path/filepath"
	"runtime"
	"testing"

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
