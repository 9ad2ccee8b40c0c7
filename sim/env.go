package sim

import (
	"log/slog"
	"time"

	"github.com/macemc/macemc/macetime"
)

// Env is how a handler talks to the world. It is valid only during the handler that it was passed
// to; any later use is reported as a finding. Effects are recorded in the order of the calls and
// happen when the handler has returned, or, when the node crashes inside the step, up to some
// prefix of them.
type Env interface {
	// Self is the node that the handler runs on.
	Self() NodeID
	// Nodes is the number of nodes of the system.
	Nodes() int
	// Send sends a datagram. Messages are values: changing msg afterwards is a finding, and what is received is a copy that
	// shares nothing with it; of what it refers to, only what is older than the run (variables of packages) is the same.
	Send(to NodeID, msg any)
	// Stream is the reliable, ordered stream to peer. It is opened by the first message.
	Stream(peer NodeID) Stream
	// SetTimer arms the timer t, or arms it again. t must be comparable and is the timer's identity; it
	// may point to nothing that is younger than the run. A time that is past is now.
	SetTimer(t any, after time.Duration)
	// StopTimer disarms t; it does nothing when t is not armed.
	StopTimer(t any)
	// Choose draws one of n alternatives, 1 <= n <= 2^31-1; all are tried by exhaustive search when they are at most 65,536,
	// else a sample, see [choose.Point.Sampled].
	Choose(what string, n int) int
	// ChooseFair is Choose of which each alternative comes again and again in runs that draw it again and again at the node.
	// That is a promise about runs without end; in all else it is Choose.
	ChooseFair(what string, n int) int
	// ChooseWeighted is Choose over len(weights) alternatives, which random walks draw with these
	// weights; exhaustive search ignores them. Weights are not negative and not all zero, and their sum is an int.
	ChooseWeighted(what string, weights ...int) int
	// Rand draws random values as choices.
	Rand() Rand
	// Clock is the node's clock.
	Clock() macetime.Clock
	// Disk is all that survives a crash of the node.
	Disk() Disk
	// Announce tells the monitors of an event, as an ordered effect. Each is given a copy, as of a message.
	Announce(event any)
	// Assert reports a safety violation when ok is false. The handler goes on.
	Assert(ok bool, format string, args ...any)
	// Log is for people; it is disabled while searching.
	Log() *slog.Logger
}

// Stream is the sending side of a connection to one peer.
type Stream interface {
	// Send queues msg, or returns [ErrFull] when the send buffer has no room; then PeerReady is
	// called once there is room again.
	Send(msg any) error
	// Room is the number of messages that can be sent now.
	Room() int
	// Close drops what is queued and closes the connection; the peer is told by an error.
	Close()
}

// Rand draws random values. Every draw is a choice of the arity that is seen in the call, so keep
// arities small, or use Seeded.
type Rand interface {
	// IntN draws from [0, n).
	IntN(n int) int
	// Perm draws a permutation of [0, n): n! alternatives, as n-1 choices.
	Perm(n int) []int
	// Shuffle permutes n elements by swap.
	Shuffle(n int, swap func(i, j int))
	// Jitter draws one of steps delays, evenly spaced from low to high inclusive; steps >= 1.
	Jitter(low, high time.Duration, steps int) time.Duration
	// Seeded draws one of k seeds and returns a generator started with it. The generator's draws are
	// no choices.
	Seeded(k int) Generator
}

// Generator is an ordinary generator of pseudo-random numbers.
type Generator interface {
	IntN(n int) int
	Uint64() uint64
}

// Disk is a small key-value store. What was not synced when the node crashes may be lost: the
// checker tries every prefix of the unsynced writes.
type Disk interface {
	Put(key string, value []byte) // value is copied
	Delete(key string)
	Get(key string) ([]byte, bool) // sees the node's own unsynced writes; the slice is the caller's
	Keys(prefix string) []string   // sorted
	Sync()
}
