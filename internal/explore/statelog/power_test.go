package statelog

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// volatile is a file that keeps only synced content after a power failure.
type volatile struct {
	*os.File
	mu     sync.Mutex
	synced []byte
}

func (v *volatile) Sync() error {
	data, err := os.ReadFile(v.Name())
	v.mu.Lock()
	defer v.mu.Unlock()
	v.synced = data
	return err
}

func (v *volatile) onDisk() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]byte(nil), v.synced...)
}

// After a power failure the log is a prefix of the appended states, at least as long as the synced part, whether or not
// the file had become longer than its content. It can be continued from there.
func TestPowerFailure(t *testing.T) {
	dir, failures, lost := t.TempDir(), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		failures++
		name := filepath.Join(dir, "log")
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		disk := &volatile{File: f}
		l, err := open(name, disk)
		if err == nil {
			err = l.begin()
		}
		if err != nil {
			t.Fatal(err)
		}
		want := drawn(t)
		synced := 0
		for i := range want {
			if err := l.Append(&want[i]); err != nil {
				t.Fatal(err)
			}
			l.flush()
			if rapid.Bool().Draw(t, "sync") {
				if err := disk.Sync(); err != nil {
					t.Fatal(err)
				}
				synced = i + 1
			}
		}
		left := disk.onDisk()
		left = append(left, make([]byte, rapid.IntRange(0, 100).Draw(t, "zeros"))...)
		l.Close()
		if err := os.WriteFile(name, left, 0o644); err != nil {
			t.Fatal(err)
		}
		if len(left) < len(title) || string(left[:len(title)]) != title {
			return // the failure came before the first sync
		}
		again, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		got, err := contentOf(again)
		if err != nil || len(got) < synced || len(got) > len(want) {
			t.Fatalf("%d blocks, of which %d were synced: %d %v", len(want), synced, len(got), err)
		}
		w, g := all(want[:len(got)]), all(got)
		if !equal(&w, &g) {
			t.Fatalf("%+v, want %+v", g, w)
		}
		if len(got) < len(want) {
			lost++
		}
	})
	if lost < failures/20 {
		t.Errorf("only %d of %d failures lost anything", lost, failures)
	}
}
