package lotusdb

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lotusdblabs/lotusdb/v2"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*lotusdb.DB] {
	sync := lotusdb.WriteOptions{Sync: true}
	return crashtest.Store[*lotusdb.DB]{
		Open: func(dir string) (db *lotusdb.DB, err error) {
			defer func() {
				if r := recover(); r != nil { // of bbolt
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			o := lotusdb.DefaultOptions
			o.DirPath, o.Sync, o.MemtableSize, o.PartitionNum, o.ValueLogFileSize = dir+"/db", true, 2000, 1, 1<<20
			return lotusdb.Open(o)
		},
		Put: func(db *lotusdb.DB, key, value string) error {
			return db.PutWithOptions([]byte(key), []byte(value), sync)
		},
		Get: func(db *lotusdb.DB, key string) (string, bool, error) {
			value, err := db.Get([]byte(key))
			if errors.Is(err, lotusdb.ErrKeyNotFound) {
				return "", false, nil
			}
			return string(value), err == nil, err
		},
		Delete: func(db *lotusdb.DB, key string) error { return db.DeleteWithOptions([]byte(key), sync) },
		Close:  (*lotusdb.DB).Close,
	}
}

func TestStore(t *testing.T) {
	stores.Check(t, store(), crashtest.Ext4, "acknowledged|panic: assertion failed")
}
