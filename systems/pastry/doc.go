// Package pastry is Pastry, the key-based routing overlay, with the five defects that the MaceMC paper
// found in its implementation, P1 to P5, as switches.
//
// # Protocol
//
// The key of a node is a position on a ring, the hash of its address, and a key is owned by the node
// that is closest to it. A node is preJoining until the application asks it to join, then joining, then
// joined. It knows
//
//   - its leaf set: in two halves, the nodes that are next on either side, and of each half the bound,
//     its furthest node. A leaf has shown itself to be a member;
//   - its routing table: row r holds nodes whose keys agree with its own in exactly r digits, in cells
//     by their next digit, up to ten in each. Hearsay is good enough for a cell.
//
// A message for the owner of a key goes to the closest leaf when the key is within the bounds of the
// leaf set, else to a node of the table whose key agrees with it in one digit more, else (the rare
// case) to the closest node that is known.
//
// A Join is routed to the owner of the joiner's key, but never to the joiner. Every node on the way
// sends the rows that it shares with the joiner, from the one that the joiner still needs; the owner
// sends the others and its leaf set. Each row is a message, and what the send buffer has no room for is
// lost. When the join timer fires the joiner asks again, from the first row that is missing. When all
// has come it is a member, informs all nodes that it has heard of, and tells those that sent something
// how old that is by now; they send what has changed since.
//
// Members that hear of a node which belongs into their leaf set ask it to inform them, and take it in
// when it does. Connection errors remove a node from leaf set and table. By timers a member exchanges a
// row with a node of it, and leaf sets with its furthest leaves. By another it looks for separate rings:
// it asks the nodes that it once joined by, and then each closer one that it is told of, for the node
// next to its own key. That one says whether it knows the member; if not the two introduce themselves.
// These probes are datagrams, all else travels on streams, or by the parameter over on package transport,
// over datagrams as well. That a node has restarted is then noticed when something is sent to it; the
// timers send to all nodes that matter.
//
// The driver has all nodes join through node 0, again after every start. Node 0 begins a ring alone.
//
// # Source
//
// Rowstron and Druschel, "Pastry: Scalable, decentralized object location and routing for large-scale
// peer-to-peer systems" (Middleware 2001), in the variant that Killian, Anderson, Jhala and Vahdat
// describe in "Life, Death, and the Critical Transition: Finding Liveness Bugs in Systems Code" (NSDI
// 2007, extended version), with the defects P1 to P5 of the latter.
//
// # Simplifications
//
//   - Everybody can hash an address, so messages carry addresses and keys are derived. Tables are sets
//     of addresses; the key says in which row and cell a node is. A set is a word, which limits systems
//     to 64 nodes. Short keys are the first bits of long ones.
//   - All nodes are equally near. A full cell keeps what it has.
//   - Time stamps count the changes of a node's leaf set and table.
//   - Applications look up owners of keys (parameter lookups) and do nothing else. Nobody leaves but by
//     a crash.
//   - What an application may do is up to its own node, so joins overlap: a node may ask node 0 while
//     others are joining, or before node 0 has joined itself.
//
// # What had to be added
//
// For P5 the paper has no fix. Here a node that has not joined neither answers nor forwards a Join. One
// that came from the joiner itself waits until the node has joined. If it was forwarded, then by somebody
// who takes the node for a member, on hearsay from before its restart, and who is told to remove it. And
// a Join drops hearsay about the joiner from the table of every node that it comes to, since two joins
// may be routed to each other's senders by different nodes. A leaf stays: it was a member when it
// became one, and had it restarted, a connection error would tell; the Join is an old one. The defect P4
// leaves all this out, too: it came before P5.
//
// Three more rules make recovery faster; without any one of them it was still found to be possible. Who
// takes in a leaf tells it, so that it is one on both sides. Who loses a leaf looks for another in its
// table. A message that was routed by distance once is so from then on, since table and leaf sets that
// do not agree could send it back and forth.
//
// # Properties
//
// In some state that stays reachable, all nodes being up:
//
//   - every node has joined;
//   - right neighbours lead from each node to all nodes;
//   - leaf sets are symmetric.
//
// Always:
//
//   - the halves of a leaf set are not too large, and their bounds are their furthest nodes;
//   - no node gets a Join that it sent.
//
// Sometimes, with the parameter lookups:
//
//   - a lookup reaches the node whose key it is for.
package pastry
