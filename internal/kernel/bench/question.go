package bench

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// Answerer answers the questions of a handler.
type Answerer interface {
	choose.Source
	// Room returns the network's room in the stream to peer, before the step.
	Room(peer sim.NodeID) int
}

// Question is a question that a handler asked.
type Question struct {
	Before int // number of effects requested before it

	// For a choice.
	Point choose.Point // with Weights of its own
	Pick  int

	// For an observation, with a zero Point: whether there is room in the stream to Peer.
	Peer  sim.NodeID
	Fresh bool // the step had closed the stream, so the room before the step does not matter
	Sent  int  // messages that the step had sent since the start, or since it closed the stream
	Room  int  // the network's answer
	Exact bool // the handler received the number, not only whether there is any room
}

// Observation reports whether the question was about room in a stream.
func (q *Question) Observation() bool { return q.Point.Arity == 0 }

// Choose implements [choose.Source] for the handler that is running.
func (b *Bench) Choose(p choose.Point) int {
	pick := b.asked.Choose(p)
	p.Weights = slices.Clone(p.Weights)
	b.run = append(b.run, Question{Before: len(b.w.Last().Effects), Point: p, Pick: pick})
	return pick
}

func (b *Bench) room(peer sim.NodeID) int {
	if b.w.Probing {
		return 0
	}
	q := Question{Before: len(b.w.Last().Effects), Peer: peer, Room: b.asked.Room(peer)}
	for i := range b.w.Last().Effects {
		switch f := &b.w.Last().Effects[i]; {
		case f.Peer != peer:
		case f.Kind == stepinfo.StreamEffect:
			q.Sent++
		case f.Kind == stepinfo.CloseEffect:
			q.Fresh, q.Sent = true, 0
		}
	}
	b.run = append(b.run, q)
	return q.Room
}

// classify distinguishes the observations of Stream.Send from those of Stream.Room. The last observation before the
// effect of a Send belongs to that Send.
func (b *Bench) classify() {
	for i := range b.run {
		q := &b.run[i]
		if !q.Observation() {
			continue
		}
		q.Exact = true
		if q.Before < len(b.w.Last().Effects) && (i+1 == len(b.run) || b.run[i+1].Before > q.Before) {
			f := &b.w.Last().Effects[q.Before]
			q.Exact = f.Peer != q.Peer || f.Kind != stepinfo.StreamEffect && f.Kind != stepinfo.RefusedEffect
		}
	}
}

// fixed answers one question.
type fixed struct{ pick, arity int }

func (f *fixed) Choose(p choose.Point) int {
	f.arity = p.Arity
	return f.pick
}
