// Package detector is a failure detector as machines (package machine).
//
// # Protocol
//
// The detector pings all nodes that it believes to be up, over sends that may be lost, and again those that have not answered
// when its timer fires. Who has not answered two pings is down, of which it tells the client; then it rests, and starts again.
//
// # Source
//
// The fourth tutorial of the language P (p-org.github.io), which is the same program in P. The tutorial's property is one of
// progress; the defects FD1 and FD2 are what readers are asked to think about.
//
// # Simplifications
//
// Two attempts, not three; the timer and the network are the checker's. A node that answers is taken for dead when both pings
// are lost: the tutorial does not ask for accuracy.
//
// # Properties
//
// Monitor: what is shut down is owed to be detected (hot until then). Eventually: the client knows who is
// down.
package detector
