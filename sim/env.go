package sim

import (
	"log/slog"
	"time"

	"github.com/macemc/macemc/macetime"
)

// Env is a handler's interface to the world. It is valid only until the handler to which it was passed returns; any
// later use is reported as a finding. Effects are recorded in the order of the calls and happen after the handler has
// returned. If the node crashes inside the step, a prefix of them happens.
type Env interface {
	// Self returns the node that the handler runs on.
	Self() NodeID
	// Nodes returns the number of nodes of the system.
	Nodes() int
	// Send sends a datagram. Messages are values: changing msg after the call is a finding. The receiver gets a copy
	// that shares no memory with msg, except memory older than the run (package-level variables).
	Send(to NodeID, msg any)
	// Stream returns the reliable, ordered stream to peer. The first message opens it.
	Stream(peer NodeID) Stream
	// SetTimer arms the timer t, or rearms it. t must be comparable and is the timer's identity; it must not point to
	// memory younger than the run. A time in the past counts as the present.
	SetTimer(t any, after time.Duration)
	// StopTimer disarms t. It does nothing if t is not armed.
	StopTimer(t any)
	// Choose draws one of n alternatives, 1 <= n <= 2^31-1. Exhaustive search explores all of them up to n = 65,536,
	// and a sample above that, see [choose.Point.Sampled].
	Choose(what string, n int) int
	// ChooseFair is like Choose, but fair: a run that draws it infinitely often at the node draws each alternative
	// infinitely often. The promise concerns infinite runs only.
	ChooseFair(what string, n int) int
	// ChooseWeighted is like Choose with len(weights) alternatives. Random walks draw them with these weights;
	// exhaustive search ignores the weights. They must not be negative or all zero, and their sum must fit an int.
	ChooseWeighted(what string, weights ...int) int
	// Rand returns a source of random values. Each draw is a choice.
	Rand() Rand
	// Clock returns the node's clock.
	Clock() macetime.Clock
	// Disk returns the node's disk, the only state that survives a crash.
	Disk() Disk
	// Announce passes an event to the monitors, as an ordered effect. Each monitor receives its own copy, as with a
	// message.
	Announce(event any)
	// Assert reports a safety violation if ok is false. The handler continues.
	Assert(ok bool, format string, args ...any)
	// Log returns a log for people. It is disabled while searching.
	Log() *slog.Logger
}

// Stream is the sending side of a connection to one peer.
type Stream interface {
	// Send queues msg, or returns [ErrFull] if the send buffer has no room. PeerReady is then called once there is room
	// again.
	Send(msg any) error
	// Room returns the number of messages that can be sent immediately.
	Room() int
	// Close drops the queued messages and closes the connection. The peer receives an error.
	Close()
}

// Rand draws random values. Every draw is a choice with the number of alternatives that the call implies, so keep that
// number small, or use Seeded.
type Rand interface {
	// IntN draws from [0, n).
	IntN(n int) int
	// Perm draws a permutation of [0, n): n! alternatives, as n-1 choices.
	Perm(n int) []int
	// Shuffle permutes n elements by calls of swap.
	Shuffle(n int, swap func(i, j int))
	// Jitter draws one of steps delays, evenly spaced from low to high inclusive; steps >= 1.
	Jitter(low, high time.Duration, steps int) time.Duration
	// Seeded draws one of k seeds and returns a generator initialized with it. The generator's own draws are not
	// choices.
	Seeded(k int) Generator
}

// Generator is an ordinary generator of pseudo-random numbers.
type Generator interface {
	IntN(n int) int
	Uint64() uint64
}

// Disk is a small key-value store. Writes that were not synced before a crash of the node may be lost: the checker
// explores every prefix of the unsynced writes.
type Disk interface {
	Put(key string, value []byte) // value is copied
	Delete(key string)
	Get(key string) ([]byte, bool) // sees the node's own unsynced writes; the caller owns the slice
	Keys(prefix string) []string   // sorted
	Sync()
}
