// Package filesystem simulates the files in the data directory of a node, for package os and for system calls on descriptors.
//
// A program sees each change at once. Two layers determine what it finds after a crash: the records on the disk of the model, and the
// changes that survive among them.
//
// # Records
//
// Each operation that changes something becomes a filetree.Change. [FS] applies it to its tree and requests an effect that puts the encoded
// change on the node's disk, under the next number. The effects of a step happen in order at its end, or up to one of them if the node
// crashes within the step. The disk (memdisk, in internal/kernel) keeps a put or a delete pending until the next sync effect. A crash of
// the node keeps a prefix of the pending ones, whichever files they belong to.
//
// Three operations request a sync effect, each after its own records:
//
//   - a sync of a file or a directory that has unsynced changes, also by a write with O_SYNC;
//   - [FS.FlipBit];
//   - [FS.Save] at a boot, which replaces all records by an image of the tree.
//
// A sync effect makes every pending record durable, including those of other files. It makes none of their changes durable, because the
// second layer chooses among the records. A lost sync has a record, which traces show, and no sync effect. A sync of a file without
// unsynced changes has neither, and cannot be lost.
//
// # Changes
//
// The next boot reads the records that are left (filetree.Restore), and filetree.crash alone decides which changes survive. A crash that
// loses pending records adds no outcome, because filetree.crash could drop their changes, too. Only records of syncs, flips and images
// force an outcome. They are pending only in a crash within the step that makes them.
//
// Change.Changed lists the inodes that a change modifies, and whose sync makes it durable:
//
//	operation                         Changed
//	write, truncation                 the file
//	creation, mkdir, removal          the directory of the entry
//	rename                            the old and the new directory; a sync of either suffices
//	sync, lost sync, flip of a bit    none
//
// For each inode, a prefix of the changes that have it in Changed survives: at least those before its last sync, and perhaps the first half
// of the next write. Changes of different inodes have no order. The creation of a file and its content are therefore independent: without a
// sync of the directory, a synced file may be lost. A rename between two directories survives in both or in neither.
//
// A change without inodes in Changed is part of no prefix, so it survives with its record. A sync only raises the number of changes that
// must survive. A flip inverts the bit in whatever the file holds there after the crash. Its sync effect protects its record.
//
// [FS] derives from Changed which inodes have unsynced changes.
package filesystem
