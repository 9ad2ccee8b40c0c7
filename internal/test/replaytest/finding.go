package replaytest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Finding searches for a violation other than of liveness whose property or message contains text, for at most a minute.
// It executes the run once in this process and several times in each of several others, which run the same test, and
// fails if one differs.
func Finding(t *testing.T, sys sim.System, text string) {
	if file := os.Getenv(child); file != "" {
		var path choose.Path
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &path)
		}
		for range *times {
			if err != nil {
				t.Fatal(err)
			}
			var result string
			result, err = traceOf(&sys, path)
			fmt.Println(result)
		}
		return
	}
	began := time.Now()
	r, err := search.Run(t.Context(), search.Config{Workers: 1, Time: time.Minute, System: sys})
	if err != nil || r.Finding == nil || !strings.Contains(r.Finding.Property+r.Finding.Message, text) {
		t.Fatalf("%v, %s: %+v; want a violation: %s", err, r.Verdict, r.Finding, text)
	}
	t.Logf("found after %.1fs and %d runs", time.Since(began).Seconds(), r.Stats.Paths)
	first, err := traceOf(&sys, r.Finding.Path)
	if err != nil || !strings.Contains(first, r.Finding.Message) {
		t.Fatalf("%v: %s, and the search found %q", err, first, r.Finding.Message)
	}
	t.Log(first)
	data, err := json.Marshal(r.Finding.Path)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "path")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range *processes {
		out, err := again(t, file, fmt.Sprintf("-times=%d", *times))
		if n := strings.Count(out, first+"\n"); err != nil || n != *times {
			t.Fatalf("process %d: %v, %d of %d executions are alike\n%s", i, err, n, *times, out)
		}
	}
	t.Logf("%d executions in %d processes are alike", *times**processes, *processes)
}

// traceOf returns a hash of all states and steps of the run with a path, and the violation at its end.
func traceOf(sys *sim.System, path choose.Path) (string, error) {
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	if err != nil {
		return "", err
	}
	h := newHash(c.World())
	for {
		_, ev, err := c.Peek()
		if err != nil {
			return "", fmt.Errorf("no violation after %d steps: %w", c.Steps(), err)
		}
		key := c.World().Key(ev)
		if err = c.Next(); err == nil {
			err = c.World().Check()
		}
		h.note(key)
		if finding, ok := errors.AsType[*sim.Finding](err); ok {
			return fmt.Sprintf("%016x after %d steps: %v", h.Sum64(), c.Steps(), finding), nil
		}
		if err != nil {
			return "", err
		}
	}
}
