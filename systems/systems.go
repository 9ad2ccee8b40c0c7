package systems

import (
	"github.com/macemc/macemc/systems/gossip"
	"github.com/macemc/macemc/systems/pastry"
	"github.com/macemc/macemc/systems/paxos"
	"github.com/macemc/macemc/systems/pingack"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/superstep"
	"github.com/macemc/macemc/systems/transport"
	"github.com/macemc/macemc/systems/twophase"
)

// All returns the descriptions of the bundled systems that need only this module, the simplest first. The caller owns
// the slice.
func All() []spec.Entry {
	return []spec.Entry{
		pingack.Entry(),
		twophase.Entry(),
		paxos.Entry(),
		randtree.Entry(),
		transport.Entry(),
		pastry.Entry(),
		gossip.Entry(),
		superstep.Entry(),
	}
}

// Find returns the description of the system with the given name. The error suggests similar names.
func Find(name string) (spec.Entry, error) {
	return spec.Find(All(), name)
}
