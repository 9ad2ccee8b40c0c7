package netmodel

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// Event is an event that can happen next in a state. It is valid only in the world that listed it, until that world's
// next step. Path files name it by its stable key.
type Event struct {
	Kind eventkind.Kind
	Node sim.NodeID // the node that runs a handler or is acted on
	Peer sim.NodeID // the other end: sender of a message, end of a connection; -1 if there is none
	Slot int32      // index of an action, timer, datagram, set of datagrams or partition; private to the world
	Msgs int32      // number of messages that it consumes
}

// faults holds the fault of each kind that injects one.
var faults = func() (t [eventkind.Count]sim.Fault) {
	for f := range sim.FaultCount {
		t[f.Event()] = f
	}
	return t
}()

// Fault returns the fault that the event injects; ok is false if it injects none.
func (e *Event) Fault() (f sim.Fault, ok bool) { return faults[e.Kind], e.Kind.Injection() }
