package declared

import (
	"reflect"

	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// Assembled is a set of messages that a quorum takes.
type Assembled struct {
	Quorum int32           // its number in [sim.System.Quorums]
	Set    []sim.From[any] // by ascending sender
}

// Assembly describes which of a node's deliverable datagrams its quorums take.
type Assembly struct {
	Taken []bool // by datagram: it waits for a quorum
	Over  []bool // by datagram: it waits for quorums that take nothing any more
	Sets  []AssemblySet
	Tried int // number of sets tried for quorums with sets of any size
}

// AssemblySet is a set of datagrams that a quorum takes.
type AssemblySet struct {
	Quorum  int32
	Members []int32 // numbers of datagrams, by ascending sender
}

// Handed is the content of an event that is handed to a node.
type Handed struct {
	netmodel.Delivery
	Set *Assembled // for TakeQuorum
}

// Quorum is one of a system's quorums, with the types of service and messages erased.
type Quorum struct {
	sim.Quorum[sim.Service, any]
	Types simhook.Types
}

// Quorums returns the quorums of a system.
func Quorums(s *sim.System) []Quorum {
	all := make([]Quorum, len(s.Quorums))
	for i, q := range s.Quorums {
		all[i].Quorum, all[i].Types = q.Erased()
	}
	return all
}

// Takes reports whether a message is for the quorum, even if it does not fit at present.
func (q *Quorum) Takes(msg any) bool { return q.Types.Message == reflect.TypeOf(msg) }

// Has reports whether a service has the quorum.
func (q *Quorum) Has(s sim.Service) bool { return q.Types.Has(s) }
