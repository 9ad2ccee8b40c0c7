// Package stateset provides the visited sets by which an exploration recognizes states.
//
// A new set implements [Visited] and gets a row in [Kinds]. It implements [Finder] to allow analyses and reductions,
// [Whole] if it stores states in place of fingerprints, [Deferred] if it decides later, from disk.
// Iterative deepening has a set of its own, package internal/search/fpset, because it also stores depths.
//
// # Files
//
//	visited.go, kinds.go                                the interfaces; the table of kinds
//	exact.go, collapse.go, tree.go, roots.go, pairs.go  whole states, by COLLAPSE
//	fingerprints.go                                     fingerprints in memory
//	bounded.go                                          sets that remember depths, for bounded depth-first
//	                                                    search
//	spilled.go, spillfilter.go                          fingerprints on disk
//	hotcache.go                                         recently found states
package stateset
