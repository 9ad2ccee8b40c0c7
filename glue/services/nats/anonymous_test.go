//go:build macemc_overlay

package nats

import (
	"testing"

	"github.com/macemc/macemc/internal/test/replaytest"
)

// A publisher that repeats a message without an ID stores it twice.
func TestStream_Anonymous(t *testing.T) {
	replaytest.Finding(t, system("-anonymous"), "in the stream")
}

// Runs in which servers crash are reproducible.
func TestStream_Retrace(t *testing.T) {
	s := system()
	s.Crashes = 2
	replaytest.Check(t, s)
}
