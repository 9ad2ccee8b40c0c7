package filetree

// Rules are the promises of a file system beyond POSIX. They hold for its default mount options.
//
//   - Changes of entries survive in their order on ext4, XFS and btrfs (Chinner, "Re: metadata operation reordering regards to crash",
//     linux-kernel, 2018-09-14).
//
//   - A sync of a file makes its name durable: on ext4 and XFS with all earlier changes of entries, because the transaction of the
//     last change of the file is committed; on btrfs alone, by the log tree (Mohan et al., "Documenting the crash-recovery guarantees of
//     Linux file systems", linux-fsdevel, 2019, from "Finding Crash-Consistency Bugs with Bounded Black-Box Crash Testing", OSDI 2018).
//
//   - A rename over an existing file is ordered after the data of the new one, on ext4 with auto_da_alloc
//     (Documentation/admin-guide/ext4.rst), and on btrfs (commit 5a3f23d515a2, "Btrfs: add extra flushing for renames and truncates").
//     XFS does not promise it.
//
//   - A disk writes a sector completely or not at all (Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014, section 2).
//
// What the rules leave out is as in POSIX: appended data reaches the disk at any time.
type Rules struct {
	Name        string
	Journal     bool // changes of entries survive in their order, a sync of a file includes its name, and writes tear between sectors
	OwnName     bool // that sync includes no other names
	Replacement bool // a rename over an existing file survives with the data of the new one
}

// ofEntries reports whether a change modifies the entries of a directory.
func (c *Change) ofEntries() bool {
	switch c.Op {
	case CreateFile, CreateDir, RemoveEntry, MoveEntry:
		return true
	}
	return false
}

// progress describes the files while changes are made.
type progress struct {
	tree     *Tree
	last     map[int]int   // number of members of the journal that a sync of an inode includes
	own      map[int][]int // changes of the names of an inode
	replaces []int         // renames over existing files
	logged   map[int]bool  // changes of names that survive on their own
}

func newProgress(base *Tree) *progress {
	return &progress{tree: base.clone(), last: map[int]int{}, own: map[int][]int{}, logged: map[int]bool{}}
}

// apply applies a change. entries is the number of members of the journal, with this change.
func (p *progress) apply(c *Change, index, entries int) {
	switch c.Op {
	case CreateFile, CreateDir, RemoveEntry, MoveEntry:
		if dir := p.tree.Inodes[c.ToDir]; c.Op == MoveEntry && dir != nil && dir.Entries[c.To] != 0 {
			p.replaces = append(p.replaces, index)
		}
		for _, ino := range append(c.Changed(), c.Ino) {
			p.last[ino] = entries
		}
		p.own[c.Ino] = append(p.own[c.Ino], index)
	case WriteData, WritePage, TruncateData:
		if i := p.tree.Inodes[c.Ino]; c.Op == TruncateData || i == nil || c.At+len(c.Data) > len(i.Data) { // the size changes
			p.last[c.Ino] = entries
		}
	}
	p.tree.Apply(c)
}

// syncEntries makes the changes of entries durable that a sync includes.
func (s *survival) syncEntries(c *Change) {
	if i := s.files.tree.Inodes[c.Ino]; s.rules.OwnName && i != nil && !i.IsDir() {
		for _, change := range s.files.own[c.Ino] {
			s.files.logged[change] = true
		}
		return
	}
	s.durable[journal] = max(s.durable[journal], s.files.last[c.Ino])
}

// keepReplacements extends the changes that survive by the data of files that were renamed over existing ones.
func (s *survival) keepReplacements(counts map[list]int) {
	if !s.rules.Replacement {
		return
	}
	for _, i := range s.files.replaces {
		if !s.within(counts, journal, i) && !s.files.logged[i] {
			continue
		}
		for _, l := range s.order {
			for n, member := range s.members[l] {
				if l.ino == s.changes[i].Ino && member < i {
					counts[l] = max(counts[l], n+1)
					delete(s.missing, member)
				}
			}
		}
	}
}
