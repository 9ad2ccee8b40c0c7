package kernel

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// outside stands for a network that is elsewhere.
type outside struct {
	noNetwork
	answers            Answers
	capacity           int
	datagrams, streams bool
}

func (o *outside) Room(from, to sim.NodeID) int {
	o.need(o.streams, "streams")
	return o.answers.Room(from, to)
}

func (o *outside) need(has bool, what string) {
	if !has {
		panic(fmt.Sprintf("the network has no %s: use netsim.%s or netsim.Both", what, strings.ToUpper(what[:1])+what[1:]))
	}
}

func (o *outside) Capacity() int                                    { return o.capacity }
func (o *outside) SendDatagram(sim.NodeID, sim.NodeID, sim.Message) { o.need(o.datagrams, "datagrams") }
func (o *outside) SendStream(sim.NodeID, sim.NodeID, sim.Message)   {}
func (o *outside) RefuseStream(sim.NodeID, sim.NodeID)              {}
func (o *outside) CloseStream(sim.NodeID, sim.NodeID)               { o.need(o.streams, "streams") }
