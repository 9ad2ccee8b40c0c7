// Package stores checks current storage libraries on the simulated disk.
package stores

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/search"
)

// Nothing is the finding of a store that has none.
const Nothing = ""

// Check searches with seeds 1 to 3 for a finding of a store on a file system. want is an expression for its message.
func Check[D any](t *testing.T, s crashtest.Store[D], on crashtest.FileSystem, want string) {
	s.Disk = on
	for seed := uint64(1); seed <= 3; seed++ {
		sys := s.System()
		sys.Name = t.Name()
		if err := sys.New(0).(interface{ CanRun() error }).CanRun(); err != nil {
			t.Skip(err)
		}
		began := time.Now()
		r, err := search.Run(t.Context(), search.Config{System: sys, Workers: 1, MaxPaths: 2000, WalkSteps: 60, Seed: seed, Time: time.Minute})
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

// Damaged opens a store on the files in the folder crashed, which survived a crash. It must fail with an error that contains want. This and
// Lost need no checker.
func Damaged[D any](t *testing.T, s crashtest.Store[D], want string) {
	t.Helper()
	db, err := crashed(t, s)
	if err == nil {
		s.Close(db)
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the store opens with %v, want %q", err, want)
	}
}

// Lost opens a store on such files. Values that begin with an acknowledged text must be missing.
func Lost[D any](t *testing.T, s crashtest.Store[D], acknowledged ...string) {
	t.Helper()
	db, err := crashed(t, s)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(db)
	found, err := values(s, db)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range acknowledged {
		if slices.ContainsFunc(found, func(value string) bool { return strings.HasPrefix(value, text) }) {
			t.Errorf("%q is there", text)
		}
	}
}

func crashed[D any](t *testing.T, s crashtest.Store[D]) (D, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("crashed")); err != nil {
		t.Fatal(err)
	}
	return s.Open(dir)
}

// values returns the values of a map, or the records of a log or queue.
func values[D any](s crashtest.Store[D], db D) (list []string, err error) {
	switch {
	case s.Records != nil:
		return s.Records(db)
	case s.Take != nil:
		for {
			record, ok, err := s.Take(db)
			if err != nil || !ok {
				return list, err
			}
			list = append(list, record)
		}
	}
	for _, key := range []string{"key0-0", "key0-1", "key1-0", "key1-1"} {
		value, ok, err := s.Get(db, key)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, value)
		}
	}
	return list, nil
}
