package bitcask

import (
	"testing"

	"git.mills.io/prologic/bitcask"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*bitcask.Bitcask] {
	return crashtest.Store[*bitcask.Bitcask]{
		Open: func(dir string) (*bitcask.Bitcask, error) {
			return bitcask.Open(dir+"/db", bitcask.WithSync(true), bitcask.WithMaxDatafileSize(2000))
		},
		Put: func(db *bitcask.Bitcask, key, value string) error { return db.Put([]byte(key), []byte(value)) },
		Get: func(db *bitcask.Bitcask, key string) (string, bool, error) {
			v, err := db.Get([]byte(key))
			if err == bitcask.ErrKeyNotFound {
				return "", false, nil
			}
			return string(v), err == nil, err
		},
		Maintain: (*bitcask.Bitcask).Merge,
		Close:    (*bitcask.Bitcask).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "the store does not open: error reading")
}
