// Package register is regular storage: one writer and several readers keep a value at base objects, any minority of
// which may fail.
//
// # Protocol
//
// A write has a time stamp and is complete when a majority of the base objects has acknowledged it. A read asks all
// base objects and returns the latest value in the answers of a majority. Node 0 is the writer, followed by the
// base objects and the readers.
//
// # Source
//
// Attiya, Bar-Noy, Dolev, "Sharing memory robustly in message-passing systems" (JACM 1995), without the second
// phase of reads, so the register is regular, not atomic. The form is that of Bokor, Kinder, Serafini, Suri,
// "Efficient Model Checking of Fault-Tolerant Distributed Protocols" (DSN-DCCS 2011), with its settings (base
// objects, readers) (3,1) and (3,2), its wrong specification (--set spec=wrong), and that of Saissi, Bokor,
// Serafini, Suri, "To Crash or Not To Crash" (2013).
//
// # Simplifications
//
//   - A value is its time stamp.
//   - Acknowledgements are counted regardless of the sender: the network must not duplicate datagrams.
//   - Base objects may crash and keep their disks. The writer and the readers, which have no disk, crash only forever.
//
// # Properties
//
// Monitor: regularity, a read returns at least the last value that was written completely when the read began. The
// wrong specification demands the last value that was written completely when the read ended.
//
// With the defaults, two writes and two reads, it has 585,339 states.
package register
