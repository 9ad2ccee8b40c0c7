package sim

import "time"

// Timing selects the armed timers that may fire: one of the constants, [Bounded], [SometimesBounded] or [BoundedLiveness].
type Timing int64

const (
	// ByDeadline lets the timers with the earliest deadline of their node fire. Nodes and messages are not ordered: a
	// message may take longer than any timer.
	ByDeadline Timing = iota
	AnyOrder          // any armed timer at any moment; deadlines do not matter
	// Prompt is like ByDeadline, but no timer fires while a message or error can be delivered, or a machine can take an
	// event from its queue.
	Prompt
)

// Bounded returns the timing in which no event is late by more than delay. Timers fire as with [ByDeadline], at most
// delay after their deadline. A link between nodes that are up delivers a message at most delay after its oldest message
// was sent or its last message was delivered. All clocks run at the same rate, up to delay. The time that a node is
// down, or that an event waits in the queue of a machine, is unbounded. The delay is clamped to between 0 and 10,000
// hours.
func Bounded(delay time.Duration) Timing {
	return bounded + Timing(min(max(0, delay), 10_000*time.Hour))
}

// bounded is the timing Bounded(0).
const bounded = Prompt + 1

// BoundedLiveness returns the timing that is [Bounded] in some runs and [ByDeadline] in the others. The first choice of
// a run selects which. Eventually properties are judged in the bounded runs alone, all others in all runs. With [Clocks],
// there are runs of a third kind. They are bounded, but one node at a time may pause: its events may be delayed without
// a bound while its clock advances.
func BoundedLiveness(delay time.Duration) Timing {
	return ^(Bounded(delay) - bounded)
}

// SometimesBounded returns the timing that is [Bounded] in some runs and [ByDeadline] in the others, like
// [BoundedLiveness], but Eventually properties are judged in both: a run is dead if it cannot recover by its own timing.
// In a bounded run no false suspicion of a healthy node rescues it.
func SometimesBounded(delay time.Duration) Timing { return Bounded(delay) | sometimes }

// sometimes is the bit of timings by SometimesBounded. It is above every delay.
const sometimes Timing = 1 << 62

// MaxDelay returns the bound of a timing by [Bounded], [SometimesBounded] or [BoundedLiveness].
func (t Timing) MaxDelay() (delay time.Duration, ok bool) {
	if t.LivenessOnly() {
		return time.Duration(^t), true
	}
	t &^= sometimes
	return time.Duration(max(0, t-bounded)), t >= bounded
}

// Sometimes reports whether the timing bounds delays in some runs only: it was made by [SometimesBounded] or
// [BoundedLiveness].
func (t Timing) Sometimes() bool { return t.LivenessOnly() || t&sometimes != 0 }

// LivenessOnly reports whether the timing was made by [BoundedLiveness].
func (t Timing) LivenessOnly() bool { return t < 0 }

func (t Timing) String() string {
	delay, ok := t.MaxDelay()
	switch {
	case t.LivenessOnly():
		return "BoundedLiveness:" + delay.String()
	case t.Sometimes():
		return "SometimesBounded:" + delay.String()
	case ok:
		return "Bounded:" + delay.String()
	}
	return [...]string{"ByDeadline", "AnyOrder", "Prompt"}[t]
}
