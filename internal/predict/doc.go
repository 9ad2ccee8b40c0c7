// Package predict analyses the record of one run of a concurrent program and predicts schedules that show a defect. A prediction is never
// a finding: a directed run confirms it or passes. The package is plain Go without imports of this module, because
// internal/overlay compiles it into the tests that macemc test explores. The runtime imports record.go, which imports nothing.
//
// # Analysis
//
// Vector clocks represent happens-before in a run. It contains go statements, wake-ups, channels and wait groups, but not locks and atomic
// operations, whose order another schedule may reverse (clocks.go). Two kinds of predictions follow:
//
//   - Cycles of the lock-order graph, as in Goodlock (cycles.go; Havelund, SPIN 2000; Joshi et al., PLDI 2009). Its edges carry the lockset
//     (guards, or gate locks) and the modes of RWMutexes. Each cycle of k locks leads to at most k+3 directed schedules. An edge may
//     contain a wait: its goroutine holds a lock until another one has requested the second lock, and has sent a value after that.
//     Read locks exclude each other if a writer waits between them.
//   - Flips: two conflicting operations on one object that happens-before does not order, executed in the other order (flips.go;
//     Yu et al., OOPSLA 2012). Partial-order reduction calls that the reversal of a race. One of the two may be a timer, for which a
//     goroutine is held for long enough.
//
// # Directed schedules
//
// A directed schedule is the schedule of the analysed run with holds. A goroutine that reaches a hold pauses until all others wait. A hold
// names an operation of a goroutine by its calling context and its number there, not by a step, so that it tolerates other orders before
// it.
package predict
