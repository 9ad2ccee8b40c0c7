// Package recording stores the inputs of live nodes, and merges the recordings of all nodes of a system into one
// run of that system.
//
// # What is recorded
//
// Each start of a node writes its own files: a header, then one record for each event that its service handled. A
// record has the message with its content, the timer, the action or the error; the answers to the handler's
// questions; the observed room in send buffers; and the kinds of its effects, with a digest of sent messages. The
// event and the answers determine the handler's behavior, so nothing more is needed. At intervals the fingerprint
// of the node's state is added for comparison.
//
// A record is passed to the operating system before anything that the event's handler sent leaves the process. So
// every input of a node has a recorded cause. A process that is killed loses at most the events since its
// last commit, whose effects have not left the process.
//
// # Causes
//
// Every message carries its sender's start and its number. So each record names the event that it depends on
// directly, and vector clocks are computed on reading (Fowler and Zwaenepoel, "Causal Distributed Breakpoints",
// ICDCS 1990) at a constant cost per message.
//
// # Merging
//
// [Merge] executes the recorded events in a simulated world. The next event is the earliest one, by its recorded time,
// that the network model allows. If none is possible, a fault is injected that makes one possible. After each event,
// effects and fingerprints are compared with the recorded ones. The first difference is a [Disagreement] and ends the
// run.
//
// # Recorded files
//
// A file is named after node, start and part, as in n3-0002-0001.rec. It consists of records with length and
// CRC-32C. The reader detects torn or damaged files, and reads them up to the damage.
//
// # Files
//
//	record.go   Header, Event: the content of a record, and its encoding
//	writer.go   when records reach the operating system; when a recording is full
//	reader.go   reads the recordings of all nodes; damage
//	merge.go    Merge, Reach: the merged run and its path
//	index.go    which start a message arrives at; last events of a killed node that are dropped
//	cursor.go   a node's position in its recordings
//	order.go    which recorded event is next, and which are postponed
//	execute.go  executes an event; duplicates, crashes
//	repair.go   which fault makes the next event possible; when a recording is abandoned
//	answers.go  replays the answers to a handler's questions
//	compare.go  compares effects and states with the recorded ones
package recording
