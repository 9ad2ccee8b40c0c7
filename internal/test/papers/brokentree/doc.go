// Package brokentree is a bandwidth-optimizing overlay tree that reorganizes itself without checks, and so creates
// loops. It is the textbook mistake that package overcast repairs.
//
// # Protocol
//
// Node 0 is the root. A node joins by sending a Join to it. A Join travels down the tree. Every node on its way
// takes the joiner as a child if it has room, and otherwise passes the Join on to a random child. A joiner without
// an answer sends the Join again by a timer.
//
// Periodically every node sends its children the names of their siblings and of their grandparent. A child may then
// ask one of those to take it, for which bandwidth measurements would be the reason; here it is a choice. It asks
// at once, by the same Join, and changes its parent as soon as it is accepted. Meanwhile the asked node may do the
// same.
//
// A node that loses its parent joins again, together with the nodes below it.
//
// # Source
//
// BrokenTree of Killian, Anderson, Jhala and Vahdat, "Life, Death, and the Critical Transition: Finding
// Liveness Bugs in Systems Code" (NSDI 2007, extended version), with the defects BT1 and BT2 described
// there. The protocol is that of Overcast (OSDI 2000) without its measurements and locks.
//
// # Simplifications
//
//   - Bandwidth is not measured: whether to move, and where to, are choices.
//   - Messages refused by a full send buffer are lost; periodic messages make up for most of them.
//
// # What had to be added
//
// Nothing makes this protocol correct. Without BT2 a node refuses a node that it has itself asked. That keeps three
// nodes free of loops without failures. With four nodes each of three siblings may still ask the next. Therefore
// freedom from loops is checked only with the parameter no-loop, which is a default of BT2.
//
// # Properties
//
// Always:
//
//   - no node is its own parent;
//   - with the parameter no-loop, following parents from any node leads to a node without one.
package brokentree
