package search

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
