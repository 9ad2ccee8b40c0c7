// Package randtree is RandTree, a random overlay tree of bounded degree that recovers from failures and
// partitions.
//
// # Protocol
//
// Nodes form one tree, in which no node has more than a given number of children, over reliable streams with small send
// buffers. A node is in init until the application asks it to join, then joining, then joined. Joiners ask a peer. The
// request goes to the root of the peer's tree, which takes the joiner as a child or forwards the request to a random
// child, with a mark. Of two roots the higher joins the lower: a root that receives a request from a lower node makes
// that node a root (root-force) and joins it. A joiner without an answer asks its next peer when the join timer fires.
// A recovery timer makes nodes probe peers outside their family. If a probe shows another root, the higher of the two
// roots is told to join the lower, so that separate trees merge again.
//
// A node that loses its parent starts over at the root. If the lost parent was the root, its children agree without
// communication: the lowest of them is the new root, and the others join it. A parent may tell a child to look for
// another place (the application's action shed).
//
// # Source
//
// RandTree of Killian, Anderson, Jhala and Vahdat, "Life, Death, and the Critical Transition: Finding
// Liveness Bugs in Systems Code" (NSDI 2007, extended version), with the seventeen defects described
// there, RT1 to RT17, as switches.
//
// # Properties
//
// Liveness: every node has joined; all nodes agree on one root; parents and children agree. All nodes must be up for
// the last two, and the three together mean one spanning tree. Safety: no node is its own ancestor except the root,
// which is its own parent; the recovery timer is armed exactly outside init; a joining node takes itself for the root
// (parameter strict-root). Assertions in the code: a node that is made root has no other root pointer, and a node that
// joins has no parent.
//
// # Additions to the source
//
// The published rules alone loop or get stuck once nodes crash and connections break. The following rules were added. A
// star means that without this part random walks with faults find a dead or looping state. The other parts were not
// needed in some hundred thousand walks each. They remain because each closes a gap that can be argued.
//
//  1. (*) Every change of the root pointer is sent to all children as NewRoot, also the change back
//     to the node itself.
//  2. (*) UpdateSiblings that brings another root is passed down as NewRoot.
//  3. (*) A connection error is handled for the peer as a child and as the parent: it may be both.
//  4. A redirect mark counts only if it names the own root and (*) the parent sent it. Otherwise the tree has changed
//     since, and the request goes back to the root without the mark.
//  5. (*) Join and JoinReply carry the joiner's epoch, a MonotoneTime and therefore new after a restart. It increases at
//     boot, when a parent is lost or taken, and (*) when a root accepts or redirects a joiner, because the node that
//     accepts the root afterwards may be below that joiner. It does not increase with every attempt, as slow answers would
//     then never count. Only an acceptance with the current epoch counts, and only at a node without a parent. Others are
//     answered with Remove.
//  6. A root that accepts or redirects a joiner ends its own joining.
//  7. Loop-error and root-force end joining, but an acceptance still in flight counts.
//  8. A node that is joining does not start another attempt because of a Probe or ProbeJoin.
//  9. The search for the next peer ends at the node that was asked last. If that is a child, too, all peers are below
//     this node already, and it settles as the root. (*) For that, every node that is asked to take this one in becomes a
//     peer (RT1, RT5 to RT9).
//  10. (*) An acceptance that the send buffer refuses does not add a child. (*) Refused NewRoot and UpdateSiblings are
//     sent once there is room, as one UpdateSiblings. (*) So are refused Removes (RT12), unless the peer (*) has failed or
//     is the parent by then.
//  11. (*) A child that becomes the parent stays among the children until its Remove arrives. Each Remove answers one
//     acceptance. If the child were dropped early, a Remove that answers an old acceptance would undo a new one.
//
// # Transports and applications
//
// The messages travel on the streams of the network or, with the parameter over, on those of package transport over
// datagrams. Streams report crashes by themselves. A transport detects a crash only when it sends, so each recovery
// timer makes it check the neighbours. An application above the tree implements [Application]; package multicast is
// one.
//
// # Simplifications
//
// Requests are never refused for lack of rights, so the protocol lacks that reply. A Join in init is ignored, not
// answered. A ProbeJoin at a node that has ceased to be a root is dropped: the next probe repeats it. A set of nodes is
// a word, which limits systems to 64 nodes.
package randtree
