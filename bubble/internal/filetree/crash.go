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
}

// Restore reads the records of a disk and chooses which unsynced changes survived. dir is the data directory.
func Restore(disk []Record, dir string, choose func(what string, n int) int) (*Restored, error) {
	r, base := &Restored{}, New()
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
	r.Image = crash(base, changes, dir, choose).Append(nil)
	return r, nil
}

// ImageKey is the text of the record that holds an encoded tree.
const ImageKey = "image"

// crash returns the tree that survives a crash in which changes had been made to base. A prefix of the changes of each file survives, and a
// prefix of the changes of each directory's entries. Both include at least the synced changes. A move survives in both directories or in
// neither. A flip of a bit always survives, in whatever the file holds at its offset.
func crash(base *Tree, changes []Change, dir string, choose func(what string, n int) int) *Tree {
	lists := map[int][]int{} // changes, by inode
	durable := map[int]int{} // number of changes that survive, by inode
	var order []int          // inodes in the order of their first changes
	for i := range changes {
		c := &changes[i]
		if c.Op == SyncInode {
			durable[c.Ino] = len(lists[c.Ino])
		}
		for _, ino := range c.Changed() {
			if lists[ino] == nil {
				order = append(order, ino)
			}
			lists[ino] = append(lists[ino], i)
		}
	}
	kept := func(cuts map[int]int, ino, change int) bool {
		at, _ := slices.BinarySearch(lists[ino], change)
		return at < cuts[ino]
	}
	both(changes, func(a, b, i int) bool {
		if !kept(durable, a, i) || kept(durable, b, i) {
			return false
		}
		at, _ := slices.BinarySearch(lists[b], i)
		durable[b] = at + 1
		return true
	})
	names := Paths(base, changes, dir)
	cuts := map[int]int{}
	torn := map[int]int{} // number of bytes of a write that survive, by change
	for _, ino := range order {
		list := lists[ino]
		cuts[ino] = durable[ino]
		if open := len(list) - durable[ino]; open > 0 && names[ino] != "" {
			cuts[ino] += choose(fmt.Sprintf("unsynced changes of %s that survive", names[ino]), open+1)
			if cuts[ino] < len(list) {
				next := list[cuts[ino]]
				if n := len(changes[next].Data); n > 1 && choose(fmt.Sprintf("halves of the next write to %s that survive", names[ino]), 2) == 1 {
					torn[next] = n / 2
				}
			}
		}
	}
	both(changes, func(a, b, i int) bool {
		if kept(cuts, a, i) || !kept(cuts, b, i) {
			return false
		}
		cuts[b], _ = slices.BinarySearch(lists[b], i)
		return true
	})
	t := base.clone()
	for i := range changes {
		c := changes[i]
		if slices.ContainsFunc(c.Changed(), func(ino int) bool { return !kept(cuts, ino, i) }) {
			if torn[i] == 0 {
				continue
			}
			c.Data = c.Data[:torn[i]]
		}
		t.Apply(&c)
	}
	return t
}

// both calls f for both orders of the two directories of each move, until a pass changes nothing.
func both(changes []Change, f func(a, b, i int) bool) {
	for again := true; again; {
		again = false
		for i := range changes {
			if d := changes[i].Changed(); len(d) == 2 {
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
