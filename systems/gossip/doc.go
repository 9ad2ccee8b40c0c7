// Package gossip is a membership service over datagrams: every node determines which nodes are alive, by probes,
// suspicions and refutations. It demonstrates the timing modes of a check, and what each can prove.
//
// # Protocol
//
// In every period a node pings one other node, drawn at random. Without an Ack after half a period it asks some other
// nodes to ping that node on its behalf. If neither an answer nor news of a later incarnation has arrived by the end of
// the period, the node is suspected. After some periods of suspicion it is declared dead.
//
// Every message contains the incarnation of its sender, and the sender's belief about the receiver if that is bad. A
// node that learns that it is suspected or dead refutes this by starting its next incarnation. Suspects are pinged in
// every period, so that they learn of the suspicion.
//
// News spreads with messages: each carries a bounded number of updates, those sent least often, and each update is sent
// a bounded number of times. News of a later incarnation replaces news of an earlier one. Within one incarnation dead
// replaces suspect, and suspect replaces alive.
//
// A node that crashes boots in a new incarnation: the next one is on disk before the current one is visible to others.
// Dead nodes are pinged too, so that they learn of it and come back. With rejoin=false death is final: a node that
// learns of its own death, or boots again, stays out.
//
// # Timing
//
// Meaning of the modes for time-outs:
//
//   - Prompt: a time-out is longer than any message delay, and fires only if no message is in flight.
//   - ByDeadline: time-outs of one node are in order, but a message may take longer than any of them.
//   - AnyOrder: a time-out may fire at any moment.
//
// No choice of time-outs makes a failure detector correct in the last two modes: a live node with slow messages looks
// like a dead one. It can only guarantee that errors are temporary. The table shows the checker's results for each property
// alone: "proved" if all states were visited, "not found" if a bounded search finds no violation. A test verifies it.
// The first "not found" takes too long for a test, but "macemc search gossip --strategy bfs --memory 1000 --property
// 'no live node is declared dead'" proves it with 7,457,562 states.
//
//	timing      nodes  suspicion  rejoin  crashes  losses  false death  agreement
//	Prompt      3      2          true    0        0       proved       proved
//	Prompt      8      2          true    0        0       proved       proved
//	Prompt      3      2          true    1        0       proved       proved
//	Prompt      3      2          true    0        2       proved       proved
//	Prompt      2      2          true    1        2       proved       proved
//	Prompt      2      2          true    0        3       proved       proved
//	Prompt      2      2          true    0        4       violated     proved
//	Prompt      3      2          true    1        2       not found    not found
//	Prompt      3      1          true    1        2       violated     not found
//	Prompt      3      0          true    0        1       proved       proved
//	Prompt      3      0          true    0        2       violated     proved
//	Prompt      2      2          false   1        2       proved       proved
//	Prompt      2      0          false   0        2       violated     violated
//	ByDeadline  3      2          true    0        0       violated     not found
//	AnyOrder    3      2          true    0        0       violated     not found
//	AnyOrder    3      2          true    1        2       violated     not found
//	AnyOrder    3      2          false   0        0       violated     violated
//
// Notes on some rows. With two nodes there are no helpers, so a suspicion of two periods means that three more messages
// must be lost after the first. With one period and three nodes a crash and two losses suffice: the prober loses its
// helper, and a node that learns of the suspicion in the middle of a period has time for one ping only. If death is
// final, two nodes that have declared each other dead stay separated.
//
// # Source
//
// SWIM (Das, Gupta, Motivala: "SWIM: Scalable Weakly-consistent Infection-style Process Group
// Membership Protocol", DSN 2002), sections 3 and 4. Telling suspects of the suspicion at once is from Lifeguard
// (Dadgar, Phillips, Currey, DSN 2018). Implementations commonly ping dead nodes and let them come back.
//
// # Additions to the source
//
// Incarnations are on disk, for nodes that restart.
//
// # Simplifications
//
//   - All nodes know each other from the start; none joins or leaves on purpose.
//   - The target of a probe is drawn anew in each period, not from a shuffled round, which would be additional state.
//   - Messages have no sequence numbers, which would make states unbounded: an Ack of an earlier period also counts. It
//     contains its sender's incarnation, so it cannot hide a crash for long.
//   - A node that pings for another keeps no state: the Ping and its Ack name the requester.
//
// Under Prompt the number of states is finite for all fault limits: a node suspects another only after a fault, so the
// faults bound the incarnations. In the other modes a live node may have to refute without end, so they are unbounded.
//
// # Properties
//
// Always:
//
//   - no live node is declared dead: no node believes a participating node to be dead in an incarnation that it has had
//     since it booted.
//
// In some state that stays reachable:
//
//   - all live nodes agree on who is alive: every participating node believes that exactly the participating nodes are
//     alive and all others are dead.
//
// Sometimes:
//
//   - a live node has refuted a suspicion.
//
// # Bugs
//
// GS1 to GS4 are ordinary mistakes, not from the source: a refutation with the suspected incarnation, a timer that
// outlives its suspicion, an answer that is not forwarded, and an incarnation that is not on disk.
package gossip
