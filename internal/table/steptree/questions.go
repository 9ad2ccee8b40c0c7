package steptree

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/sim"
)

// question is an inner node of a decision tree.
type question struct {
	Point choose.Point // Arity 0: the question is about room in a stream
	RoomAsked
	Next []Ref       // by answer, see Branch
	Far  map[int]Ref // by answers from farBranch on
}

// RoomAsked identifies a question about room in a stream, see [bench.Question].
type RoomAsked struct {
	Peer  sim.NodeID
	Sent  int  // messages that the handler had sent to the stream before
	Fresh bool // the step had closed the stream, so the room before it does not matter
	Exact bool // the handler received the number, not only whether there is room
}

// AboutRoom identifies an observation of room.
func AboutRoom(q *bench.Question) RoomAsked { return RoomAsked{q.Peer, q.Sent, q.Fresh, q.Exact} }

func (q *question) same(o *bench.Question) bool {
	if o.Observation() != (q.Point.Arity == 0) {
		return false
	}
	if o.Observation() {
		return q.RoomAsked == AboutRoom(o)
	}
	p, r := &q.Point, &o.Point
	return p.Kind == r.Kind && p.Arity == r.Arity && p.Label == r.Label && p.Fair() == r.Fair() && slices.Equal(p.Weights, r.Weights)
}

// Branch returns the branch of an answer: the pick of a choice, or the room that the handler observed.
func (q *RoomAsked) Branch(room int) int {
	room = max(0, room-q.Sent)
	if !q.Exact {
		room = min(room, 1)
	}
	return room
}

// Follow returns the node behind a branch, or NoRef.
func (q *question) Follow(branch int) Ref {
	if branch < len(q.Next) {
		return q.Next[branch]
	}
	if r, ok := q.Far[branch]; ok {
		return r
	}
	return NoRef
}

// set assigns the target of a branch.
func (q *question) set(branch int, to Ref) {
	if branch >= farBranch {
		if q.Far == nil {
			q.Far = map[int]Ref{}
		}
		q.Far[branch] = to
		return
	}
	for branch >= len(q.Next) {
		q.Next = append(q.Next, NoRef)
	}
	q.Next[branch] = to
}
