// Package detector is a failure detector as machines (package machine).
//
// # Protocol
//
// The detector pings all nodes that it believes to be up, over lossy sends, and pings those that have not answered
// again when its timer fires. A node that misses two pings is down, which the detector reports to the client. Then
// it rests, and starts again.
//
// # Source
//
// The fourth tutorial of the language P (p-org.github.io), which is the same program in P. The tutorial's property
// is one of progress; it asks its readers to think about the defects FD1 and FD2.
//
// # Simplifications
//
// There are two attempts instead of three. The timer and the network are the checker's. A live node counts as dead
// if both pings are lost: the tutorial does not require accuracy.
//
// # Properties
//
// Monitor: a node that was shut down must be detected (hot until then). Eventually: the client knows which nodes
// are down.
package detector
