package schedules

import (
	"math/bits"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
)

// pos is the schedules [POS] and [POSWeighted]. Clocks are not stored: each is a function of the event
// and of the number of actions of its node.
type pos struct {
	*Base
	weighted bool
	seed     uint64
	acted    []uint64 // by node: number of its actions; the first also for events of no node
	epochs   []uint64 // by node: hash of its number and its number of actions
	started  bool
}

func (s *pos) Begin(r *choose.Random, w kernel.World, _ int) {
	s.seed, s.started = r.Uint64(), false
	s.acted = append(s.acted[:0], make([]uint64, w.System().Nodes)...)
	s.epochs = append(s.epochs[:0], make([]uint64, len(s.acted))...)
	for node := range s.epochs {
		s.epochs[node] = s.epoch(node)
	}
}

func (s *pos) Next(w kernel.World, enabled []netmodel.Event) int {
	if last := w.Last(); s.started {
		node := int(max(0, last.Event.Node))
		s.acted[node]++
		s.epochs[node] = s.epoch(node)
	}
	s.started = true
	best, least := -1, 0.0
	for i := range enabled {
		ev := &enabled[i]
		weight := s.WeightOf(ev)
		if weight == 0 {
			continue
		}
		rings := negLog(s.hash(ev))
		if s.weighted {
			rings /= float64(weight)
		}
		if best < 0 || rings < least {
			best, least = i, rings
		}
	}
	return best
}

func (s *pos) epoch(node int) uint64 { return choose.Mix(s.acted[node]<<8 | uint64(node&0xff)) }

func (s *pos) hash(ev *netmodel.Event) uint64 {
	return choose.Mix(s.seed ^ eventWord(ev) ^ s.epochs[max(0, ev.Node)])
}

// eventWord distinguishes the events of a state.
func eventWord(ev *netmodel.Event) uint64 {
	return uint64(ev.Kind)<<56 ^ uint64(uint16(ev.Node))<<40 ^ uint64(uint16(ev.Peer))<<24 ^ uint64(uint32(ev.Slot))&0xffffff
}

// negLog returns approximately -log2(u/2^64), which is exponentially distributed for random u.
func negLog(u uint64) float64 {
	zeros := bits.LeadingZeros64(u | 1)
	below := u << (zeros + 1) >> 11 // the 53 bits after the first 1
	return float64(zeros+1) - float64(below)/(1<<53)
}
