package badger

import (
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*badger.DB] {
	return crashtest.Store[*badger.DB]{
		Open: func(dir string) (*badger.DB, error) {
			options := badger.DefaultOptions(dir + "/db").WithLogger(nil).
				WithMemTableSize(1 << 20).WithValueLogFileSize(1 << 20).WithNumCompactors(2).WithValueThreshold(1 << 10).WithMetricsEnabled(false)
			db, err := badger.Open(options)
			for range 5 { // another bug: each Open extends one empty file and fails
				if err != nil && strings.Contains(err.Error(), "Create a new file") {
					db, err = badger.Open(options)
				}
			}
			return db, err
		},
		Put: func(db *badger.DB, key, value string) error {
			if err := db.Update(func(tx *badger.Txn) error { return tx.Set([]byte(key), []byte(value)) }); err != nil {
				return err
			}
			return db.Sync()
		},
		Get: func(db *badger.DB, key string) (value string, ok bool, err error) {
			err = db.View(func(tx *badger.Txn) error {
				item, err := tx.Get([]byte(key))
				if err != nil {
					return err
				}
				b, err := item.ValueCopy(nil)
				value, ok = string(b), true
				return err
			})
			if err == badger.ErrKeyNotFound {
				return "", false, nil
			}
			return value, ok, err
		},
		Close: (*badger.DB).Close,
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, "acknowledged: ") }
