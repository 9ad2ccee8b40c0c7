//go:build macemc_overlay

package main

import (
	"testing"

	"github.com/macemc/macemc/internal/test/replaytest"
)

// A server that answers reads without the others returns old values.
func TestStore_Local(t *testing.T) {
	replaytest.Finding(t, system("-local"), "was acknowledged")
}
