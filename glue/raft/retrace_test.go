package raft_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/replaytest"
)

// Runs are reproducible.
func TestRetrace(t *testing.T) { replaytest.Check(t, system(false)) }

func BenchmarkStep(b *testing.B) { replaytest.Bench(b, system(false), 10_000) }
