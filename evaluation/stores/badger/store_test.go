package badger

import (
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*badger.DB] {
	return crashtest.Store[*badger.DB]{
		Open: func(dir string) (*badger.DB, error) {
			return badger.Open(badger.DefaultOptions(dir + "/db").WithSyncWrites(true).WithLogger(nil).
				WithMemTableSize(1 << 20).WithValueLogFileSize(1 << 20).WithNumCompactors(2).WithValueThreshold(1 << 10).WithMetricsEnabled(false))
		},
		Put: func(db *badger.DB, key, value string) error {
			return db.Update(func(tx *badger.Txn) error { return tx.Set([]byte(key), []byte(value)) })
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

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "the store does not open: .* Create a new file")
}

func TestPOSIX(t *testing.T) {
	stores.Check(t, store(), crashtest.POSIX, "is absent; acknowledged: |the store does not open: file does not exist for table 1")
}
