package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func here(t *testing.T) *workspace {
	t.Helper()
	w, err := load("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The modules agree on their version, replace nothing, and the released files are those that the checkout compiles.
func TestPublished(t *testing.T) {
	w := here(t)
	if len(w.modules) != 15 || w.modules[0] != "." || w.version == "" {
		t.Errorf("modules %q of version %q", w.modules, w.version)
	}
	if testing.Short() {
		t.Skip("lists the packages of all programs")
	}
	o, err := w.outside()
	if err != nil {
		t.Fatal(err)
	}
	defer o.remove()
	for i, program := range programs {
		users, checkout, err := o.published(w, program)
		packages := func(text string) []string {
			return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
				return i > 0 && !strings.HasPrefix(line, root) // the workspace may have newer versions of what only others need
			})
		}
		if diff := cmp.Diff(packages(checkout), packages(users)); err != nil || diff != "" || !strings.Contains(users, root+"/cmd/"+program+" ") {
			t.Errorf("%s: %v; packages (-checkout +users):\n%s", program, err, diff)
		}
	}
}

// A new version is written into each file that contains one, and the modules still form one workspace.
func TestSet(t *testing.T) {
	if testing.Short() {
		t.Skip("copies the tree")
	}
	dir := t.TempDir()
	if err := here(t).copyTo(dir); err != nil {
		t.Fatal(err)
	}
	w, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "1.2.3", "v1", "v2.0.0", "latest"} {
		if err := w.set(bad); err == nil {
			t.Errorf("%q is taken for a version", bad)
		}
	}
	const version = "v0.98.7"
	if err := w.set(version); err != nil {
		t.Fatal(err)
	}
	if w, err = load(dir); err != nil || w.version != version {
		t.Fatalf("%+v, %v", w, err)
	}
	versions := regexp.MustCompile(`macemc/macemc(/\S+)? (v\S+)`)
	found := 0
	for _, name := range []string{"go.work", "glue/go.work", "glue/services/pebble/go.work", "cmd/macemc/go.mod", "cmd/macemc-cluster/go.mod",
		"cmd/macemc-debug/go.mod", "cmd/macemc-mcp/go.mod", "cmd/macemc-vet/go.mod", "evaluation/go.mod", "systems/etcdraft/go.mod", "glue/grpc/go.mod",
		"glue/raft/go.mod", "glue/memberlist/go.mod", "glue/services/go.mod",
		"glue/services/nats/go.mod", "glue/services/pebble/go.mod", "glue/services/raft/go.mod"} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range versions.FindAllStringSubmatch(string(text), -1) {
			found++
			if m[2] != version {
				t.Errorf("%s: %s", name, m[0])
			}
		}
	}
	if found != 30 {
		t.Errorf("%d requirements and replacements, want 30", found)
	}
	list := exec.Command("go", "list", "./cmd/macemc", "./systems/etcdraft")
	if !testing.Short() { // they require modules that nothing else needs, so that these may have to be downloaded
		list.Args = append(list.Args, "./cmd/macemc-cluster", "./cmd/macemc-debug", "./cmd/macemc-mcp", "./cmd/macemc-vet")
	}
	list.Dir, list.Env = dir, append(os.Environ(), "GOFLAGS=-buildvcs=false")
	if out, err := list.CombinedOutput(); err != nil {
		t.Errorf("go list: %v\n%s", err, out)
	}
}

// Conditions that would prevent an installation by users are detected.
func TestLoadNotices(t *testing.T) {
	if testing.Short() {
		t.Skip("copies the tree")
	}
	dir := t.TempDir()
	if err := here(t).copyTo(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, add, want string }{
		{"cmd/macemc/go.mod", "\nreplace github.com/macemc/macemc => ../..\n", "go.mod replaces github.com/macemc/macemc"},
		{"go.mod", "\nrequire github.com/macemc/macemc/systems/etcdraft v0.0.0\n", "which requires it"},
		{"glue/raft/go.mod", "\nrequire github.com/macemc/macemc/systems/etcdraft v0.1.0\n", "where others require"},
	} {
		file := filepath.Join(dir, filepath.FromSlash(c.file))
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(string(text)+c.add), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %q: %v, want %s", c.file, c.add, err, c.want)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// contents lists the packages of a program with their versions and files. Packages of the standard library are left out.
const contents = "{{if not .Standard}}{{.ImportPath}} {{.Module.Version}} {{.GoFiles}} {{.SFiles}} {{.EmbedFiles}}{{end}}"

// published returns the contents of a program for users, and those in the checkout. If they are equal, users compile what is tested.
func (o *outside) published(w *workspace, program string) (users, checkout string, err error) {
	dir, pkg := filepath.Join(o.dir, "users-"+program), root+"/cmd/"+program
	mod := fmt.Sprintf("module users\n\ngo 1.26.0\n\nrequire %s %s\n", pkg, w.version)
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644)); err != nil {
		return "", "", err
	}
	here := exec.Command("go", "list", "-deps", "-f", contents, pkg)
	here.Dir = w.dir
	var texts [2]string
	for i, cmd := range []*exec.Cmd{o.command(dir, here.Args[1:]...), here} {
		var stderr strings.Builder
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		if err != nil {
			return "", "", fmt.Errorf("go list: %w\n%s", err, &stderr)
		}
		texts[i] = strings.ReplaceAll(string(text), " "+w.version+" [", "  [") // modules of the workspace have no version
	}
	return texts[0], texts[1], nil
}
