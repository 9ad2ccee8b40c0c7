package raft_test

import (
	"flag"
	"testing"

	"github.com/macemc/macemc/internal/test/replaytest"
)

var (
	times     = flag.Int("times", 10, "how often a run is repeated")
	processes = flag.Int("processes", 1, "in how many other processes a run is repeated")
)

// Runs are reproducible.
func TestRetrace(t *testing.T) { replaytest.Check(t, system(false), *times, *processes) }

func BenchmarkStep(b *testing.B) { replaytest.Bench(b, system(false), 10_000) }
