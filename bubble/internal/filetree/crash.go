package filetree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Record is an entry of a node's disk.
type Record struct {
	Key   string // see [Key]
	Value []byte
}

// Key returns the key of a record from its number and a text.
func Key(number int, text string) string { return fmt.Sprintf("%08d %s", number, text) }

// Restored is the content of the data directory that a node finds when it boots.
type Restored struct {
	Image []byte   // encoded tree
	Last  int      // number of the record that holds the image
	Stale []string // keys of records that the image replaces; empty if the image is on the disk
	Rules Rules
	Lost  string // what a crash changed, file by file; empty if nothing
}

// Restore reads the records of a disk and chooses which unsynced changes survived. dir is the data directory.
func Restore(disk []Record, dir string, rules Rules, choose func(what string, n int) int) (*Restored, error) {
	r, base := &Restored{Rules: rules}, New()
	var changes []Change
	for _, f := range disk {
		number, text, _ := strings.Cut(f.Key, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("the disk of a node with a data directory has a key %q of something else", f.Key)
		}
		r.Last = n
		if text == ImageKey {
			t, err := Parse(f.Value)
			if err != nil {
				return nil, err
			}
			base, changes = t, nil
		} else {
			c, err := parseChange(f.Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Key, err)
			}
			changes = append(changes, c)
		}
		r.Stale = append(r.Stale, f.Key)
	}
	if len(r.Stale) <= 1 && len(changes) == 0 {
		r.Stale = nil
		r.Image = base.Append(nil)
		return r, nil
	}
	r.Last++
	left, lost := crash(base, changes, dir, rules, choose)
	r.Image, r.Lost = left.Append(nil), lost
	return r, nil
}

// ImageKey is the text of the record that holds an encoded tree.
const ImageKey = "image"

// list identifies a list of changes of which a prefix survives a crash.
type list struct {
	ino  int // 0 means the entries of all directories
	page int // of a file that the program has mapped; -1 means the other changes of the inode
}

// journal is the list of the changes of all directories.
var journal = list{page: -1}

// lists returns the lists that a change belongs to.
func (s *survival) lists(c *Change) (all []list) {
	if s.rules.Journal && c.ofEntries() {
		return []list{journal}
	}
	page := -1
	if c.Op == WritePage {
		page = c.At / PageSize
	}
	for _, ino := range c.Changed() {
		all = append(all, list{ino, page})
	}
	return all
}

// survival determines which changes survive a crash.
type survival struct {
	changes []Change
	rules   Rules
	files   *progress
	members map[list][]int // indexes of the changes
	order   []list         // in the order of their first changes
	durable map[list]int   // number of members that certainly survive
	cuts    map[list]int   // number of members that survive
	torn    map[int]int    // number of bytes of a write that survive, by change
	failed  map[list][]int // writes whose sync has failed
	missing map[int]bool   // writes that do not survive although later changes do
}

// crash returns the tree that survives a crash in which changes had been made to base. A prefix of the changes of each file survives, and a
// prefix of the changes of each directory's entries. Both include at least the synced changes. A move survives in both directories or in
// neither. Pages of a file that the program has mapped survive independently, each with a prefix of its changes. A flip of a bit always
// survives, in whatever the file holds at its offset. File systems with a journal keep more, see [Rules]. lost describes what did not
// survive.
func crash(base *Tree, changes []Change, dir string, rules Rules, choose func(what string, n int) int) (left *Tree, lost string) {
	s := &survival{changes: changes, rules: rules, files: newProgress(base), members: map[list][]int{}, durable: map[list]int{},
		cuts: map[list]int{}, torn: map[int]int{}, failed: map[list][]int{}, missing: map[int]bool{}}
	s.collect()
	names := Paths(base, changes, dir)
	names[journal.ino] = "all folders below " + dir
	s.choose(names, choose)
	left = s.apply(base, s.cuts, s.torn, s.missing)
	unsure := map[int]bool{}
	for _, failed := range s.failed {
		for _, i := range failed {
			unsure[i] = true
		}
	}
	return left, difference(s.files.tree, left, s.apply(base, s.durable, nil, unsure), dir)
}

// apply returns the tree with the first changes of each list but missing ones, and parts of writes.
func (s *survival) apply(base *Tree, counts map[list]int, torn map[int]int, missing map[int]bool) *Tree {
	t := base.clone()
	for i := range s.changes {
		c := s.changes[i]
		if missing[i] {
			continue
		}
		if slices.ContainsFunc(s.lists(&c), func(l list) bool { return !s.within(counts, l, i) }) && !s.files.logged[i] {
			if torn[i] == 0 {
				continue
			}
			c.Data = c.Data[:torn[i]]
		}
		t.Apply(&c)
	}
	return t
}

// collect finds the lists and what is durable of them.
func (s *survival) collect() {
	for i := range s.changes {
		c := &s.changes[i]
		if c.Op == SyncInode || c.Op == SyncPages {
			if s.rules.Journal {
				s.syncEntries(c)
			}
			for _, l := range s.order {
				if l.ino == c.Ino && (c.Op == SyncInode || l.page*PageSize >= c.At && l.page*PageSize < c.At+c.Size) {
					s.durable[l] = len(s.members[l])
				}
			}
		}
		if c.Op == FailedSync {
			s.fail(c.Ino)
		}
		if c.isWrite() { // it writes the pages again, with all that they have
			for l, failed := range s.failed {
				s.failed[l] = slices.DeleteFunc(failed, func(i int) bool { return s.changes[i].Ino == c.Ino && s.changes[i].overlaps(c) })
			}
		}
		for _, l := range s.lists(c) {
			if s.members[l] == nil {
				s.order = append(s.order, l)
			}
			s.members[l] = append(s.members[l], i)
		}
		s.files.apply(c, i, len(s.members[journal]))
	}
	if s.rules.Journal {
		s.keepReplacements(s.durable)
		return
	}
	s.both(func(a, b list, i int) bool {
		if !s.within(s.durable, a, i) || s.within(s.durable, b, i) {
			return false
		}
		at, _ := slices.BinarySearch(s.members[b], i)
		s.durable[b] = at + 1
		return true
	})
}

