package memberlist_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/replaytest"
)

// Runs are reproducible.
func TestRetrace(t *testing.T) { replaytest.Check(t, system) }

func BenchmarkStep(b *testing.B) { replaytest.Bench(b, system, 10_000) }
