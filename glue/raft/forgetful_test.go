//go:build forgetful

package raft_test

import (
	"testing"

	"github.com/macemc/macemc/mctest"
)

// A node that forgets its term votes twice in it, so that this fails: macemc test -tags forgetful -run Forgetful .
func TestForgetful(t *testing.T) { mctest.Check(t, system(true)) }
