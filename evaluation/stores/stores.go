// Package stores checks current storage libraries on the simulated disk.
package stores

import (
	"os"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/search"
)

// Nothing is the finding of a store that has none.
const Nothing = ""

// Check searches with seeds 1 to 3 for a finding of a store on a file system. want is an expression for its message. STORES_FIXED=20s
// means that nothing may be found in 20 seconds. If STORES_REPORT is set, Check fails with a report of the finding.
func Check[D any](t *testing.T, s crashtest.Store[D], on crashtest.FileSystem, want string) {
	s.Disk = on
	if os.Getenv("STORES_REPORT") != "" {
		crashtest.Check(t, s)
		return
	}
	limit := time.Minute
	if text := os.Getenv("STORES_FIXED"); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		want = Nothing
	}
	for seed := uint64(1); seed <= 3; seed++ {
		sys := s.System()
		sys.Name = t.Name()
		if err := sys.New(0).(interface{ CanRun() error }).CanRun(); err != nil {
			t.Skip(err)
		}
		began := cpu()
		r, err := search.Run(t.Context(), search.Config{System: sys, Workers: 1, Strategy: search.Faulty, MaxPaths: 2000, WalkSteps: 60, Seed: seed, Time: limit,
			HandlerLimit: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		found := "nothing"
		if r.Finding != nil {
			found = r.Finding.Message
		}
		t.Logf("%v, seed %d: %d runs, %d steps, %.1f CPU s: %s", on, seed, r.Stats.Paths, r.Stats.Events, (cpu() - began).Seconds(), found)
		if want == Nothing && r.Finding != nil || want != Nothing && !regexp.MustCompile(want).MatchString(found) {
			t.Errorf("seed %d: found %s, want %q", seed, found, want)
		}
	}
}

// cpu returns the CPU time of the process.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// RemoveTorn removes a database of bbolt whose creation a crash has torn: opening it kills the process. Nothing is stored then.
func RemoveTorn(name string) error {
	if info, err := os.Stat(name); err != nil || info.Size() >= 4*4096 {
		return nil
	}
	return os.Remove(name)
}
