// Package pebble has tests of a service with a store on a file system in memory.
package pebble

import (
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

func open(t *testing.T) *pebble.DB {
	db, err := pebble.Open("db", &pebble.Options{FS: vfs.NewMem(), Logger: quiet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func get(t *testing.T, r pebble.Reader, key string) byte {
	v, closer, err := r.Get([]byte(key))
	if err == pebble.ErrNotFound {
		return 0
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	defer closer.Close()
	return v[0]
}

func TestPebble(t *testing.T) {
	db := open(t)
	var wg sync.WaitGroup
	for _, key := range []string{"a", "b"} {
		wg.Go(func() {
			if err := db.Set([]byte(key), []byte{1}, pebble.Sync); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := db.Flush(); err != nil {
		t.Error(err)
	}
	if get(t, db, "a") != 1 || get(t, db, "b") != 1 {
		t.Error("what was written is not there")
	}
}

// transfer moves two coins, one by each of two requests.
func transfer(t *testing.T, move func(db *pebble.DB)) {
	t.Helper()
	db := open(t)
	db.Set([]byte("ann"), []byte{2}, pebble.NoSync)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			move(db)
		})
	}
	wg.Wait()
	if ann, bob := get(t, db, "ann"), get(t, db, "bob"); ann != 0 || bob != 2 {
		t.Errorf("ann has %d, bob has %d", ann, bob)
	}
}

func one(t *testing.T, db *pebble.DB) {
	b := db.NewIndexedBatch()
	b.Set([]byte("ann"), []byte{get(t, b, "ann") - 1}, nil)
	b.Set([]byte("bob"), []byte{get(t, b, "bob") + 1}, nil)
	if err := b.Commit(pebble.NoSync); err != nil {
		t.Error(err)
	}
}

// A batch is written as one, and does not isolate what it has read.
func TestPebbleDefect(t *testing.T) { transfer(t, func(db *pebble.DB) { one(t, db) }) }

func TestPebbleMended(t *testing.T) {
	var mu sync.Mutex
	transfer(t, func(db *pebble.DB) {
		mu.Lock()
		defer mu.Unlock()
		one(t, db)
	})
}
