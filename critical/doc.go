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
//	find.go      Config, Find
//	confirm.go   Confirm and Violation: which suspects of a search are violations, refuted or undecided
//	finder.go    the algorithm: find makes walks longer, bisect locates the step, verifyDead
//	             accepts it
//	prober.go    makes the walks from one step in parallel; the nearest live run
//	examine.go   proofs: searches all successors of a step, within a budget
//	equal.go     steps that recover because a live run visits an equal state
//	deadline.go  the result that is known when the time is up
//	follow.go    executes the dead run; summarizes what repeats in its tail
//	starred.go   merges similar steps of that summary
//	result.go    Result, its cases, and how it is made of the probes
package critical
