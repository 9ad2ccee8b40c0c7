package systems

import (
	"github.com/macemc/macemc/systems/basicpaxos"
	"github.com/macemc/macemc/systems/brokentree"
	"github.com/macemc/macemc/systems/chain"
	"github.com/macemc/macemc/systems/channel"
	"github.com/macemc/macemc/systems/clientserver"
	"github.com/macemc/macemc/systems/commit"
	"github.com/macemc/macemc/systems/detector"
	"github.com/macemc/macemc/systems/echo"
	"github.com/macemc/macemc/systems/election"
	"github.com/macemc/macemc/systems/espresso"
	"github.com/macemc/macemc/systems/ftcommit"
	"github.com/macemc/macemc/systems/gossip"
	"github.com/macemc/macemc/systems/hashtable"
	"github.com/macemc/macemc/systems/multicast"
	"github.com/macemc/macemc/systems/multipaxos"
	"github.com/macemc/macemc/systems/overcast"
	"github.com/macemc/macemc/systems/pastry"
	"github.com/macemc/macemc/systems/paxos"
	"github.com/macemc/macemc/systems/pingack"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/register"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/superstep"
	"github.com/macemc/macemc/systems/synod"
	"github.com/macemc/macemc/systems/timer"
	"github.com/macemc/macemc/systems/transport"
	"github.com/macemc/macemc/systems/twophase"
)

// All returns the descriptions of the bundled systems that need nothing but this module, the simplest first. The slice is the caller's.
func All() []spec.Entry {
	return []spec.Entry{
		pingack.Entry(),
		twophase.Entry(),
		paxos.Entry(),
		randtree.Entry(),
		multicast.Entry(),
		transport.Entry(),
		pastry.Entry(),
		brokentree.Entry(),
		overcast.Entry(),
		gossip.Entry(),
		superstep.Entry(),
		clientserver.Entry(),
		commit.Entry(),
		espresso.Entry(),
		detector.Entry(),
		channel.Entry(),
		timer.Entry(),
		chain.Entry(),
		ftcommit.Entry(),
		multipaxos.Entry(),
		basicpaxos.Entry(),
		election.Entry(),
		hashtable.Entry(),
		synod.Entry(),
		echo.Entry(),
		register.Entry(),
	}
}

// Find returns the description of the system with that name. The error names near ones.
func Find(name string) (spec.Entry, error) {
	return spec.Find(All(), name)
}
