package bbolt

import (
	"errors"
	"fmt"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"go.etcd.io/bbolt"
)

var bucket = []byte("b")

func put(db *bbolt.DB, key, value string, end error) error {
	return db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucket)
		if err != nil {
			return err
		}
		return errors.Join(b.Put([]byte(key), []byte(value)), end)
	})
}

func store() crashtest.Store[*bbolt.DB] {
	return crashtest.Store[*bbolt.DB]{
		Open: func(dir string) (*bbolt.DB, error) {
			if err := stores.RemoveTorn(dir + "/db"); err != nil {
				return nil, err
			}
			return bbolt.Open(dir+"/db", 0o600, &bbolt.Options{NoFreelistSync: true})
		},
		Put: func(db *bbolt.DB, key, value string) error { return put(db, key, value, nil) },
		Get: func(db *bbolt.DB, key string) (value string, ok bool, err error) {
			err = db.View(func(tx *bbolt.Tx) error {
				if b := tx.Bucket(bucket); b != nil {
					v := b.Get([]byte(key))
					value, ok = string(v), v != nil
				}
				return nil
			})
			return value, ok, err
		},
		Maintain: func(db *bbolt.DB) (err error) { // a transaction that is rolled back
			defer func() {
				if v := recover(); v != nil {
					err = fmt.Errorf("panic: %v", v)
				}
			}()
			rollback := errors.New("rollback")
			if err := put(db, "rolled back", "", rollback); !errors.Is(err, rollback) {
				return err
			}
			return nil
		},
		Close: (*bbolt.DB).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "Maintain fails: panic|deadlock")
}
