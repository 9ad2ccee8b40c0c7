// Package critical finds the critical transition of a dead run: the step after which no live state can be reached
// any more (MaceMC, NSDI 2007, section 3.3, with its algorithm 2 corrected).
//
// # How sure the result is
//
// A probe is a set of random walks from the state after one step. A state recovers if a walk or the search of all its
// successors finds a live state, or if an equal state recovers. The opposite has three grades. With proof Exact all successors were
// visited. With proof Walks, no walk of the configured number recovered, and the critical step is accepted if longer walks
// do not recover, either.
// If the time ends first, a quarter of the walks suffices to call the run dead, without a step (Unlocated).
//
// # Files
//
//	config.go      Config, and the errors of Find
//	confirm.go     Confirm: which suspects of a search are violations, refuted or undecided
//	find.go        Find and its algorithm: find makes walks longer, bisect locates the step, verifyDead
//	               accepts it
//	transition.go  makes the result
//	deadline.go    the result that is known when the time is up
//	follow.go      executes the dead run; summarizes what repeats in its tail
//	starred.go     merges similar steps of that summary
//	equal.go       steps that recover because a live run visits an equal state
//	examine.go     proofs: searches all successors of a step, within a budget
//	prober.go      makes the walks from one step in parallel; the nearest live run
//	finder.go      the evidence: the dead run (deadrun.go), its probes (probes.go) and searches
//	result.go      Result and its cases
package critical
