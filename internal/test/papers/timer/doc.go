// Package timer has a timer that may fail to cancel, and an injector of failures, as machines (package machine),
// with a client that uses both.
//
// # Protocol
//
// A timer that was started sends Timeout at any moment. If it is cancelled before that, it either answers
// CancelSuccess and sends no Timeout; or cancelling fails, and it answers CancelFailure, with a Timeout before or
// after it. The injector sends machines of a set the event machine.Halt, which halts them only in states without a
// rule for it.
//
// The client executes rounds. In each it asks a worker, by turns, and starts the timer. If the answer is first it
// cancels the timer. If that fails it waits for the Timeout, since a Timeout does not name its round. If the
// Timeout is first it gives the round up. A worker defers Halt while it works, and the last one ignores it.
//
// # Source
//
// The models Timer and FaultInjector of "Building Reliable Distributed Systems With P" (UCB/EECS-2015-198),
// listings 1 and 3, with which the protocols there are checked. Here these protocols use the timers and the crashes
// of the checker. The client and its workers are ours.
//
// # Simplifications
//
// The injector makes a bounded number of machines fail, each once. The client has one timer, so its messages do not
// name it.
//
// # Properties
//
// Monitors: for each start the timer sends one Timeout or CancelSuccess, and it answers each Cancel eventually (hot
// until then); the client gives a round up only after the time of that round. Always: a machine that handles Halt
// is not halted. Inevitably: the client ends.
package timer
