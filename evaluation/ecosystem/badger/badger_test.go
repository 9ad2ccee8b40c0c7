// Package badger has tests of a service with a store in memory.
package badger

import (
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
)

func open(t *testing.T) *badger.DB {
	db, err := badger.Open(badger.DefaultOptions("").WithInMemory(true).WithLogger(nil).WithNumCompactors(2).WithBlockCacheSize(1 << 20).
		WithMemTableSize(1 << 20).WithValueThreshold(1 << 10).WithMetricsEnabled(false))
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

func get(tx *badger.Txn) (stock byte) {
	item, err := tx.Get([]byte("stock"))
	if err != nil {
		return 0
	}
	item.Value(func(v []byte) error { stock = v[0]; return nil })
	return stock
}

func set(stock byte) func(tx *badger.Txn) error {
	return func(tx *badger.Txn) error { return tx.Set([]byte("stock"), []byte{stock}) }
}

func TestBadger(t *testing.T) {
	db := open(t)
	if err := db.Update(set(3)); err != nil {
		t.Fatal(err)
	}
	// Of two transactions that change what both have read, one is refused.
	a, b := db.NewTransaction(true), db.NewTransaction(true)
	set(get(a) + 1)(a)
	set(get(b) + 1)(b)
	if err := a.Commit(); err != nil {
		t.Error(err)
	}
	if err := b.Commit(); err != badger.ErrConflict {
		t.Errorf("got %v", err)
	}
}

// restock adds one by each of two requests.
func restock(t *testing.T, add func(db *badger.DB) error) {
	t.Helper()
	db := open(t)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 900 * time.Microsecond)
			if err := add(db); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	db.View(func(tx *badger.Txn) error {
		if n := get(tx); n != 2 {
			t.Errorf("%d in stock", n)
		}
		return nil
	})
}

func increment(tx *badger.Txn) error { return set(get(tx) + 1)(tx) }

// A conflict is an error that the caller has to expect.
func TestBadgerDefect(t *testing.T) {
	restock(t, func(db *badger.DB) error { return db.Update(increment) })
}

func TestBadgerMended(t *testing.T) {
	restock(t, func(db *badger.DB) error {
		for {
			if err := db.Update(increment); err != badger.ErrConflict {
				return err
			}
		}
	})
}
