// Package gossip is a membership service on datagrams: every node finds out who is alive, by probes,
// suspicions and refutations. It shows what the timing modes of a check mean, and what each proves.
//
// # Protocol
//
// In every period a node pings one other, drawn at random. When no Ack has come after half a period it
// asks some others to ping that node for it. When no answer, nor news of a later incarnation, has come by
// the end of the period the node is suspected, and when that has lasted for some periods it is declared
// dead.
//
// Every message says in which incarnation its sender is, and what that believes of the receiver if it
// believes anything bad. A node that hears that it is suspected or dead refutes: it begins the next
// incarnation. Suspects are pinged in every period, so that they hear of it.
//
// News spreads with messages: each carries a bounded number of updates, those that were told least often,
// and each update is told a bounded number of times. News of a later incarnation replaces that of an
// earlier one; within one incarnation dead replaces suspect, and suspect alive.
//
// A node that crashes boots in an incarnation that it was never in: the next one is on disk before
// anybody hears of one. The dead are pinged too, so that they hear of it and come back. With
// rejoin=false death is final instead: a node that hears of its own, or boots again, is out.
//
// # Timing
//
// What the modes say of time-outs:
//
//   - Prompt: a time-out is longer than any message takes, and fires only when none is in flight.
//   - ByDeadline: time-outs of one node are in order, but a message may take longer than any of them.
//   - AnyOrder: a time-out may fire at any moment.
//
// A detector of failures by time-outs cannot be right in the last two, whatever its time-outs are: a live
// node whose messages are slow looks like a dead one. What it can promise there is that errors pass.
// The table says what the checker finds for both properties, alone: "proved" when all states there
// are were visited, "not found" when a bounded search finds nothing. A test runs it. The first "not
// found" takes too long for a test, not for "macemc search gossip --strategy bfs --memory 1000
// --property 'no live node is declared dead'": 7,457,562 states, and it is proved too.
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
// Some rows to look at. With two nodes there is nobody to ask, so two of suspicion's periods make
// three more messages that must be lost after the first. With one period and three nodes a crash and
// two losses do: who asks loses its helper, and who hears of the suspicion in the middle of a
// period has time for one ping only. Where death is final two nodes that have declared each other dead
// never meet again.
//
// # Source
//
// SWIM (Das, Gupta, Motivala: "SWIM: Scalable Weakly-consistent Infection-style Process Group
// Membership Protocol", DSN 2002), sections 3 and 4. That suspects are told so at once is from Lifeguard
// (Dadgar, Phillips, Currey, DSN 2018); that dead nodes are pinged and come back is common in
// implementations.
//
// # What had to be added
//
// Incarnations are on disk, for nodes that restart.
//
// # Simplifications
//
//   - All nodes know of each other from the start; nobody joins or leaves on purpose.
//   - Whom to probe is drawn anew in each period, not from a shuffled round, which would be state.
//   - There are no sequence numbers, which would make states unbounded: an Ack of an earlier period
//     counts too. It shows its sender's incarnation, so it cannot hide a crash for long.
//   - A node that pings for another remembers nothing: the Ping and its Ack say for whom they are.
//
// Under Prompt the number of states is finite for any limits of faults: only a fault makes a node
// suspect another, so incarnations are bounded by the faults. In the other modes a live node may have to
// refute for ever, and there is no bound.
//
// # Properties
//
// Always:
//
//   - no live node is declared dead: nobody believes a node that takes part to be dead in an incarnation
//     that it has been in since it booted.
//
// In some state that stays reachable:
//
//   - all live nodes agree on who is alive: exactly those that take part are alive, and all others are
//     dead, for all that take part.
//
// Sometimes:
//
//   - a live node has refuted a suspicion.
//
// # Bugs
//
// GS1 to GS4 are ordinary mistakes, none is from the source: a refutation by the incarnation that is
// suspected, a timer that outlives its suspicion, an answer that is not passed on, and an incarnation
// that is not on disk.
package gossip
