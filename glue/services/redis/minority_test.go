//go:build macemc_overlay

package redis

import (
	"testing"

	"github.com/macemc/macemc/internal/test/replaytest"
)

// Two clients that need one server hold the lock at the same time.
func TestLock_Minority(t *testing.T) {
	replaytest.Finding(t, system(1), "two clients")
}
