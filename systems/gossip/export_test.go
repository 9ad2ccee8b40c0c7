package gossip

import "github.com/macemc/macemc/sim"

// Timers, for tests.
var (
	PeriodTimer = periodTimer{}
	AckTimer    = ackTimer{}
)

func SuspicionOf(id sim.NodeID) any { return suspicionTimer{id} }
