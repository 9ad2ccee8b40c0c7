package diskv

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/evaluation/stores"
	"github.com/peterbourgon/diskv/v3"
)

func store() crashtest.Store[*diskv.Diskv] {
	return crashtest.Store[*diskv.Diskv]{
		Open: func(dir string) (*diskv.Diskv, error) {
			return diskv.New(diskv.Options{BasePath: dir + "/data", TempDir: dir + "/temp"}), nil
		},
		Put: func(d *diskv.Diskv, key, value string) error {
			return d.WriteStream(key, strings.NewReader(value), true)
		},
		Get: func(d *diskv.Diskv, key string) (string, bool, error) {
			value, err := d.Read(key)
			if errors.Is(err, fs.ErrNotExist) {
				return "", false, nil
			}
			return string(value), err == nil, err
		},
		Delete: func(d *diskv.Diskv, key string) error {
			if err := d.Erase(key); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		},
	}
}

func TestStore(t *testing.T) { stores.Check(t, store(), crashtest.Ext4, "acknowledged") }
