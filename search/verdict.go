package search

import "github.com/macemc/macemc/sim"

// Verdict is the answer of a search. Each goes with an exit status of the commands.
type Verdict string

const (
	OK            Verdict = "ok" // nothing was found within the bounds
	Violation     Verdict = "violation"
	Inconclusive  Verdict = "inconclusive"
	OutOfResource Verdict = "out-of-resource" // memory or disk did not do, and nothing was found until then
	Interrupted   Verdict = "interrupted"     // from outside, and nothing was found until then
)

// Conclude is the verdict of a search that stopped for one of the Stopped reasons. conclusive: it covered enough to say that it
// found nothing, and left no suspect undecided.
func Conclude(found bool, stopped string, conclusive bool) Verdict {
	switch {
	case found:
		return Violation
	case stopped == StoppedInterrupted:
		return Interrupted
	case stopped == StoppedMemory, stopped == StoppedDisk:
		return OutOfResource
	case !conclusive:
		return Inconclusive
	}
	return OK
}

// pointless reports whether a search came to nothing that a system is checked for: to Eventually and Inevitably properties alone, see [sim.System.Only], which
// it neither judged nor looked for in walks.
func (s *Stats) pointless(sys *sim.System) bool {
	if sys.Asserts() || len(sys.Monitors) > 0 {
		return false
	}
	asked := false
	for i := range sys.Properties {
		switch p := &sys.Properties[i]; {
		case p.Always != nil, p.Eventually != nil && s.Unchecked == "", p.Inevitably != nil && s.Fair != nil && (s.Fair.Judged || s.Fair.Walked.Walks > 0):
			return false
		case p.Eventually != nil, p.Inevitably != nil:
			asked = true
		}
	}
	return asked
}
