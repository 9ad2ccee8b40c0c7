package runner

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// externalNetwork stands for an external network.
type externalNetwork struct {
	declared.NoNetwork
	answers            Answers
	capacity           int
	datagrams, streams bool
}

func (o *externalNetwork) Room(from, to sim.NodeID) int {
	o.need(o.streams, "streams")
	return o.answers.Room(from, to)
}

func (o *externalNetwork) need(has bool, what string) {
	if !has {
		panic(fmt.Sprintf("the network has no %s: use netsim.%s or netsim.Both", what, strings.ToUpper(what[:1])+what[1:]))
	}
}

func (o *externalNetwork) Capacity() int { return o.capacity }
func (o *externalNetwork) SendDatagram(sim.NodeID, sim.NodeID, netmodel.Message) {
	o.need(o.datagrams, "datagrams")
}
func (o *externalNetwork) SendStream(sim.NodeID, sim.NodeID, netmodel.Message) {}
func (o *externalNetwork) RefuseStream(sim.NodeID, sim.NodeID)                 {}
func (o *externalNetwork) CloseStream(sim.NodeID, sim.NodeID)                  { o.need(o.streams, "streams") }
