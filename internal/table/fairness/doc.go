// Package fairness finds fair cycles: runs without end in which an obligation stays hot although every
// process with a fairness promise is treated fairly: weakly, and timers under sim.Prompt strongly.
//
// States are left out if every run from them settles its obligations or ends. The edges of the rest are labelled
// with the process of each step, the fair choices that it drew, and the obligations that monitors settled. A
// violation is a strongly connected component that satisfies all fairness conditions, as in the emptiness check of
// Streett automata (Emerson and Lei, Modalities for Model Checking, 1987). If the states are too many, [WalkFair]
// judges those that random walks visited.
package fairness
