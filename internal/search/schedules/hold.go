package schedules

import (
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Length of a hold, and of the time between two holds, in steps.
const (
	leastHold = 2
	mostHold  = 64
	mostGap   = 32
)

// Length of a hold by the common time of [sim.Clocks]. It may exceed a lease of seconds, however many steps that takes.
const (
	leastHoldTime = 250 * time.Millisecond
	holdDoublings = 6 // at most 32 s
)

// Odds of holds. One in that many holds concerns the links to and from all nodes but one, one link, or a whole node: its
// timers and actions, too. The others concern the inbox of a node.
const (
	holdOthersOdds = 4
	holdLinkOdds   = 3
	holdNodeOdds   = 4
)

// rateHalvings bounds how much less frequent actions and timers are than deliveries.
const rateHalvings = 5

// hold is the schedule [Hold].
type hold struct {
	*Base
	random    *choose.Random
	nodes     int
	sendOrder sendOrder

	left        int           // steps left of the hold, or of the time without one
	until       time.Duration // the hold lasts until then, in common time; 0 means that left counts
	holds       bool
	node, peer  sim.NodeID // the held receiver; peer is the sender, or -1 for all
	others      bool       // all receivers but node are held
	whole       bool       // the node takes no step
	action      int        // weight of actions, where deliveries have 1<<rateHalvings
	timer       int
	weights     []int // of the enabled events
	heldWeights []int // of those that are held
}

func (s *hold) Begin(r *choose.Random, w kernel.World, _ int) {
	s.random, s.nodes = r, w.System().Nodes
	s.sendOrder.reset(s.nodes)
	s.action, s.timer = 1<<r.IntN(rateHalvings+1), 1<<r.IntN(rateHalvings+1)
	s.holds, s.left, s.until = false, r.IntN(mostGap/2), 0
}

// redraw begins a hold, or ends it.
func (s *hold) redraw(w kernel.World) {
	r := s.random
	s.until = 0
	if s.holds = !s.holds; !s.holds {
		s.left = r.IntN(mostGap)
		return
	}
	s.left = leastHold << r.IntN(6)
	s.left = min(mostHold, s.left+r.IntN(s.left))
	if now, common := kernel.CommonTime(w); common && r.IntN(2) == 0 {
		least := leastHoldTime << r.IntN(holdDoublings+1)
		s.until = now + least + time.Duration(r.IntN(int(least)))
	}
	s.node, s.peer, s.others, s.whole = sim.NodeID(r.IntN(s.nodes)), -1, false, false
	switch {
	case s.nodes > 2 && r.IntN(holdOthersOdds) == 0:
		s.others = true
	case r.IntN(holdLinkOdds) == 0:
		s.peer = sim.NodeID(r.IntN(s.nodes))
	case r.IntN(holdNodeOdds) == 0:
		s.whole = true
	}
}

// held reports whether an event waits for the end of the hold.
func (s *hold) held(ev *netmodel.Event) bool {
	if ev.Kind == eventkind.DoAction || ev.Kind == eventkind.FireTimer || ev.Kind == eventkind.Internal {
		return s.whole && ev.Node == s.node
	}
	if ev.Peer < 0 && ev.Kind != eventkind.TakeQuorum {
		return false
	}
	if s.others {
		return ev.Node != s.node
	}
	return ev.Node == s.node && (s.peer < 0 || ev.Peer == s.peer)
}

func (s *hold) Next(w kernel.World, enabled []netmodel.Event) int {
	switch now, _ := kernel.CommonTime(w); {
	case s.until == 0 && s.left == 0, s.until > 0 && now >= s.until:
		s.redraw(w)
	case s.until == 0:
		s.left--
	}
	s.sendOrder.follow(w, enabled)
	s.weights, s.heldWeights = s.weights[:0], s.heldWeights[:0]
	total, totalHeld := 0, 0
	for i := range enabled {
		weight, held := s.weight(i, &enabled[i]), 0
		if s.holds && s.held(&enabled[i]) {
			weight, held = 0, weight
		}
		s.weights, s.heldWeights = append(s.weights, weight), append(s.heldWeights, held)
		total, totalHeld = total+weight, totalHeld+held
	}
	if total == 0 && totalHeld > 0 { // nothing else can happen
		s.holds, s.left, s.until = false, s.random.IntN(mostGap), 0
		total, s.weights, s.heldWeights = totalHeld, s.heldWeights, s.weights
	}
	return draw(s.random, s.weights, total)
}

// weight returns the weight of an event that is not held.
func (s *hold) weight(i int, ev *netmodel.Event) int {
	switch {
	case s.WeightOf(ev) == 0:
		return 0
	case ev.Kind == eventkind.DoAction:
		return fifoBias * s.action
	case ev.Kind == eventkind.FireTimer:
		return fifoBias * s.timer
	case ev.Kind == eventkind.Deliver && !s.sendOrder.oldest(i, ev):
		return 1 << rateHalvings
	}
	return fifoBias << rateHalvings
}
