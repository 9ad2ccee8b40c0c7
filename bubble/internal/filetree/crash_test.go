package filetree

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A crash leaves exactly these trees.
func TestCrash_Survivors(t *testing.T) {
	const log, sub = 2, 3
	create := Change{Op: CreateFile, Ino: log, Dir: Root, Name: "log"}
	for _, c := range []struct {
		name    string
		changes []Change
		want    []string
	}{
		{"nothing", nil, []string{""}},
		{"a file that is not synced", []Change{create, {Op: WriteData, Ino: log, Data: []byte("abcd")}},
			[]string{"", `/log "ab"`, `/log "abcd"`, `/log ""`}},
		{"the file is synced, and not its directory",
			[]Change{create, {Op: WriteData, Ino: log, Data: []byte("abcd")}, {Op: SyncInode, Ino: log}},
			[]string{"", `/log "abcd"`}},
		{"both are synced", []Change{create, {Op: WriteData, Ino: log, Data: []byte("abcd")}, {Op: SyncInode, Ino: log},
			{Op: SyncInode, Ino: Root}},
			[]string{`/log "abcd"`}},
		{"the sync of the file is lost",
			[]Change{create, {Op: WriteData, Ino: log, Data: []byte("abcd")}, {Op: LostSync}, {Op: SyncInode, Ino: Root}},
			[]string{`/log ""`, `/log "ab"`, `/log "abcd"`}},
		{"a bit flips in what is synced, and the file and its directory are not synced afterwards",
			[]Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("ab")}, {Op: SyncInode, Ino: log},
				{Op: FlipBit, Ino: log, At: 1}},
			[]string{`/log "ac"`}},
		{"a bit flips in a write that may be lost, and in what it replaced",
			[]Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("a")}, {Op: SyncInode, Ino: log},
				{Op: WriteData, Ino: log, Data: []byte("p")}, {Op: FlipBit, Ino: log}},
			[]string{"/log \"`\"", `/log "q"`}},
		{"a bit flips in a part of a write that may be lost",
			[]Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("abcd")}, {Op: FlipBit, Ino: log, At: 2}},
			[]string{`/log ""`, `/log "ab"`, `/log "abbd"`}},
		{"a bit that flipped is overwritten by a write that may be lost",
			[]Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("b")}, {Op: SyncInode, Ino: log},
				{Op: FlipBit, Ino: log}, {Op: WriteData, Ino: log, Data: []byte("b")}},
			[]string{`/log "b"`, `/log "c"`}},
		{"a bit flips in a file that may be lost", []Change{create, {Op: WriteData, Ino: log, Data: []byte("a")}, {Op: SyncInode, Ino: log},
			{Op: FlipBit, Ino: log}},
			[]string{"", "/log \"`\""}},
		{"appended after the syncs",
			[]Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("a")}, {Op: SyncInode, Ino: log},
				{Op: WriteData, Ino: log, At: 1, Data: []byte("b")}, {Op: WriteData, Ino: log, At: 2, Data: []byte("c")}},
			[]string{`/log "a"`, `/log "ab"`, `/log "abc"`}},
		{"renamed over another", []Change{create, {Op: CreateFile, Ino: sub, Dir: Root, Name: "new"}, {Op: SyncInode, Ino: Root},
			{Op: WriteData, Ino: sub, Data: []byte("n")}, {Op: SyncInode, Ino: sub},
			{Op: MoveEntry, Ino: sub, Dir: Root, Name: "new", ToDir: Root, To: "log"}},
			[]string{`/log "" /new "n"`, `/log "n"`}},
		{"moved to a directory that is synced", []Change{create, {Op: CreateDir, Ino: sub, Dir: Root, Name: "sub"},
			{Op: MoveEntry, Ino: log, Dir: Root, Name: "log", ToDir: sub, To: "log"}, {Op: SyncInode, Ino: sub}},
			[]string{`/sub/ /sub/log ""`}},
		{"pages that are not synced, after one that is",
			[]Change{create, {Op: SyncInode, Ino: Root}, {Op: WritePage, Ino: log, At: PageSize, Data: []byte("b")},
				{Op: SyncPages, Ino: log, At: PageSize, Size: PageSize}, {Op: WritePage, Ino: log, Data: []byte("a")},
				{Op: WritePage, Ino: log, At: 2 * PageSize, Data: []byte("c")}, {Op: SyncPages, Ino: log, At: PageSize, Size: PageSize}},
			[]string{`/log "...b"`, `/log "a` + strings.Repeat("\\x00", PageSize-1) + `b"`, `/log "...b` + strings.Repeat("\\x00", PageSize-1) + `c"`,
				`/log "a` + strings.Repeat("\\x00", PageSize-1) + "b" + strings.Repeat("\\x00", PageSize-1) + `c"`}},
		{"a page with two changes, then a sync of the file", []Change{create, {Op: SyncInode, Ino: Root}, {Op: WritePage, Ino: log, Data: []byte("a")},
			{Op: SyncInode, Ino: log}, {Op: WritePage, Ino: log, Data: []byte("b")}, {Op: WritePage, Ino: log, Data: []byte("c")}},
			[]string{`/log "a"`, `/log "b"`, `/log "c"`}},
		{"writes to two pages", []Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("a")},
			{Op: WriteData, Ino: log, At: PageSize, Data: []byte("b")}},
			[]string{`/log ""`, `/log "a"`, `/log "...b"`, `/log "a` + strings.Repeat("\\x00", PageSize-1) + `b"`}},
		{"a write, a sync that fails, and one that does not", []Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("a")},
			{Op: FailedSync, Ino: log}, {Op: WriteData, Ino: log, At: PageSize, Data: []byte("b")}, {Op: SyncInode, Ino: log}, {Op: SyncInode, Ino: log}},
			[]string{`/log "...b"`, `/log "a` + strings.Repeat("\\x00", PageSize-1) + `b"`}},
		{"a write, a sync that fails, and a write to the same page", []Change{create, {Op: SyncInode, Ino: Root},
			{Op: WriteData, Ino: log, Data: []byte("a")}, {Op: FailedSync, Ino: log}, {Op: WriteData, Ino: log, At: 1, Data: []byte("b")},
			{Op: SyncInode, Ino: log}},
			[]string{`/log "ab"`}},
		{"two writes, of whose sync a part fails", []Change{create, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: log, Data: []byte("a")},
			{Op: WriteData, Ino: log, At: 1, Data: []byte("b")}, {Op: FailedSync, Ino: log}, {Op: SyncInode, Ino: log}},
			[]string{`/log ""`, `/log "a"`, `/log "ab"`}},
		{"moved to a directory", []Change{create, {Op: CreateDir, Ino: sub, Dir: Root, Name: "sub"}, {Op: SyncInode, Ino: Root},
			{Op: MoveEntry, Ino: log, Dir: Root, Name: "log", ToDir: sub, To: "log"}},
			[]string{`/log "" /sub/`, `/sub/ /sub/log ""`}},
	} {
		slices.Sort(c.want)
		if got := survivors(t, c.changes, Rules{}); !slices.Equal(got, c.want) {
			t.Errorf("%s: left %q, want %q", c.name, got, c.want)
		}
	}
}

