// Package pastry is Pastry, the key-based routing overlay, with the five defects that the MaceMC paper
// found in its implementation, P1 to P5, as switches.
//
// # Protocol
//
// The key of a node is a position on a ring, the hash of its address, and a key is owned by the node
// that is closest to it. A node is preJoining until the application asks it to join, then joining, then
// joined. It stores
//
//   - its leaf set, in two halves: the nodes next to it on either side, and for each half the bound, its furthest node.
//     Every leaf has itself confirmed that it is a member;
//   - its routing table: row r holds nodes with keys that share exactly r digits with its own, in cells by their next
//     digit, up to ten in each. Cells may contain nodes known by hearsay.
//
// A message for the owner of a key goes to the closest leaf if the key is within the bounds of the leaf set. Otherwise
// it goes to a node of the table that shares one more digit with the key, or else (the rare case) to the closest known
// node.
//
// A Join is routed to the owner of the joiner's key, but never to the joiner. Every node on the way sends the rows that
// it shares with the joiner, from the first one that the joiner still needs. The owner sends the others and its leaf
// set. Each row is a message; messages that do not fit into the send buffer are lost. When the join timer fires, the
// joiner asks again, from the first missing row. Once it has everything, it is a member. It informs all nodes that it
// has learned of, and reports to the senders the age of their information; they send what has changed since.
//
// A member that learns of a node that belongs in its leaf set asks it for an Inform, and adds it when that arrives.
// Connection errors remove a node from leaf set and table. By timers a member exchanges a row with a node of that row,
// and leaf sets with its furthest leaves. By another timer it looks for separate rings. It asks the nodes through which
// it once joined, and then each closer node that it is referred to, for the node next to its own key. That node reports
// whether it knows the member; if not, the two introduce themselves. These probes are datagrams. All other messages
// travel on streams, or with the parameter over on package transport, over datagrams as well. A restart of a node is
// then detected when something is sent to it; the timers send to all relevant nodes.
//
// The driver makes all nodes join through node 0, again after every start. Node 0 starts a ring alone.
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
//   - Every node can hash an address, so messages carry addresses and keys are derived. Tables are sets of addresses;
//     the key determines the row and cell of a node. A set is a word, which limits systems to 64 nodes. Short keys are
//     the first bits of long ones.
//   - All nodes are equally near. A full cell keeps its nodes.
//   - Time stamps count the changes of a node's leaf set and table.
//   - Applications look up owners of keys (parameter lookups) and do nothing else. Nodes leave only by crashing.
//   - Applications act independently, so joins overlap: a node may contact node 0 while others are joining, or before
//     node 0 has joined itself.
//
// # Additions to the source
//
// The paper has no fix for P5. Here a node that has not joined neither answers nor forwards a Join. A Join from the
// joiner itself waits until the node has joined. A forwarded Join was sent by a node that takes this node for a member,
// on hearsay from before its restart; that node is told to remove it. A Join also removes hearsay about the joiner from
// the table of every node that it reaches, since different nodes may route two joins to each other's senders. A leaf
// stays: it was a member when it became one, and a connection error would report a restart, so the Join is an old one.
// The defect P4 omits all of this, because it predates P5.
//
// Three more rules make recovery faster; without any one of them recovery was still found to be possible. A node that
// adds a leaf informs it, so that the relation is mutual. A node that loses a leaf looks for another in its table. A
// message that was once routed by distance stays so, since a table and leaf sets that disagree could send it back and
// forth.
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
//
// # Files
//
//	node.go                   the state of a node, its handlers and timers
//	join.go                   when a joiner has everything; what its helpers send
//	leafset.go, table.go      which nodes are in the leaf set, and in the routing table
//	route.go                  the next hop towards a key; lookups
//	maintain.go               what members exchange; when a node is added or removed
//	recovery.go               how separate rings find each other
//	key.go, space.go, set.go  keys, the ring and rows; sets of nodes
//	messages.go               messages
//	properties.go             properties
//	system.go, bugs.go        parameters; the defects P1 to P5
package pastry
