// Package choose holds the one primitive of the checker: the choice. Everything nondeterministic in a run is a [Point]
// that a [Source] answers. The answers in order are the run's [Path], from which everything else is recomputed.
package choose

// Every engine and strategy is a caller of a [Source], or one. An answer is an index into the alternatives of a point,
// so a path is valid only for the code that asked. A path file also has keys and labels, by which picks are matched
// when the code has changed. This package imports no other package of this module.
//
// The files of this package, for readers of its source:
//
//	point.go, kind.go     Point, Source; kinds of points, and their words in path files
//	path.go               Path
//	prefix.go             answers from a path, and then from another source
//	enumerate.go          all sequences of answers, one after the other
//	sample.go             which alternatives of a large draw enumerations offer
//	random.go, derive.go  weighted draws; independent streams of a seed
