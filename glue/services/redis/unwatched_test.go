//go:build macemc_overlay

package redis

import (
	"testing"

	"github.com/macemc/macemc/internal/test/replaytest"
)

// Runs are reproducible.
func TestCounter_Retrace(t *testing.T) { replaytest.Check(t, system("counter")) }

// A transaction that watches another key loses an increment.
func TestCounter_Unwatched(t *testing.T) {
	replaytest.Finding(t, system("Counter"), "two clients")
}
