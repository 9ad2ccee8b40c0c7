package plaintest

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tested is a library whose store does not check what it reads.
const tested = `package kv

import (
	"errors"
	"os"
)

type DB struct{ Dir string }

func Open(dir string) (*DB, error) {
	_, err := os.ReadFile(dir + "/MANIFEST")
	return &DB{dir}, err
}

func (db *DB) Get(key string) (string, bool, error) {
	b, err := os.ReadFile(db.Dir + "/" + key)
	if os.IsNotExist(err) {
		return "", false, nil
	}
	return string(b), err == nil, err
}

func (db *DB) Put(key, value string) error { return os.WriteFile(db.Dir+"/"+key, []byte(value), 0o600) }

func (db *DB) Close() error { return nil }

func (db *DB) Take() (string, bool, error) {
	record, ok, err := db.Get("record")
	return record, ok, errors.Join(err, os.RemoveAll(db.Dir+"/record"))
}

func (db *DB) Records() ([]string, error) {
	record, _, err := db.Get("record")
	return []string{record}, err
}
`

// adapters are tests of that library, by name. One function of the adapter begins at the line with HERE, if any.
var adapters = map[string]string{
	"inside": `package kv

import (
	"testing"

	"github.com/macemc/macemc/crashtest"
)

func TestStore(t *testing.T) {
	crashtest.Check(t, crashtest.Store[*DB]{
		Open: func(dir string) (*DB, error) { return Open(dir) }, // HERE
		Get: (*DB).Get,
		Put: (*DB).Put,
	})
}
`,
	"outside": `package kv_test

import (
	_ "embed"
	"errors"
	"testing"

	store "example.org/kv"
	"github.com/macemc/macemc/crashtest"
)

const prefix = "k-"

type wrapped struct{ *store.DB }

func (w wrapped) get(key string) (string, bool, error) { return w.Get(strip(key)) }

func strip(key string) string { return key[len(prefix)-2:] }

func adapter() crashtest.Store[wrapped] {
	missing := errors.New("missing")
	return crashtest.Store[wrapped]{
		Open: open,
		Get: wrapped.get,
		Put: func(w wrapped, key, value string) error {
			if key == "" { // HERE
				return missing
			}
			return w.Put(key, value)
		},
		Disk: crashtest.XFS,
	}
}

func open(dir string) (wrapped, error) {
	db, err := store.Open(dir)
	return wrapped{db}, err
}

func TestStore(t *testing.T) { crashtest.Check(t, adapter()) }
`,
	"variable": `package kv_test

import (
	"testing"

	"example.org/kv"
	"github.com/macemc/macemc/crashtest"
)

func TestStore(t *testing.T) {
	name := "x"
	crashtest.Check(t, crashtest.Store[*kv.DB]{
		Open: func(dir string) (*kv.DB, error) { return kv.Open(dir + name) }, // HERE
		Get: (*kv.DB).Get,
		Put: (*kv.DB).Put,
	})
}
`,
	"log": `package kv_test

import (
	"testing"

	"example.org/kv"
	"github.com/macemc/macemc/crashtest"
)

var store = crashtest.Store[*kv.DB]{
	Open: kv.Open,
	Append: func(db *kv.DB, record string) error { return db.Put("record", record) },
	Records: (*kv.DB).Records,
	Take: (*kv.DB).Take,
	Close: (*kv.DB).Close,
}

func TestStore(t *testing.T) { crashtest.Check(t, store) }
`,
	"private": `package kv

import (
	"testing"

	"github.com/macemc/macemc/crashtest"
)

func TestStore(t *testing.T) {
	crashtest.Check(t, crashtest.Store[*DB]{
		Open: func(dir string) (*DB, error) { _ = private; return Open(dir) }, // HERE
		Get: (*DB).Get,
		Put: (*DB).Put,
	})
}
`,
}

// A test fails in plain Go exactly if the store has the finding, and an adapter that cannot be copied is refused.
func TestWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("builds tests")
	}
	lost := map[string][]string{"key0-0": {"value 1"}, "key0-1": {""}}
	there := map[string][]byte{"MANIFEST": nil, "key0-0": []byte("value 1"), "sub/": nil}
	long := strings.Repeat("value ", 100) + strings.Repeat("1", 300)
	for _, c := range []struct {
		adapter string
		test    Test
		want    string // output of go test, or the error
	}{
		{"inside", Test{Finding: "the store does not open"}, "MANIFEST: no such file"},
		{"outside", Test{Files: map[string][]byte{"other": nil}}, "MANIFEST: no such file"},
		{"inside", Test{Opened: true, Files: map[string][]byte{"MANIFEST": nil}, Values: lost}, `key0-0 is "", must be one of ["value 1"]`},
		{"outside", Test{Opened: true, Files: there, Values: map[string][]string{"key0-0": {""}}}, `key0-0 is "value 1", must be one of [""]`},
		{"inside", Test{Opened: true, Files: there, Values: lost}, "ok"},
		{"outside", Test{Opened: true, Files: map[string][]byte{"MANIFEST": nil, "a": []byte(long)}, Values: map[string][]string{"a": {long}, "b": {long[1:]}},
			Calls: []Call{{Method: "Put", Key: "b", Value: long[1:]}}}, "ok"},
		{"log", Test{Opened: true, Files: there, Store: Store{Reader: "Records"}, Records: []string{"r"}, Calls: []Call{{Method: "Append", Value: "r"}}}, "ok"},
		{"log", Test{Opened: true, Files: there, Store: Store{Reader: "Records"}, Records: []string{"q", "r"}, Others: []string{""}}, `"q" was acknowledged and is lost`},
		{"log", Test{Opened: true, Files: there, Store: Store{Reader: "Take"}, Records: []string{"q", "r"}, Missing: 1,
			Calls: []Call{{Method: "Append", Value: "r"}, {Method: "Take"}, {Method: "Close"}}}, "ok"},
		{"log", Test{Opened: true, Files: there, Store: Store{Reader: "Take"}, Calls: []Call{{Method: "Append", Value: "r"}}}, `"r" was never appended`},
		{"variable", Test{}, "uses the variable name of TestStore"},
		{"private", Test{}, "uses private, which only its package has"},
	} {
		dir := t.TempDir()
		put := func(name, text string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		put("go.mod", "module example.org/kv\n\ngo 1.26\n")
		put("kv.go", tested+"\nconst private = 1\n")
		put("store_test.go", adapters[c.adapter])
		before, _, _ := strings.Cut(adapters[c.adapter], "HERE")
		c.test.Store = Store{
			Dir: dir, Places: []Place{{"store_test.go", 1 + strings.Count(before, "\n")}}, Reader: cmp.Or(c.test.Store.Reader, "Get"),
		}
		text, err := c.test.Write()
		got := ""
		if err == nil {
			if err := os.Mkdir(filepath.Join(dir, "crashed"), 0o700); err != nil {
				t.Fatal(err)
			}
			put("crashed/crashed_test.go", string(text))
			cmd := exec.Command("go", "test", "./crashed")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK=off")
			out, _ := cmd.CombinedOutput()
			got = string(out)
		} else {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %q, from:\n%s", c.adapter, got, c.want, text)
		}
	}
}
