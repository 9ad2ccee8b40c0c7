// Package stats measures how many steps random walks take to a live state: the distribution for
// biased and unbiased weights, from the first state and after faults, with exact percentiles and a
// plot. It tells which walk limit and which weights a system needs: a walk that is cut too early looks
// dead.
//
// It is the measurement of figures 2 and 4 of Killian, Anderson, Jhala and Vahdat, "Life, Death, and
// the Critical Transition: Finding Liveness Bugs in Systems Code" (NSDI 2007).
package stats
