// Package overcast is a bandwidth-optimising overlay tree: nodes compare the bandwidth from their
// parent with that from a sibling or their grandparent, and move.
//
// # Protocol
//
// Node 0 is the root. A node joins by sending a Join to it. A node that has room takes the joiner as a
// child, else it passes the Join on to a random child. A joiner that gets no answer sends the Join
// again by a timer.
//
// From time to time every node tells its children who their siblings and their grandparent are. A
// child may then probe its parent and one of those. It first locks both: a node that is locked, or
// that probes others itself, takes no other lock and no joiner, and begins no probe. When both are
// locked a train of messages goes to each. When both trains have been answered the node decides. If it
// moves, the new parent takes it, it leaves the old one, and it unlocks both.
//
// A lock ends when it is unlocked, when the connection to its holder fails or the holder dies, and in
// any case after a while, by a timer. An unlock that the transport refuses is sent when there is room.
// A probe ends when one of the two refuses or is lost, or by a timer. A node that loses its parent
// joins again, along with the nodes below it.
//
// # Rounds
//
// A lease can end while its holder still counts on it, so locks do not keep the tree free of loops. This
// does: the root counts rounds. It begins one when it tells its children where they may move to, and
// when a joiner knows of the latest already. A node hears of a round from its parent, or when it takes a
// parent. It takes another as its parent only if that knows of a later round than itself. Rounds never
// fall: they are on disk before anybody hears of them. So a node never knows of a later round than its
// parent, and whoever is below it never of a later one than itself: it cannot take one of those as its
// parent. A node that begins a probe leaves the round that it is told unheard, so that a sibling which has
// heard of it may take it.
//
// # Source
//
// Overcast (Jannotti and others, OSDI 2000) in the form that was checked by Killian, Anderson, Jhala and
// Vahdat, "Life, Death, and the Critical Transition: Finding Liveness Bugs in Systems Code" (NSDI 2007,
// extended version), with the defect OV1 described there.
//
// # Simplifications
//
//   - Times are not measured: which node to probe and what the comparison says are choices.
//   - There is no content to distribute, and the root is not replicated.
//   - A node that has fallen behind asks the root for a place, not an ancestor.
//
// # What had to be added
//
// The source says how the locks went wrong, not how they should be:
//
//   - leases, release on an error of the connection, and unlocks that are sent again;
//   - an answer to a lock that comes when the probe has ended is itself answered by an unlock;
//   - rounds. With locks alone, random walks find a loop of five nodes with one child each, one crash
//     and two socket errors within seconds;
//   - a Join that is passed down the tree counts only if it comes from the parent: the round that it
//     carries must be the parent's;
//   - a node that was accepted by somebody whom it does not need any more, also one that has restarted
//     since, answers Remove; a Remove that the transport refuses is sent when there is room.
//
// # Properties
//
// In some state that stays reachable:
//
//   - all nodes are in one tree: following children from the root meets every node, all have joined, and
//     one is a child of another exactly when that is its parent.
//
// Always:
//
//   - there is no loop: following parents from any node leads to a node without one, or that is down.
package overcast
