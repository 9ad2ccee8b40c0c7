// Package por explores fewer states and edges for the same verdicts.
//
// [ReducedGraph] wraps a statespace.Graph. It drops datagrams that no later step can observe, and explores an event
// alone if it commutes with everything that its node may do before it: an ample set of size one (Peled, All from
// One, One for All, CAV 1993; Clarke, Grumberg and Peled, Model Checking, chapter 10). The cycle proviso is decided
// when all states were visited, and states that need it are expanded fully in the next round. Every assumption is
// decided from the known local steps, and decided again at the end. The next round drops assumptions that were refuted. The
// reduction preserves terminal states, violations and dead states.
//
// # Proof
//
// Let K be the set of known local steps (node, local state, event). K only grows. A datagram is dropped where its
// delivery does nothing in each local state that its receiver reaches by steps of K. All other steps remain, and no
// run without these deliveries is longer.
//
// Let e be an execution of the full graph from a visited state s in which event t is followed alone. If e contains
// t, then t can be moved to the front: it commutes with the events of its own node before it, and other nodes
// neither observe nor disable it. Monitors do not observe it, because t announces nothing (Outcomes.silent). No fault
// left in s disables it or changes what it does: its node and its receivers cannot fail any more, and its datagram
// cannot be lost or duplicated (unaffectedByFaults). If e does not contain t, then t can be executed first, and e after
// it. The cycle proviso bounds how often that happens. If e takes a set of messages in the place of the set of t, then t
// replaces it, because both sets do the same and leave nothing that can be used. By induction all local steps of e are
// in K.
//
// Moving t keeps the end of e, so terminal states are the same. A violation or goal on the way is one after t as
// well, because t makes no property look better: it masks no violation and leaves no goal (visible). It may cause a
// violation or reach a goal itself, so this is only one direction of the invisibility of the papers. Reachability of
// live states is kept by events of positive weight. These are results of Valmari (Stop It, and Be Stubborn!, CAV 1996)
// and of Valmari and Vogler (Fair Testing and Stubborn Sets, SPIN 2016), with local conditions that are checked when
// the exploration ends.
//
// # When it is not applied
//
//   - Irreducible: streams, queues, timing [sim.Prompt] (no timer fires while a message can be delivered), faults of
//     networks other than lost and duplicated datagrams, containers (nodes of one process, which fail together), nodes
//     that start late, obligations of monitors (what must still happen, see [sim.Obliged]) that are judged on fair
//     infinite runs.
//   - reducible: a search that is stored in a folder (durable). With a bound on depth, --reduce=auto reduces nothing, and
//     --reduce=full only drops messages, as it does after a known violation.
//   - For one event in a state: its step can change a property (visible), a monitor is notified (Outcomes.silent), a fault
//     that is left can affect it (unaffectedByFaults), or it does not commute (singletonAmple).
//   - Package symmetry and package crashes have conditions of their own, besides these.
//
// # Files
//
//	reduction.go                 reducible and Irreducible: what is reduced, or why nothing
//	reducedgraph.go              New; the rounds of a reduction
//	mutations.go                 conditions that tests leave out
//	graph.go                     the edges of the reduced graph
//	ample.go                     one event alone: pick, unaffectedByFaults; claims about local states
//	visibility.go                whether a step can change a property
//	deadmessages.go              datagrams that nothing observes
//	quorums.go                   sets that a quorum can take
//	localsteps.go                known local steps
//	assumptions.go, analysis.go  decides assumptions again; the cycle proviso
//	path.go                      executes a path of the reduced graph
package por
