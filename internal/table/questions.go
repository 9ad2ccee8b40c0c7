package table

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// question is an inner node.
type question struct {
	point choose.Point // Arity 0: it is about room in a stream
	roomAsked
	next []ref       // by answer, see branch
	far  map[int]ref // by answers from farBranch on
}

// roomAsked says which room in a stream a question is about, see [kernel.Question].
type roomAsked struct {
	peer  sim.NodeID
	sent  int
	fresh bool
	exact bool
}

func aboutRoom(q *kernel.Question) roomAsked { return roomAsked{q.Peer, q.Sent, q.Fresh, q.Exact} }

func (q *question) same(o *kernel.Question) bool {
	if o.Observation() != (q.point.Arity == 0) {
		return false
	}
	if o.Observation() {
		return q.roomAsked == aboutRoom(o)
	}
	p, r := &q.point, &o.Point
	return p.Kind == r.Kind && p.Arity == r.Arity && p.Label == r.Label && p.Fair() == r.Fair() && slices.Equal(p.Weights, r.Weights)
}

// branch is the number of the branch that an answer takes: the pick, or for room what the handler was
// told of it.
func (q *roomAsked) branch(room int) int {
	room = max(0, room-q.sent)
	if !q.exact {
		room = min(room, 1)
	}
	return room
}

func (q *question) follow(branch int) ref {
	if branch < len(q.next) {
		return q.next[branch]
	}
	if r, ok := q.far[branch]; ok {
		return r
	}
	return noRef
}

// set says where a branch leads.
func (q *question) set(branch int, to ref) {
	if branch >= farBranch {
		if q.far == nil {
			q.far = map[int]ref{}
		}
		q.far[branch] = to
		return
	}
	for branch >= len(q.next) {
		q.next = append(q.next, noRef)
	}
	q.next[branch] = to
}