// Each file system leaves exactly these trees.
func TestCrash_FileSystems(t *testing.T) {
	const a, b = 2, 3
	ext4, xfs, btrfs := Rules{Journal: true, Replacement: true}, Rules{Journal: true}, Rules{Journal: true, OwnName: true, Replacement: true}
	file := func(ino int, name string) Change { return Change{Op: CreateFile, Ino: ino, Dir: Root, Name: name} }
	write := func(ino int, text string) Change { return Change{Op: WriteData, Ino: ino, Data: []byte(text)} }
	sync := func(ino int) Change { return Change{Op: SyncInode, Ino: ino} }
	both := []Change{file(a, "a"), file(b, "b"), write(b, "B"), sync(b)}
	replace := []Change{file(a, "a"), write(a, "A"), sync(a), sync(Root), file(b, "b"), write(b, "B"),
		{Op: MoveEntry, Ino: b, Dir: Root, Name: "b", ToDir: Root, To: "a"}}
	sized := func(n int) string { return fmt.Sprintf("/a %q", strings.Repeat("x", n)) }
	sectors := []Change{file(a, "a"), sync(a), write(a, strings.Repeat("x", 500)), {Op: WriteData, Ino: a, At: 500, Data: bytes.Repeat([]byte("x"), 1500)}}
	for _, c := range []struct {
		name    string
		rules   Rules
		changes []Change
		want    []string
	}{
		{"a sync includes the name", ext4, both, []string{`/a "" /b "B"`}},
		{"a sync includes the name and earlier ones", xfs, both, []string{`/a "" /b "B"`}},
		{"a sync includes the own name", btrfs, both, []string{`/a "" /b "B"`, `/b "B"`}},
		{"a sync of no name", Rules{}, both, []string{"", `/a ""`, `/a "" /b "B"`}},
		{"the order of names", ext4, []Change{file(a, "a"), file(b, "b")}, []string{"", `/a ""`, `/a "" /b ""`}},
		{"a sync of what was not changed since its name", ext4, []Change{file(a, "a"), sync(a), file(b, "b"), sync(a)},
			[]string{`/a ""`, `/a "" /b ""`}},
		{"a rename over a file, ordered", ext4, replace, []string{`/a "A"`, `/a "A" /b ""`, `/a "A" /b "B"`, `/a "B"`}},
		{"a rename over a file, flushed", btrfs, replace, []string{`/a "A"`, `/a "A" /b ""`, `/a "A" /b "B"`, `/a "B"`}},
		{"a write to four sectors", ext4, sectors, []string{sized(0), sized(500), sized(512), sized(1024), sized(1536), sized(2000)}},
		{"a write to a part of a sector", ext4, []Change{file(a, "a"), sync(a), write(a, "ab")}, []string{`/a ""`, `/a "ab"`}},
		{"a rename over a file, without order", xfs, replace, []string{`/a ""`, `/a "A"`, `/a "A" /b ""`, `/a "A" /b "B"`, `/a "B"`}},
	} {
		slices.Sort(c.want)
		if got := survivors(t, c.changes, c.rules); !slices.Equal(got, c.want) {
			t.Errorf("%s, %+v: left %q, want %q", c.name, c.rules, got, c.want)
		}
	}
}

