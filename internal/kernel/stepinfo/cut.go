package stepinfo

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// Survivors is the label of the question how many unsynced writes survive the crash of the node that a step is about.
const Survivors = "unsynced writes that survive"

// SurvivorsOf is that for a node that crashes with it, as they run in one process.
func SurvivorsOf(id sim.NodeID) string { return fmt.Sprintf("unsynced writes of n%d that survive", id) }

// Cut is what happens of a step inside which its node fails: the effects before At, but for some datagrams.
type Cut struct {
	At   int
	Lost uint16 // bit i: the i'th datagram that the step sends
}

// AppendCuts appends the ways in which a node may fail inside a step: before each effect that matters, and then those by which datagrams are lost.
func AppendCuts(cuts []Cut, how sim.CrashCut, effects []Effect, matters func(EffectKind) bool) []Cut {
	if how == sim.CutNone {
		return cuts
	}
	first := len(cuts)
	for i := range effects {
		if matters(effects[i].Kind) {
			cuts = append(cuts, Cut{At: i})
		}
	}
	if how != sim.CutSubset {
		return cuts
	}
	places, sent := cuts[first:], 0
	for k, last := range places { // which happens, so that no two ways are the same
		at := len(effects)
		if k+1 < len(places) {
			at = places[k+1].At
		}
		for lost := 1; lost < 1<<sent; lost++ {
			cuts = append(cuts, Cut{at, uint16(lost)})
		}
		if effects[last.At].Kind == SendEffect {
			sent++
		}
	}
	return cuts
}
