// Package brokentree is a bandwidth-optimising overlay tree that reorganises itself without asking
// whether it is safe to, and so makes loops. It is the textbook mistake that package overcast mends.
//
// # Protocol
//
// Node 0 is the root. A node joins by sending a Join to it; a Join travels down the tree, and every
// node on its way has its say: it takes the joiner as a child if it has room, else it passes the Join
// on to a random child. A joiner whose Join was lost sends it again by a timer.
//
// From time to time every node tells its children who their siblings and their grandparent are. A
// child may then ask one of those to take it instead, for which bandwidth measurements would be the
// reason; here it is a choice. It asks at once, by the same Join, and changes its parent as soon as
// it is accepted. Meanwhile the node that it asked may do the same.
//
// A node that loses its parent joins again, along with the nodes below it.
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
//   - What a full send buffer refuses is lost; periodic messages make up for most of it.
//
// # What had to be added
//
// Nothing makes this protocol correct. Without BT2 a node refuses one that it has itself asked, which
// keeps three nodes free of loops while nothing fails; with four, each of three siblings may still ask
// the next. Therefore freedom from loops is checked only when the parameter no-loop is set, as it is
// by the defaults of BT2.
//
// # Properties
//
// Always:
//
//   - no node is its own parent;
//   - with the parameter no-loop, following parents from any node leads to a node without one.
package brokentree
