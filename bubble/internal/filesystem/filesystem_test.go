package filesystem_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/macemc/macemc/bubble/internal/filesystem"
	"github.com/macemc/macemc/bubble/internal/filetree"
)

// host collects the effects of a node. Every sync is lost if losing is set.
type host struct {
	records []filetree.Record
	synced  int // number of records that are durable
	effects []string
	losing  bool
}

func (h *host) Writing()        {}
func (h *host) LosesSync() bool { return h.losing }
func (h *host) FileTime() int64 { return 0 }

func (h *host) Goroutine() (uint64, uint64) { return 1, 1 }

func (h *host) Put(key string, value []byte) {
	h.records = append(h.records, filetree.Record{Key: key, Value: value})
	h.effects = append(h.effects, key[len("00000000 "):])
}

func (h *host) Delete(key string) {
	h.records = slices.DeleteFunc(h.records, func(r filetree.Record) bool { return r.Key == key })
	h.effects = append(h.effects, "delete")
}

func (h *host) Sync() {
	h.synced = len(h.records)
	h.effects = append(h.effects, "SYNC")
}

// disk is a file system with the files /data/a and /data/b and the directory /data/d, all durable, and a host that has recorded nothing.
func disk(t *testing.T) (*filesystem.FS, *host) {
	t.Helper()
	h := &host{}
	r := &filetree.Restored{Image: []byte("dir \"\"\nfile \"/a\" 0\n\nfile \"/b\" 1 0\nb\ndir \"/d\"\n"), Last: 1}
	h.records, h.synced = []filetree.Record{{Key: filetree.Key(1, filetree.ImageKey), Value: r.Image}}, 1
	return filesystem.New(h, "/data", r), h
}

// do executes a call: "sync a", "sync" (of the data directory), "write a", "write-sync a", "truncate a", "create a", "mkdir a", "remove a",
// "rename a d/a", "flip".
func do(t *testing.T, s *filesystem.FS, call string) {
	t.Helper()
	path := func(name string) string { return "/" + name }
	op, name, _ := strings.Cut(call, " ")
	name, to, _ := strings.Cut(name, " ")
	var err error
	switch op {
	case "sync", "write", "write-sync", "create":
		flag := map[string]int{"write": os.O_RDWR, "write-sync": os.O_RDWR | os.O_SYNC, "create": os.O_CREATE}[op]
		f, failed := s.Open(path(name), flag)
		switch {
		case failed != nil:
			err = failed
		case op == "sync":
			err = f.Sync()
		case op != "create":
			_, err = f.Write([]byte("xy"))
		}
	case "flip":
		s.FlipBit(func(string, int) int { return 0 })
	default:
		err = s.Change(op, path(name), path(to), 1)
	}
	if err != nil && err != syscall.ENOENT {
		t.Fatalf("%s: %v", call, err)
	}
}

// Each change has one record. A sync that has something to make durable, a flip and a boot request a sync effect, and nothing else does.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		calls  string
		losing bool
		want   string
	}{
		{"write a; truncate a; create c; mkdir e; remove b; rename a d/a", false, "write 2 bytes to /data/a at 0; truncate /data/a to 1 bytes; " +
			"create /data/c; create /data/e; remove /data/b; rename /data/a to /data/d/a"},
		{"write a; sync a; sync a; sync b; sync", false, "write 2 bytes to /data/a at 0; sync /data/a; SYNC"},
		{"create c; sync c; sync; sync", false, "create /data/c; sync /data; SYNC"},
		{"rename a d/a; sync d; sync", false, "rename /data/a to /data/d/a; sync /data/d; SYNC; sync /data; SYNC"},
		{"write-sync a", false, "write 2 bytes to /data/a at 0; sync /data/a; SYNC"},
		{"sync a; write a; sync a; sync a", true, "write 2 bytes to /data/a at 0; lost sync of /data/a; lost sync of /data/a"},
		{"flip; sync b", false, "flip bit 0 of /data/b at 0; SYNC"},
	} {
		s, h := disk(t)
		h.losing = c.losing
		for call := range strings.SplitSeq(c.calls, "; ") {
			do(t, s, call)
		}
		if got := strings.Join(h.effects, "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.calls, got, c.want)
		}
		r, err := filetree.Restore(h.records, "/data", filetree.Rules{}, func(string, int) int { return 0 })
		if err != nil {
			t.Fatal(err)
		}
		h.effects = nil
		filesystem.New(h, "/data", r).Save(r)
		if got := strings.Join(slices.Compact(h.effects), "; "); got != "image; delete; SYNC" || len(h.records) != 1 {
			t.Errorf("%s: a boot requests %q and leaves %d records", c.calls, h.effects, len(h.records))
		}
	}
}

// Each error fails one change. A full disk fails only a change that takes space, and keeps no other error waiting.
func TestFail_Several(t *testing.T) {
	s, _ := disk(t)
	s.Fail(syscall.ENOSPC)
	s.Fail(syscall.EIO)
	s.Fail(syscall.EIO)
	for i, c := range []struct {
		op, name string
		want     error
	}{{"remove", "/d", syscall.EIO}, {"mkdir", "/e", syscall.ENOSPC}, {"mkdir", "/e", syscall.EIO}, {"mkdir", "/e", nil}, {"remove", "/d", nil}} {
		if err := s.Change(c.op, c.name, "", 0); !errors.Is(err, c.want) {
			t.Errorf("change %d, %s %s: %v, want %v", i, c.op, c.name, err, c.want)
		}
	}
}

// survivors returns the trees that a boot can find if the disk has these records.
func survivors(t *testing.T, records []filetree.Record) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for picks := []int{}; ; {
		var arities []int
		r, err := filetree.Restore(records, "/data", filetree.Rules{}, func(_ string, n int) int {
			if len(arities) == len(picks) {
				picks = append(picks, 0)
			}
			arities = append(arities, n)
			return picks[len(arities)-1]
		})
		if err != nil {
			t.Fatal(err)
		}
		found[string(r.Image)] = true
		for len(picks) > 0 && picks[len(picks)-1] == arities[len(picks)-1]-1 {
			picks = picks[:len(picks)-1]
		}
		if len(picks) == 0 {
			return found
		}
		picks[len(picks)-1]++
	}
}

// A crash that loses pending records leaves no tree that is impossible with all of them, after any three calls.
func TestCrash_PendingRecords(t *testing.T) {
	calls := []string{"sync a", "sync", "sync d", "write a", "create c", "rename a d/a", "flip"}
	lost := 0
	for i := range len(calls) * len(calls) * len(calls) {
		s, h := disk(t)
		var made []string
		for n := range 3 {
			made = append(made, calls[[]int{i % len(calls), i / len(calls) % len(calls), i / len(calls) / len(calls)}[n]])
			do(t, s, made[n])
		}
		all := survivors(t, h.records)
		for kept := h.synced; kept < len(h.records); kept++ {
			lost++
			for tree := range survivors(t, h.records[:kept]) {
				if !all[tree] {
					t.Fatalf("%s, %d of %d records: %s is impossible with all: %s", made, kept, len(h.records), tree, fmt.Sprint(all))
				}
			}
		}
	}
	if lost == 0 {
		t.Error("no record was pending")
	}
}
