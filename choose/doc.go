// Package choose holds the one primitive of the checker: the choice. Everything nondeterministic in a run is a [Point]
// that a [Source] answers. The answers in order are the run's [Path], from which everything else is recomputed.
package choose
