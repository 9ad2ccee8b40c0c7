// Package randtree is RandTree, a random overlay tree of bounded degree that recovers from failures and
// partitions.
//
// # Protocol
//
// Nodes form one tree in which no node has more than a given number of children, over reliable
// streams with small send buffers. A node is in init until the application asks it to join, then
// joining, then joined. Joiners ask a peer; the request goes to the root of the peer's tree, which
// takes the joiner as a child or sends the request down to a random child, with a mark. Of two
// roots the higher joins the lower: a root that a lower node asks makes that node a root
// (root-force) and joins it. A joiner that hears nothing asks its next peer when the join timer
// fires. All the while a recovery timer makes nodes probe peers outside their family; when a probe
// shows another root, the higher of the two roots is told to join the lower, so that separate trees
// meet again.
//
// A node that loses its parent starts over at the root. When it was the root that is lost, its
// children agree without talking: the lowest of them is the new root, and the others join it.
// A parent may tell a child to look for another place (the application's action shed).
//
// # Source
//
// RandTree of Killian, Anderson, Jhala and Vahdat, "Life, Death, and the Critical Transition: Finding
// Liveness Bugs in Systems Code" (NSDI 2007, extended version), with the seventeen defects described
// there, RT1 to RT17, as switches.
//
// # Properties
//
// Liveness: every node has joined; all nodes agree on one root; parents and children agree. All
// nodes must be up for the last two, and the three together mean one spanning tree. Safety: nobody
// is its own ancestor but the root, whose parent is itself; the recovery timer is armed exactly
// outside init; a joining node takes itself for the root (parameter strict-root). Assertions in the
// code: a node that is made root holds no other root pointer, and none that joins has a parent.
//
// # What had to be added
//
// The published rules alone loop or die once nodes crash and connections break. These were added.
// Where a star stands, leaving that part out makes random walks with faults find a dead or looping
// state; the rest was not seen to be needed in some hundred thousand walks each, and stays because
// it closes a gap that can be argued.
//
//  1. (*) Every change of the root pointer is sent to all children as NewRoot, also the change back
//     to the node itself.
//  2. (*) UpdateSiblings that brings another root is passed down as NewRoot.
//  3. (*) A connection error is handled for the peer as a child and as the parent: it may be both.
//  4. A redirect mark counts only if it names the own root and (*) the parent sent it. Otherwise the
//     tree has changed under the request, which goes back to the root without the mark.
//  5. (*) Join and JoinReply carry the joiner's epoch, a MonotoneTime and therefore new after a
//     restart. It rises at boot, when a parent is lost or taken, and (*) when a root accepts or
//     redirects a joiner, because whoever accepts the root then may sit below that joiner. It does
//     not rise with every attempt: then slow answers would never count. Only an acceptance with the
//     current epoch counts, and only at a node without a parent. Others are answered with Remove.
//  6. A root that accepts or redirects a joiner ends its own joining.
//  7. Loop-error and root-force end joining, but an acceptance that is still on its way counts.
//  8. A node that is joining starts no other attempt because of a Probe or ProbeJoin.
//  9. The search for the next peer ends at the node that was asked last. If that is a child too, all
//     peers are below this node already, and it settles as the root. (*) For that, every node that is
//     asked to take this one in becomes a peer (RT1, RT5 to RT9).
//  10. (*) An acceptance that the send buffer refuses adds no child. (*) Refused NewRoot and
//     UpdateSiblings are sent when there is room, as one UpdateSiblings. (*) So are refused Removes
//     (RT12), unless the peer (*) has failed or is the parent by then.
//  11. (*) A child that becomes the parent stays among the children until its Remove arrives. Each
//     Remove answers one acceptance; dropping the child early lets a Remove that answers an old
//     acceptance undo a new one.
//
// # Over what
//
// The messages travel on the streams of the network or, by the parameter over, on those of package
// transport over datagrams. Streams tell of a crash by themselves. A transport finds out when it sends
// something, so each recovery timer has it check the neighbours. An application above the tree implements
// [Application]; package multicast is one.
//
// # Simplifications
//
// Nobody is refused for lack of rights, so there is no such reply. A Join in init is ignored rather
// than answered. A ProbeJoin at a node that is no root any more is dropped: the next probe finds out.
// A set of nodes is a word, which limits systems to 64 nodes.
package randtree
