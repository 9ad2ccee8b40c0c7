//go:build forgetful

package raft_test

import (
	"testing"

	"github.com/macemc/macemc/mctest"
)

// A node that forgets its term votes twice in it, so that this fails: macemc test -tags forgetful -run Forgetful . -macemc.time=2m
// It takes seconds on an idle machine, and the default time may be too short on a busy one.
func TestForgetful(t *testing.T) { mctest.Check(t, system(true)) }
