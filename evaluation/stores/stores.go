// Package stores checks current storage libraries on the simulated disk.
package stores

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/search"
)

// Nothing is the finding of a store that has none.
const Nothing = ""

// Check searches with seeds 1 to 3 for a finding of a store on a file system. want is an expression for its message. If STORES_REPORT is set,
// Check fails with a report of the finding.
func Check[D any](t *testing.T, s crashtest.Store[D], on crashtest.FileSystem, want string) {
	s.Disk = on
	if os.Getenv("STORES_REPORT") != "" {
		crashtest.Check(t, s)
		return
	}
	for seed := uint64(1); seed <= 3; seed++ {
		sys := s.System()
		sys.Name = t.Name()
		if err := sys.New(0).(interface{ CanRun() error }).CanRun(); err != nil {
			t.Skip(err)
		}
		began := time.Now()
		r, err := search.Run(t.Context(), search.Config{System: sys, Workers: 1, Strategy: search.Faulty, MaxPaths: 2000, WalkSteps: 60, Seed: seed, Time: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		found := "nothing"
		if r.Finding != nil {
			found = r.Finding.Message
		}
		t.Logf("%v, seed %d: %d runs, %d steps, %.1f s: %s", on, seed, r.Stats.Paths, r.Stats.Events, time.Since(began).Seconds(), found)
		if want == Nothing && r.Finding != nil || want != Nothing && !regexp.MustCompile(want).MatchString(found) {
			t.Errorf("seed %d: found %s, want %q", seed, found, want)
		}
	}
}

// RemoveTorn removes a database of bbolt whose creation a crash has torn: opening it kills the process. Nothing is stored then.
func RemoveTorn(name string) error {
	if info, err := os.Stat(name); err != nil || info.Size() >= 4*4096 {
		return nil
	}
	return os.Remove(name)
}
