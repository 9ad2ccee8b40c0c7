// Package overcast is a bandwidth-optimizing overlay tree: nodes compare the bandwidth from their parent with that
// from a sibling or their grandparent, and move.
//
// # Protocol
//
// Node 0 is the root. A node joins by sending a Join to it. A node with room takes the joiner as a child, and
// otherwise passes the Join on to a random child. A joiner without an answer sends the Join again by a timer.
//
// Periodically every node sends its children the names of their siblings and of their grandparent. A child may then
// probe its parent and one of those. It first locks both. A node that is locked, or that probes others itself,
// accepts no other lock and no joiner, and begins no probe. When both are locked a train of messages goes to each.
// When both trains have been answered the node decides. If it moves, the new parent takes it, it leaves the old
// one, and it unlocks both.
//
// A lock ends when it is released, when the connection to its holder fails or the holder dies, and in any case by a
// timer. An unlock that the transport refuses is sent when there is room. A probe ends when one of the two nodes
// refuses or is lost, or by a timer. A node that loses its parent joins again, together with the nodes below it.
//
// # Rounds
//
// A lease can end while its holder still relies on it, so locks do not keep the tree free of loops. Rounds do. The
// root counts rounds. It begins one when it offers its children other parents, and when a joiner already knows the
// latest one. A node learns of a round from its parent, or when it takes a parent. It takes another node as its
// parent only if that node knows a later round. Rounds never decrease: they are on disk before they are sent. So a
// node never knows a later round than its parent, and no descendant knows a later round than the node: it cannot
// take a descendant as its parent. A node that begins a probe ignores the round in the offer, so that a sibling
// that has learned it may take the node.
//
// # Source
//
// Overcast (Jannotti and others, OSDI 2000) in the form checked by Killian, Anderson, Jhala and Vahdat, "Life,
// Death, and the Critical Transition: Finding Liveness Bugs in Systems Code" (NSDI 2007, extended version), with
// the defect OV1 described there.
//
// # Simplifications
//
//   - Times are not measured: the node to probe and the result of the comparison are choices.
//   - No content is distributed, and the root is not replicated.
//   - A node that has fallen behind asks the root for a place, not an ancestor.
//
// # What had to be added
//
// The source describes the defects of the locks, not the remedy:
//
//   - leases, release on an error of the connection, and unlocks that are sent again;
//   - an answer to a lock after the end of the probe is itself answered by an unlock;
//   - rounds. With locks alone, random walks find a loop of five nodes with one child each, one crash
//     and two socket errors within seconds;
//   - a Join that is passed down the tree counts only if it comes from the parent: its round must be the parent's;
//   - a node accepted by a node that it does not need any more, perhaps after a restart, answers Remove; a Remove
//     that the transport refuses is sent when there is room.
//
// # Properties
//
// In some state that stays reachable:
//
//   - all nodes are in one tree: following children from the root visits every node, all have joined, and
//     a node is a child of another exactly if that is its parent.
//
// Always:
//
//   - no loop: following parents from any node leads to a node without one, or one that is down.
package overcast
