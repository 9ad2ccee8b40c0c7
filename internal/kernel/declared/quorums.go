package declared

import (
	"reflect"

	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// Assembled is a set of messages that a quorum takes.
type Assembled struct {
	Quorum int32           // its number in [sim.System.Quorums]
	Set    []sim.From[any] // by ascending sender
}

// Assembly is what the quorums of a node make of the datagrams that can be delivered to it.
type Assembly struct {
	Taken []bool // by datagram: it waits for a quorum
	Over  []bool // by datagram: it waits for quorums that take nothing any more
	Sets  []AssemblySet
	Tried int // sets that were tried of quorums whose sets have any size
}

// AssemblySet is a set of datagrams that a quorum takes.
type AssemblySet struct {
	Quorum  int32
	Members []int32 // numbers of datagrams, by ascending sender
}

// Handed is what an event hands over to a node.
type Handed struct {
	sim.Delivery
	Set *Assembled // of TakeQuorum
}

// Quorum is one of a system's quorums, as one of services of all types that takes all messages.
type Quorum struct {
	sim.Quorum[sim.Service, any]
	Types simhook.Types
}

// Quorums are the quorums of a system.
func Quorums(s *sim.System) []Quorum {
	all := make([]Quorum, len(s.Quorums))
	for i, q := range s.Quorums {
		all[i].Quorum, all[i].Types = q.Erased()
	}
	return all
}

// Takes reports whether a message is for the quorum, whether it fits now or not.
func (q *Quorum) Takes(msg any) bool { return q.Types.Message == reflect.TypeOf(msg) }

// Has reports whether a service has the quorum.
func (q *Quorum) Has(s sim.Service) bool { return q.Types.Has(s) }
