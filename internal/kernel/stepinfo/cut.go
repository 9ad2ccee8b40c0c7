package stepinfo

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// SurvivorsLabel labels the question how many unsynced writes survive a crash of the step's node.
const SurvivorsLabel = "unsynced writes that survive"

// SurvivorsLabelOf is the label for another node of the same process.
func SurvivorsLabelOf(id sim.NodeID) string {
	return fmt.Sprintf("unsynced writes of n%d that survive", id)
}

// Cut truncates a step in which the node fails: the effects before At happen, except for some datagrams.
type Cut struct {
	At   int
	Lost uint16 // bit i: the i'th datagram that the step sends
}

// AppendCuts appends the ways in which a node may fail inside a step: before each effect that matters, and with each
// set of lost datagrams.
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
	for k, last := range places { // the effect at last happens, so that no two cuts are the same
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
