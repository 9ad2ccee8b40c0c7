// Package across calls another package.
package across

import (
	"github.com/macemc/macemc/cmd/macemc-vet/vet/testdata/across/part"
	"github.com/macemc/macemc/sim"
)

type node struct {
	sim.Nop
	t     part.Transport
	peers map[sim.NodeID]bool
}

var shared part.Transport

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	n.deliver(env)
	for id := range n.peers { // want "calls .*Transport..Send in line 20, which requests effects"
		n.t.Send(env, id)
	}
	shared.Count() // want "calls .*Transport..Count, which changes the package variable shared"
}

func (n *node) deliver(env sim.Env) { n.t.Stamp() }