// fail notes the writes of an inode that no sync has included when one fails.
func (s *survival) fail(ino int) {
	for _, l := range s.order {
		if l.ino != ino {
			continue
		}
		for _, i := range s.members[l][s.durable[l]:] {
			if c := &s.changes[i]; c.isWrite() && !slices.Contains(s.failed[l], i) {
				s.failed[l] = append(s.failed[l], i)
			}
		}
	}
}

// within reports whether a change is one of the first members of a list.
func (s *survival) within(counts map[list]int, l list, change int) bool {
	at, _ := slices.BinarySearch(s.members[l], change)
	return at < counts[l]
}

// choose chooses what survives of each list. names are the paths of the inodes.
func (s *survival) choose(names map[int]string, choose func(what string, n int) int) {
	stored := map[int]int{} // choice of the pages of a file
	for _, l := range s.order {
		members, name := s.members[l], names[l.ino]
		s.cuts[l] = s.durable[l]
		open := len(members) - s.durable[l]
		switch {
		case name == "":
			continue
		case open == 0:
		case l.page >= 0:
			s.cuts[l] += choosePage(l, open, name, stored, choose)
		default:
			s.cuts[l] += choose(fmt.Sprintf("unsynced changes of %s that survive", name), open+1)
			if s.cuts[l] < len(members) {
				next := members[s.cuts[l]]
				s.torn[next] = s.tear(&s.changes[next], name, choose)
			}
			if early := s.overtaken(l); len(early) > 0 {
				if n := choose(fmt.Sprintf("writes to %s that a later one overtakes", name), len(early)+1); n > 0 {
					s.missing[early[n-1]] = true
				}
			}
		}
		if failed := s.failed[l]; len(failed) > 0 {
			for _, i := range failed[choose(fmt.Sprintf("writes to %s that survive although their sync failed", name), len(failed)+1):] {
				s.missing[i] = true
			}
		}
	}
	if s.rules.Journal {
		s.keepReplacements(s.cuts)
		return
	}
	s.both(func(a, b list, i int) bool {
		if s.within(s.cuts, a, i) || !s.within(s.cuts, b, i) {
			return false
		}
		s.cuts[b], _ = slices.BinarySearch(s.members[b], i)
		return true
	})
}

// sectorSize is the number of bytes that a disk writes completely or not at all.
const sectorSize = 512

// tear chooses how many bytes survive of a write that does not survive. The file systems of disks tear between sectors.
func (s *survival) tear(c *Change, name string, choose func(what string, n int) int) int {
	n := len(c.Data)
	if !s.rules.Journal {
		if n > 1 && choose(fmt.Sprintf("halves of the next write to %s that survive", name), 2) == 1 {
			return n / 2
		}
		return 0
	}
	first, last := sectorSize-c.At%sectorSize, n-1-(c.At+n-1)%sectorSize // bytes before the second and the last sector
	if !c.isWrite() || first >= n {
		return 0
	}
	parts := slices.Compact([]int{0, first, (first+last)/2/sectorSize*sectorSize + first%sectorSize, last})
	return parts[choose(fmt.Sprintf("bytes of the next write to %s that survive %v", name, parts), len(parts))]
}

// overtaken returns the writes among the unsynced survivors of a list that share no page with a later one, and have one.
func (s *survival) overtaken(l list) (early []int) {
	open := s.members[l][s.durable[l]:s.cuts[l]]
	for n, i := range open {
		c := &s.changes[i]
		holds := func(later int) bool { return !s.changes[later].isWrite() || s.changes[later].overlaps(c) }
		if c.isWrite() && n+1 < len(open) && !slices.ContainsFunc(open[n+1:], holds) {
			early = append(early, i)
		}
	}
	return early
}

// choosePage returns how many of the open changes of a page survive. stored holds the choices for all pages of a file.
func choosePage(l list, open int, name string, stored map[int]int, choose func(what string, n int) int) int {
	const none, all = 0, 1
	pages, chosen := stored[l.ino]
	if !chosen {
		pages = choose(fmt.Sprintf("unsynced pages of %s that survive [none all some]", name), 3)
		stored[l.ino] = pages
	}
	switch pages {
	case none:
		return 0
	case all:
		return open
	}
	return choose(fmt.Sprintf("unsynced changes of page %d of %s that survive", l.page, name), open+1)
}

// both calls f for both orders of the two directories of each move, until a pass changes nothing.
func (s *survival) both(f func(a, b list, i int) bool) {
	for again := true; again; {
		again = false
		for i := range s.changes {
			if d := s.lists(&s.changes[i]); len(d) == 2 {
				again = f(d[0], d[1], i) || again
				again = f(d[1], d[0], i) || again
			}
		}
	}
}

// Paths returns the last path of each inode that ever had one.
func Paths(base *Tree, changes []Change, dir string) map[int]string {
	t, names := base.clone(), map[int]string{}
	note := func() { t.Walk(func(path string, ino int) { names[ino] = dir + path }) }
	note()
	for i := range changes {
		t.Apply(&changes[i])
		if c := &changes[i]; c.Op == CreateFile || c.Op == CreateDir || c.Op == MoveEntry {
			note()
		}
	}
	return names
}
