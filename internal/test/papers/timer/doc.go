// Package timer has a timer whose cancelling may fail, and what has machines fail, as machines (package machine), with a client that uses both.
//
// # Protocol
//
// A timer that was started sends Timeout at any moment. Cancelled before that it answers CancelSuccess, and sends no Timeout; or cancelling
// fails: then it answers CancelFailure, and a Timeout comes all the same, before or after that. The injector sends machines of a set
// the event machine.Halt, which halts them in states that have no rule for it, and in no other.
//
// The client goes through rounds. In each it asks a worker, by turns, and starts the timer. When the answer is first it cancels the timer; when that
// fails it waits for the Timeout, since one says nothing of the round that it belongs to. When the Timeout is first it gives the round up. A worker
// defers Halt while it works, and the last one ignores it.
//
// # Source
//
// The models Timer and FaultInjector of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198), listings 1 and 3, which the
// protocols there are checked with. Here these use the timers and the crashes of the checker. The client and its workers are ours.
//
// # Simplifications
//
// The injector has a bounded number of machines fail, each once. The client has one timer, so that what that sends does not name it.
//
// # Properties
//
// Monitors: the timer sends for each start one Timeout or CancelSuccess, and answers each Cancel, in the end (hot until then); the client gives a
// round up only when the time of that round is over. Always: who handles Halt is not halted. Inevitably: the client comes to an end.
package timer
