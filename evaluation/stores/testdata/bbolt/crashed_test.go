package crashed_test

import (
	"os"
	"testing"

	"go.etcd.io/bbolt"
)

// TestCrashed opens a database whose creation a crash has torn: the first two of its four pages survived, as the file grows page by page
// until its first sync. Open maps more than the file has, reads the page of the freelist behind its end, and the process dies.
func TestCrashed(t *testing.T) {
	name := t.TempDir() + "/db"
	db, err := bbolt.Open(name, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 2*int64(os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if _, err = bbolt.Open(name, 0o600, nil); err != nil {
		t.Fatal(err)
	}
}
