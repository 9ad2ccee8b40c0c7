// Package shrink makes violating runs smaller: fewer faults, then fewer steps, fewer context switches, lower picks. A
// candidate is executed tolerantly, see [Player], and accepted if it violates the same property in the same way.
//
// # Steps of minimizing
//
//	reduceAndResample  alternates reduce with short random runs that are similar to the best one
//	restart            searches for other runs to the finding. A smaller one is reduced and resampled, too
//
// They alternate (minimize). reduce drops (delta debugging: Zeller and Hildebrandt, Simplifying and Isolating
// Failure-Inducing Input, 2002), in this order:
//
//	faults             all, then each
//	classes            all steps of a node; all steps alike but for content, such as the timers of one name
//	causes             a step together with the deliveries of what it sent, and their consequences
//	halves             blocks of half of the steps, of a quarter, and so on, to single steps
//
// and then merges context switches, lowers picks, drops pairs of causes, drops steps with another choice of what a crash
// leaves, and moves steps, from the start again after each success.
//
// It ends when restarts find nothing smaller, or with MaxSteps, Time or the context. No candidate is begun that would not end in time
// (pace.go), and the one in progress ends with its step. A run of fewer than leastRestarted
// steps is only reduced and resampled.
//
// # Dead runs
//
// Of a dead run the steps up to the critical one are minimized (dead.go: shrink). A candidate is accepted if no walk from
// its end recovers (judge.go). Candidates get two thirds of the time until a deadline, or all processor time of the limit
// (divide). Then the smallest one is confirmed by a new search for its critical step, or else an earlier one. If the
// system is dead from the start, the run becomes one to a state without further events (deadlock.go).
package shrink
