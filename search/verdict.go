package search

import (
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/sim"
)

// Verdict is the result of a search. Each has an exit status of the commands.
type Verdict string

const (
	OK            Verdict = "ok" // nothing was found within the bounds
	Violation     Verdict = "violation"
	Inconclusive  Verdict = "inconclusive"
	OutOfResource Verdict = "out-of-resource" // out of memory or disk, with no finding until then
	Interrupted   Verdict = "interrupted"     // from outside, with no finding until then
)

// Conclude returns the verdict of a search that stopped for one of the Stopped reasons. conclusive means that its
// coverage suffices for a negative result, and that no suspect is undecided. Package exitcode lists the causes of an exit
// status in the order in which they apply. [Run] replaces a verdict other than Violation by Inconclusive if a suspect is
// undecided, whatever ended the search.
func Conclude(found bool, stopped string, conclusive bool) Verdict {
	switch {
	case found:
		return Violation
	case stopped == stats.StoppedInterrupted:
		return Interrupted
	case stopped == stats.StoppedMemory, stopped == stats.StoppedDisk:
		return OutOfResource
	case !conclusive:
		return Inconclusive
	}
	return OK
}

// judgedNothing reports whether a search judged none of the properties of the system: all are Eventually or Inevitably
// properties, and it did not judge them, in walks either. Assertions do not count, because every system has them.
func (s *Stats) judgedNothing(sys *sim.System) bool {
	if len(sys.Monitors) > 0 {
		return false
	}
	asked := false
	for i := range sys.Properties {
		switch p := &sys.Properties[i]; {
		case p.Always != nil, p.Eventually != nil && s.Unchecked == "", p.Inevitably != nil && s.Fair != nil &&
			(s.Fair.Judged || s.Fair.Walked.Walks > 0):
			return false
		case p.Eventually != nil, p.Inevitably != nil:
			asked = true
		}
	}
	return asked
}
