package transport_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/transport"
)

// BenchmarkWalk measures the default system.
func BenchmarkWalk(b *testing.B) {
	e := transport.Entry()
	systest.BenchmarkWalks(b, systest.Build(b, e, spec.Config{}, sim.Limits{}), 2000)
}
