package pebble

import (
	"testing"

	"github.com/cockroachdb/pebble"
	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
)

func store() crashtest.Store[*pebble.DB] {
	return crashtest.Store[*pebble.DB]{
		Open: func(dir string) (*pebble.DB, error) {
			return pebble.Open(dir+"/db", &pebble.Options{MemTableSize: 64 << 10, Logger: quiet{}})
		},
		Put: func(db *pebble.DB, key, value string) error { return db.Set([]byte(key), []byte(value), pebble.Sync) },
		Get: func(db *pebble.DB, key string) (string, bool, error) {
			v, c, err := db.Get([]byte(key))
			if err == pebble.ErrNotFound {
				return "", false, nil
			}
			if err != nil {
				return "", false, err
			}
			defer c.Close()
			return string(v), true, nil
		},
		Maintain: (*pebble.DB).Flush,
		Close:    (*pebble.DB).Close,
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, stores.Nothing) }

type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(f) }
