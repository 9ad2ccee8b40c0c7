// Package register is regular storage: one writer, and readers, keep a value at base objects, any minority of which may fail.
//
// # Protocol
//
// A write has a time stamp and is complete when a majority of the base objects has acknowledged it. A read asks all base objects
// and returns the latest value of those that a majority answers. Node 0 is the writer, then come the base objects, then the readers.
//
// # Source
//
// Attiya, Bar-Noy, Dolev, "Sharing memory robustly in message-passing systems" (JACM 1995), without the second phase of reads, so that
// the register is regular, not atomic; in the form of Bokor, Kinder, Serafini, Suri, "Efficient Model Checking of Fault-Tolerant
// Distributed Protocols" (DSN-DCCS 2011), with its settings (base objects, readers) (3,1) and (3,2), its wrong specification (--set spec=wrong),
// and that of Saissi, Bokor, Serafini, Suri, "To Crash or Not To Crash" (2013).
//
// # Simplifications
//
//   - A value is its time stamp.
//   - Acknowledgements are counted, whoever sends them: the network must not duplicate datagrams.
//   - Base objects may crash and keep what they have on disk; the writer and the readers, which keep nothing, crash only for ever.
//
// # Properties
//
// Monitor: regularity, a read returns at least what was written completely when it began. The wrong specification demands what was written
// completely when it ended.
//
// With the defaults, two writes and two reads, it has 585,339 states.
package register
