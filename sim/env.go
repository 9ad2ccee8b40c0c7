package sim

import (
	"log/slog"
	"time"

	"github.com/macemc/macemc/macetime"
)

// Env is a handler's interface to its node and the network. It is valid only until the handler returns. A later use
// with an effect is a violation, which is noticed unless another handler of the node uses the same Env by then.
//
// Effects happen after the handler has returned, in the order of the calls. If the node crashes inside the step, only a
// prefix of them happens.
type Env interface {
	// Self returns the node that the handler runs on.
	Self() NodeID
	// Nodes returns the number of nodes of the system.
	Nodes() int
	// Send sends a datagram. Messages are values: changing msg after the call is a violation. The receiver gets a copy
	// that shares no memory with msg, except for package variables.
	Send(to NodeID, msg any)
	// Stream returns the reliable, ordered stream to peer. The first message opens it.
	Stream(peer NodeID) Stream
	// SetTimer arms the timer t, or rearms it. t must be comparable and is the identity of the timer. It must not
	// contain pointers, except to package variables. A negative duration counts as 0.
	SetTimer(t any, after time.Duration)
	// StopTimer disarms t. It does nothing if t is not armed.
	StopTimer(t any)
	// Choose draws a number from [0, n), 1 <= n <= 2^31-1. what names the choice in traces. Exhaustive search explores
	// all numbers up to n = 65,536, and a sample above that, see [choose.Point.Sampled].
	Choose(what string, n int) int
	// ChooseFair is like Choose, but fair: an infinite run that makes this choice infinitely often on the node takes
	// each alternative infinitely often.
	ChooseFair(what string, n int) int
	// ChooseWeighted is like Choose with len(weights) alternatives. Random walks draw them with these weights, and
	// exhaustive search ignores the weights. They must not be negative or all zero, and their sum must fit an int.
	ChooseWeighted(what string, weights ...int) int
	// Rand returns a source of random values. Each draw is a choice.
	Rand() Rand
	// Clock returns the node's clock.
	Clock() macetime.Clock
	// Disk returns the node's disk, the only state that survives a crash.
	Disk() Disk
	// Announce passes an event to the monitors. It is an effect like Send, and each monitor receives its own copy.
	Announce(event any)
	// Assert reports a safety violation if ok is false. The handler continues.
	Assert(ok bool, format string, args ...any)
	// Log returns a logger. Traces and reports show its lines. It is disabled during a search.
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
