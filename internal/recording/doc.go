// Package recording keeps what live nodes were given, and turns the recordings of all nodes of a system
// into one run of that system.
//
// # What is recorded
//
// Each start of a node writes files of its own: a header, then one record for each event that its
// service handled: the message with its content, the timer, the action or the error; the answers to
// the handler's questions, the room in send buffers that it saw, and which effects it asked for, with
// a digest of what it sent. From the event and the answers the handler's behaviour follows, so that no
// more is needed. Now and then the fingerprint of the node's state is added, to compare with.
//
// A record is in the hands of the operating system before anything that the event's handler sent
// leaves the process: whatever any node was given has a recorded cause. A process that is killed at
// any moment loses at most its last event, which then nobody has seen.
//
// # Causes
//
// Every message carries which start of its sender sent it, and its number. So each record says on
// which event it depends directly, and vector clocks follow on reading (Fowler and Zwaenepoel, "Causal
// Distributed Breakpoints", ICDCS 1990) at a constant cost per message.
//
// # Files
//
// A file is named after node, start and part, as in n3-0002-0001.rec, and consists of records with
// length and CRC-32C. What is torn or damaged is found when it is read, together with how far the file
// is good.
package recording
