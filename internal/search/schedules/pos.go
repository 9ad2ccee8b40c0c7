package schedules

import (
	"math/bits"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// pos is the schedules [search.POS] and [search.POSWeighted]. Clocks are not kept: each is a function of the event and of how often its node has
// acted.
type pos struct {
	*Base
	weighted bool
	seed     uint64
	acted    []uint64 // by node: how often it did; the first also for what belongs to none
	epochs   []uint64 // by node: its number and how often it acted, scrambled
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

func (s *pos) Next(w kernel.World, enabled []sim.Event) int {
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

func (s *pos) hash(ev *sim.Event) uint64 {
	return choose.Mix(s.seed ^ eventWord(ev) ^ s.epochs[max(0, ev.Node)])
}

// eventWord tells the events of a state apart.
func eventWord(ev *sim.Event) uint64 {
	return uint64(ev.Kind)<<56 ^ uint64(uint16(ev.Node))<<40 ^ uint64(uint16(ev.Peer))<<24 ^ uint64(uint32(ev.Slot))&0xffffff
}

// negLog is about the negative logarithm of u/2^64 to the base 2, which is exponentially distributed when u is random.
func negLog(u uint64) float64 {
	zeros := bits.LeadingZeros64(u | 1)
	below := u << (zeros + 1) >> 11 // 53 bits of what follows the first 1
	return float64(zeros+1) - float64(below)/(1<<53)
}
