// Command releases searches releases of storage libraries for findings, and prints a table. Each release has a module of its own, so its
// requirements do not exclude those of others. For a published bug, it also searches the release that fixes it. Arguments select rows by
// their folder.
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
	folder string // of the adapter, in testdata
	module string
	old    string // release with the bug
	fixed  string // release without it; empty means none
	text   string // description with its source; empty means that no bug is published
}

var bugs = []bug{
	{"badger", "github.com/dgraph-io/badger/v4", "v4.1.0", "v4.2.0",
		"`Sync` does not sync the log of the memtable (pull request 1953)"},
	{"bbolt", "go.etcd.io/bbolt", "v1.3.2", "v1.3.3",
		"with `NoFreelistSync`, a rollback reads the freelist that was not written (pull request 153)"},
	{"buntdb", "github.com/tidwall/buntdb", "v1.1.2", "v1.3.2",
		"a torn last record is an error (issue 71)"},
	{"etcd", "go.etcd.io/etcd/server/v3", "v3.7.3", "", ""},
	{"lotusdb", "github.com/lotusdblabs/lotusdb/v2", "v2.1.0", "", ""},
	{"raftwal", "github.com/hashicorp/raft-wal", "v0.4.0", "v0.4.2",
		"after a failed write, each further one fails (pull request 32)"},
}

func main() {
	fmt.Println("| library | bug | release with it: seeds 1, 2, 3 (runs, CPU s) | fixed: runs without a finding |")
	fmt.Println("|---|---|---|---|")
	failed := false
	for _, b := range bugs {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], b.folder) {
			continue
		}
		old, errOld := search(b.folder, b.module, b.old)
		fixed, errFixed := "-", error(nil)
		if b.fixed != "" {
			fixed, errFixed = search(b.folder, b.module, b.fixed, "STORES_FIXED=20s")
			fixed = b.fixed + ": " + fixed
		}
		fmt.Printf("| %s | %s | %s: %s | %s |\n", b.module, b.text, b.old, old, fixed)
		if err := errors.Join(errOld, errFixed); err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// result matches a line of stores.Check.
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
		if m[3] == "nothing" {
			text = "none in " + text
		}
		list = append(list, text)
	}
	return strings.Join(list, ", "), err
}

// write writes a module like that of the stores, with one adapter and without requirements. Its packages have the paths of the originals.
func write(dir, folder string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	const module = "module github.com/macemc/macemc/evaluation/stores\n\ngo 1.26.0\n\nrequire github.com/macemc/macemc v0.0.0\n\n" +
		"replace github.com/macemc/macemc v0.0.0 => %s\n"
	errs := []error{os.WriteFile(filepath.Join(dir, "go.mod"), fmt.Appendf(nil, module, root), 0o600),
		os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("releases", "testdata", folder)))}
	for _, name := range []string{"go.sum", "stores.go"} {
		text, err := os.ReadFile(name)
		errs = append(errs, err, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	return errors.Join(errs...)
}
