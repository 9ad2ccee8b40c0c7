// Command releases searches releases of storage libraries, each in a module of its own: for published bugs, in the release that has them and
// in one that mends them, and for bugs of current releases with requirements that other libraries exclude. It prints a table. Arguments
// select rows by their folder.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// bug is a bug of a library.
type bug struct {
	folder string // with its adapter, in testdata
	module string
	old    string // a release with the bug
	mended string // a release without it; empty means none
	text   string // with its source; empty means that none is published
}

var bugs = []bug{
	{"bbolt", "go.etcd.io/bbolt", "v1.3.2", "v1.3.3",
		"with `NoFreelistSync`, a rollback reads the freelist that was not written (pull request 153)"},
	{"buntdb", "github.com/tidwall/buntdb", "v1.1.2", "v1.3.2",
		"a torn last record is an error (issue 71)"},
	{"etcd", "go.etcd.io/etcd/server/v3", "v3.7.3", "", ""},
	{"raftwal", "github.com/hashicorp/raft-wal", "v0.4.0", "v0.4.2",
		"after a failed write, each further one fails (pull request 32)"},
}

func main() {
	fmt.Println("| library | bug | release: seeds 1, 2, 3 (runs, CPU s) | mended: runs without a finding |")
	fmt.Println("|---|---|---|---|")
	failed := false
	for _, b := range bugs {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], b.folder) {
			continue
		}
		old, errOld := search(b.folder, b.module, b.old)
		mended, errMended := "-", error(nil)
		if b.mended != "" {
			mended, errMended = search(b.folder, b.module, b.mended, "STORES_MENDED=20s")
			if errMended == nil {
				mended = "none in " + mended
			}
			mended = b.mended + ": " + mended
		}
		fmt.Printf("| %s | %s | %s: %s | %s |\n", b.module, b.text, b.old, old, mended)
		if err := errors.Join(errOld, errMended); err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// result is a line of stores.Check.
var result = regexp.MustCompile(`seed \d: (\d+) runs, \d+ steps, ([\d.]+) CPU s: (.*)`)

// search searches with an adapter for a finding in a release of a module.
func search(folder, module, version string, env ...string) (string, error) {
	dir, err := os.MkdirTemp("", "releases")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := write(dir, folder); err != nil {
		return "", err
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod"), env...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			return out.String(), fmt.Errorf("%s %s, with %s %s: %w: %s", name, strings.Join(args, " "), module, version, err, out.Bytes())
		}
		return out.String(), nil
	}
	if _, err := run("go", "get", module+"@"+version); err != nil {
		return "", err
	}
	out, err := run(cmp.Or(os.Getenv("MACEMC"), "macemc"), "test", "./"+folder, "-vet=off", "-v", "-count=1")
	var list []string
	for _, m := range result.FindAllStringSubmatch(out, -1) {
		text := m[1] + " (" + m[2] + ")"
		if m[3] == "nothing" && len(env) == 0 {
			text = "not in " + text
		}
		list = append(list, text)
	}
	return strings.Join(list, ", "), err
}

// write writes a module like that of the stores with one adapter, and without requirements.
func write(dir, folder string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	module := "module github.com/macemc/macemc/evaluation/stores\n\ngo 1.26.0\n\nrequire github.com/macemc/macemc v0.0.0\n\n" +
		"replace github.com/macemc/macemc v0.0.0 => " + root + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600); err != nil {
		return err
	}
	for _, file := range []struct{ from, to string }{
		{"go.sum", "go.sum"}, {"stores.go", "stores.go"},
		{filepath.Join("releases", "testdata", folder, "store_test.go"), filepath.Join(folder, "store_test.go")},
	} {
		text, err := os.ReadFile(file.from)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, file.to)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600)); err != nil {
			return err
		}
	}
	return nil
}
