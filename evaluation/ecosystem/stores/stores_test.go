// Package stores has tests of services with embedded stores.
package stores

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-memdb"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/tidwall/buntdb"
	"go.etcd.io/bbolt"
)

// both executes a function twice at the same time, the second one a little later.
func both(f func()) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			f()
		})
	}
	wg.Wait()
}

// counts adds one to a counter twice.
func counts(t *testing.T, add func() error, value func() uint64) {
	t.Helper()
	both(func() {
		if err := add(); err != nil {
			t.Error(err)
		}
	})
	if n := value(); n != 2 {
		t.Errorf("counted %d", n)
	}
}

func number(text []byte) uint64 {
	if len(text) == 0 {
		return 0
	}
	return binary.BigEndian.Uint64(text)
}

func text(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

var bucket, key = []byte("bucket"), []byte("key")

func openBolt(t *testing.T) *bbolt.DB {
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "bolt.db"), 0o600, &bbolt.Options{Timeout: time.Second, NoSync: true, NoFreelistSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket(bucket); return err })
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func boltValue(db *bbolt.DB) (n uint64) {
	db.View(func(tx *bbolt.Tx) error { n = number(tx.Bucket(bucket).Get(key)); return nil })
	return n
}

func boltPut(n uint64) func(tx *bbolt.Tx) error {
	return func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put(key, text(n)) }
}

func TestBolt(t *testing.T) {
	db := openBolt(t)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := db.Update(boltPut(7)); err != nil {
			t.Error(err)
		}
	})
	if n := boltValue(db); n != 0 && n != 7 {
		t.Errorf("read %d", n)
	}
	wg.Wait()
	if n := boltValue(db); n != 7 {
		t.Errorf("read %d", n)
	}
}

func TestBoltDefect(t *testing.T) {
	db := openBolt(t)
	counts(t, func() error { return db.Update(boltPut(boltValue(db) + 1)) }, func() uint64 { return boltValue(db) })
}

func TestBoltMended(t *testing.T) {
	db := openBolt(t)
	counts(t, func() error {
		return db.Update(func(tx *bbolt.Tx) error { return boltPut(number(tx.Bucket(bucket).Get(key)) + 1)(tx) })
	}, func() uint64 { return boltValue(db) })
}

func openBunt(t *testing.T) *buntdb.DB {
	db, err := buntdb.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func buntValue(db *buntdb.DB) (n uint64) {
	db.View(func(tx *buntdb.Tx) error {
		v, _ := tx.Get("key", true)
		n, _ = strconv.ParseUint(v, 10, 64)
		return nil
	})
	return n
}

func buntSet(tx *buntdb.Tx, n uint64) error {
	_, _, err := tx.Set("key", strconv.FormatUint(n, 10), nil)
	return err
}

func TestBunt(t *testing.T) {
	db := openBunt(t)
	err := db.Update(func(tx *buntdb.Tx) error {
		_, _, err := tx.Set("soon", "gone", &buntdb.SetOptions{Expires: true, TTL: 20 * time.Millisecond})
		return errors.Join(err, buntSet(tx, 7))
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond)
	db.View(func(tx *buntdb.Tx) error {
		if _, err := tx.Get("soon"); err != buntdb.ErrNotFound {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if n := buntValue(db); n != 7 {
		t.Errorf("read %d", n)
	}
}

func TestBuntDefect(t *testing.T) {
	db := openBunt(t)
	counts(t, func() error {
		n := buntValue(db)
		return db.Update(func(tx *buntdb.Tx) error { return buntSet(tx, n+1) })
	}, func() uint64 { return buntValue(db) })
}

func TestBuntMended(t *testing.T) {
	db := openBunt(t)
	counts(t, func() error {
		return db.Update(func(tx *buntdb.Tx) error {
			v, _ := tx.Get("key")
			n, _ := strconv.ParseUint(v, 10, 64)
			return buntSet(tx, n+1)
		})
	}, func() uint64 { return buntValue(db) })
}

func openLevel(t *testing.T) *leveldb.DB {
	db, err := leveldb.Open(storage.NewMemStorage(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestLevelDB(t *testing.T) {
	db := openLevel(t)
	batch := new(leveldb.Batch)
	batch.Put([]byte("a"), text(1))
	batch.Put([]byte("b"), text(2))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := db.Write(batch, nil); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	found := 0
	for i := db.NewIterator(nil, nil); ; found++ {
		if !i.Next() {
			i.Release()
			break
		}
	}
	if found != 2 {
		t.Errorf("found %d", found)
	}
}

func levelAdd(db *leveldb.DB) error {
	v, err := db.Get(key, nil)
	if err != nil && err != leveldb.ErrNotFound {
		return err
	}
	return db.Put(key, text(number(v)+1), nil)
}

func levelValue(db *leveldb.DB) uint64 {
	v, _ := db.Get(key, nil)
	return number(v)
}

func TestLevelDBDefect(t *testing.T) {
	db := openLevel(t)
	counts(t, func() error { return levelAdd(db) }, func() uint64 { return levelValue(db) })
}

func TestLevelDBMended(t *testing.T) {
	db := openLevel(t)
	var mu sync.Mutex
	counts(t, func() error {
		mu.Lock()
		defer mu.Unlock()
		return levelAdd(db)
	}, func() uint64 { return levelValue(db) })
}

type person struct{ Name, Team string }

func openMem(t *testing.T) *memdb.MemDB {
	db, err := memdb.NewMemDB(&memdb.DBSchema{Tables: map[string]*memdb.TableSchema{"person": {Name: "person",
		Indexes: map[string]*memdb.IndexSchema{"id": {Name: "id", Unique: true, Indexer: &memdb.StringFieldIndex{Field: "Name"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func insert(t *testing.T, db *memdb.MemDB, p person) {
	tx := db.Txn(true)
	if err := tx.Insert("person", &p); err != nil {
		t.Error(err)
	}
	tx.Commit()
}

func TestMemDB(t *testing.T) {
	db := openMem(t)
	both(func() { insert(t, db, person{"ann", "red"}) })
	found, err := db.Txn(false).First("person", "id", "ann")
	if err != nil || found.(*person).Team != "red" {
		t.Errorf("found %v, %v", found, err)
	}
}

// await waits until a person is there.
func await(t *testing.T, db *memdb.MemDB, watch func(ws memdb.WatchSet, find func(ws memdb.WatchSet) bool)) {
	var wg sync.WaitGroup
	wg.Go(func() { insert(t, db, person{"ann", "red"}) })
	time.Sleep(500 * time.Microsecond)
	watch(memdb.NewWatchSet(), func(ws memdb.WatchSet) bool {
		channel, found, err := db.Txn(false).FirstWatch("person", "id", "ann")
		if err != nil {
			t.Error(err)
		}
		ws.Add(channel)
		return found != nil
	})
	wg.Wait()
}

// A change between looking and watching is missed.
func TestMemDBDefect(t *testing.T) {
	await(t, openMem(t), func(ws memdb.WatchSet, find func(ws memdb.WatchSet) bool) {
		if !find(memdb.NewWatchSet()) {
			find(ws)
			ws.Watch(nil)
		}
	})
}

func TestMemDBMended(t *testing.T) {
	await(t, openMem(t), func(ws memdb.WatchSet, find func(ws memdb.WatchSet) bool) {
		if !find(ws) {
			ws.Watch(nil)
		}
	})
}