// survivors returns all trees that a crash can leave.
func survivors(t *testing.T, changes []Change, rules Rules) (texts []string) {
	t.Helper()
	got := map[string]bool{}
	for picks := []int{}; ; {
		at := 0
		var arities []int
		left, _ := crash(New(), changes, "/data", rules, func(_ string, n int) int {
			if at == len(picks) {
				picks = append(picks, 0)
			}
			arities = append(arities, n)
			at++
			return picks[at-1]
		})
		text := string(left.Append(nil))
		got[text] = true
		if back, err := Parse([]byte(text)); err != nil || string(back.Append(nil)) != text {
			t.Fatalf("%v from %q", err, text)
		}
		picks = picks[:at]
		for at--; at >= 0 && picks[at]+1 == arities[at]; at-- {
			picks = picks[:at]
		}
		if at < 0 {
			break
		}
		picks[at]++
	}
	for text := range got {
		texts = append(texts, brief(t, text))
	}
	slices.Sort(texts)
	return texts
}

// brief lists the paths of an encoded tree with the contents of files.
func brief(t *testing.T, text string) string {
	t.Helper()
	tree, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	tree.Walk(func(path string, ino int) {
		switch i := tree.Inodes[ino]; {
		case path == "":
		case i.IsDir():
			list = append(list, path+"/")
		default:
			list = append(list, fmt.Sprintf("%s %q", path, bytes.ReplaceAll(i.Data, make([]byte, PageSize), []byte("..."))))
		}
	})
	return strings.Join(list, " ")
}

// What a crash changes is described file by file.
func TestCrash_Lost(t *testing.T) {
	const a, b = 2, 3
	changes := []Change{{Op: CreateFile, Ino: a, Dir: Root, Name: "a"}, {Op: SyncInode, Ino: Root}, {Op: WriteData, Ino: a, Data: []byte("one")},
		{Op: SyncInode, Ino: a}, {Op: WriteData, Ino: a, At: 3, Data: []byte("two!")}, {Op: CreateFile, Ino: b, Dir: Root, Name: "b"}}
	for _, c := range []struct {
		survive, half int
		want          string
	}{
		{0, 0, "/data/a: 3 of 7 bytes, 3 synced; /data/b: absent (it had 0 bytes)"},
		{0, 1, "/data/a: 5 of 7 bytes, 3 synced; /data/b: absent (it had 0 bytes)"},
		{1, 0, ""},
	} {
		_, lost := crash(New(), changes, "/data", Rules{}, func(what string, _ int) int {
			if strings.HasPrefix(what, "halves") {
				return c.half
			}
			return c.survive
		})
		if lost != c.want {
			t.Errorf("%d changes and %d halves survive: lost %q, want %q", c.survive, c.half, lost, c.want)
		}
	}
	replaced := []Change{{Op: CreateFile, Ino: a, Dir: Root, Name: "a"}, {Op: SyncInode, Ino: Root}, {Op: CreateFile, Ino: b, Dir: Root, Name: "b"},
		{Op: MoveEntry, Ino: b, Dir: Root, Name: "b", ToDir: Root, To: "a"}}
	const want = "/data/a: the file that was there before, of 0 bytes; /data/b: there again"
	if _, lost := crash(New(), replaced, "/data", Rules{}, func(string, int) int { return 1 }); lost != want {
		t.Errorf("a rename is lost: %q, want %q", lost, want)
	}
}
