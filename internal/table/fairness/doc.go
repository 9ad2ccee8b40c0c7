// Package fairness finds fair cycles: runs without end in which an obligation stays hot although every
// process that can take a step takes one again and again.
//
// States from which no run goes on for ever without settling what is owed are left out. The edges of the
// rest are labelled with the process of each step, the fair choices that it drew, and what monitors passed.
// A violation is a strongly connected component that meets all fairness conditions, as in the emptiness
// check of Streett automata (Emerson and Lei, Modalities for Model Checking, 1987). Where states are too
// many, [WalkFair] judges those that random walks visited.
package fairness
