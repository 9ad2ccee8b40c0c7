// Package por explores fewer states and edges for the same verdicts.
//
// [ReducedGraph] wraps a statespace.Graph. It drops datagrams that no later step can observe, and follows an
// event alone when it commutes with everything that its node may do before it: an ample set of size one
// (Peled, All from One, One for All, CAV 1993; Clarke, Grumberg and Peled, Model Checking, chapter 10). The
// cycle proviso is decided when all states were visited, and states that need it are expanded fully in the
// next round. Every assumption is decided from the known local steps, and decided again at the end; what
// does not hold any more is not assumed in the next round. It keeps terminal states, violations and dead
// states. docs/reduction.md has the proofs.
package por
