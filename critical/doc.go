// Package critical finds the critical transition of a dead run: the step after which no live state can be reached
// any more (MaceMC, NSDI 2007, section 3.3, with its algorithm 2 corrected).
package critical
