package tests

import (
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

func TestLease(t *testing.T) { mctest.Check(t, sim.System{}) }

func TestHelped(t *testing.T) { helper(t) }

func TestPlain(t *testing.T) {}

func helper(t *testing.T) { mctest.Check(t, sim.System{}) }
