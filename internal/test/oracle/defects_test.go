package oracle

import "testing"

// from is the number of a system that shows a defect which none of the first ones shows. Another generator may have others.
var from = map[Defect]uint64{
	ignorePrompt: 24, keepPeerQueue: 24, crashSturdy: 28, deliverVotes: 28, loseAlways: 28, voteTwice: 28, mostOfSender: 29, outgrowMost: 29,
	bootLate: 31, unfitVotes: 49, countEach: 57, forgetMonitors: 57, mateComesBack: 57, haltLasting: 69, ignoreGuards: 82, leaveVotes: 89,
	leakCut: 90, loseNone: 93, insideAnyway: 100, mateKeeps: 100, bySender: 110, mergeOrders: 110, keepDisk: 132, anyType: 145,
	forgetDeadlines: 148, ignoreDeadlines: 148, recoverByKind: 193, ignoreSteps: 223, outgrowBound: 264, overtakeInQueue: 271, mixVotes: 308,
	recoverByType: 537, forgetNever: 717,
}

// Each defect planted into the oracle is detected soon.
func TestDefectsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	const most = 2000
	for _, d := range Defects() {
		t.Run(string(d), func(t *testing.T) {
			for k := range uint64(most) {
				i := (from[d] + k) % most
				if r := Compare(Drawn(i), Options{Defect: d, Brief: true}); r.Difference != "" {
					t.Logf("by system %d: %s", i, r.Difference)
					return
				}
			}
			t.Errorf("not noticed in %d systems", most)
		})
	}
}
