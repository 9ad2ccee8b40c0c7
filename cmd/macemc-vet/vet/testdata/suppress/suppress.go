// Package suppress says why hazards are none.
package suppress

import (
	"time"

	"github.com/macemc/macemc/sim"
)

type node struct {
	sim.Nop
	peers map[sim.NodeID]bool
}

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	_ = time.Now() //macemc:ok for the log only
	//macemc:ok for the log only
	_ = time.Now()
	_ = time.Now() // want "uses time.Now"
	n.logged()
	n.called() //macemc:ok measures itself, and tells nobody
	//macemc:ok peers has one element
	for id := range n.peers {
		env.Send(id, msg)
	}
	_ = time.Now() //macemc:ok // want "suppression: //macemc:ok without a reason" "uses time.Now"
	_ = 1          //macemc:ok is about this line
	_ = time.Now() // want "uses time.Now"
	_ = time.Now() //macemc:okay // want "uses time.Now"
}

// logged is for people.
//
//macemc:ok for the log only
func (n *node) logged() { _ = time.Now() }

func (n *node) called() { _ = time.Now() }
