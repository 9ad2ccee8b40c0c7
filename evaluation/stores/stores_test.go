//go:build macemc_overlay

// Package stores checks current storage libraries on the simulated disk.
package stores

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Each known defect is found with each seed.
func TestStores(t *testing.T) {
	for _, c := range []struct {
		name  string
		store func(crashtest.FileSystem) sim.System
		disk  crashtest.FileSystem
		want  string // part of the finding
	}{
		{"rosedb v2.4.0", on(rosedbMap()), crashtest.Ext4, "acknowledged"},
		{"nutsdb v1.0.4", on(nutsdbMap()), crashtest.Ext4, "acknowledged"},
		{"tidwall/wal v1.2.1", on(tidwallLog()), crashtest.Ext4, "the store does not open: log corrupt"},
		{"buntdb v1.3.2", on(buntdbMap()), crashtest.XFS, "acknowledged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := uint64(1); seed <= 3; seed++ {
				s := c.store(c.disk)
				s.Name = c.name
				began := time.Now()
				r, err := search.Run(t.Context(), search.Config{System: s, Workers: 1, MaxPaths: 2000, WalkSteps: 60, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%v, seed %d: %v after %d runs, %d steps, %.1f s", c.disk, seed, r.Verdict, r.Stats.Paths, r.Stats.Events, time.Since(began).Seconds())
				if r.Finding == nil || !strings.Contains(r.Finding.Message, c.want) {
					t.Errorf("seed %d: found %+v, want %q", seed, r.Finding, c.want)
				}
			}
		})
	}
}

// Nothing is found in a store without a known defect.
func TestStores_Correct(t *testing.T) {
	s := bboltMap().System()
	s.Name = "bbolt v1.5.0"
	r, err := search.Run(t.Context(), search.Config{System: s, Workers: 1, MaxPaths: 2000, WalkSteps: 60})
	if err != nil || r.Finding != nil {
		t.Errorf("%v, found %+v", err, r.Finding)
	}
}

// One seed of three finds that raft-wal refuses to append after a crash.
func TestStores_RaftWAL(t *testing.T) {
	s := raftLog().System()
	s.Name = "raft-wal v0.4.2"
	r, err := search.Run(t.Context(), search.Config{System: s, Workers: 1, MaxPaths: 300, WalkSteps: 60, Seed: 2})
	if err != nil || r.Finding == nil || !strings.Contains(r.Finding.Message, "Append fails: segment is sealed") {
		t.Errorf("%v, found %+v", err, r.Finding)
	}
	t.Log(r.Finding)
}

// on returns a function that puts a store on a disk.
func on[D any](s crashtest.Store[D]) func(crashtest.FileSystem) sim.System {
	return func(f crashtest.FileSystem) sim.System {
		s.Disk = f
		return s.System()
	}
}
