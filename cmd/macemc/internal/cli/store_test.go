package cli

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/scaffold"
)

// The files that survived the last crash of a store are written to a folder, and a test fails with them in plain Go. Nothing else is
// overwritten.
func TestReplay_Files(t *testing.T) {
	inStore(t)
	out, status := testCommand(t.Context(), "-macemc.time=60s", ".")
	paths, _ := filepath.Glob("testdata/macemc/*/error.path")
	if status != 1 || len(paths) != 1 {
		t.Fatalf("exit status %d, paths %v: %s", status, paths, out)
	}
	if out, status := commandHere(t.Context(), "replay", paths[0], "--files", "crashed"); status != 1 || !strings.Contains(out, " recurs: ") {
		t.Fatalf("exit status %d: %s", status, out)
	}
	log, err := os.ReadFile("crashed/n0/log")
	torn := slices.ContainsFunc(strings.Split(strings.TrimSuffix(string(log), "\n"), "\n"), func(line string) bool { return !json.Valid([]byte(line)) })
	if err != nil || !torn {
		t.Errorf("%v, no torn line: %q", err, log)
	}
	if err := errors.Join(os.Mkdir("own", 0o777), os.WriteFile("own/own_test.go", []byte("package own\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"crashed is not empty", []string{"--files", "crashed"}},
		{"name a file in a new folder", []string{"--write-test", "crashed_test.go"}},
		{"was not written by this command", []string{"--write-test", "own/own_test.go"}},
		{"ends in _test.go", []string{"--write-test", "crashed.go"}},
	} {
		if out, status = commandHere(t.Context(), append([]string{"replay", paths[0]}, c.args...)...); status != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%v: exit status %d: %s", c.args, status, out)
		}
	}
	if out, status = commandHere(t.Context(), "replay", paths[0], "--write-test", "plain/crashed_test.go"); status != 1 {
		t.Fatalf("exit status %d: %s", status, out)
	}
	plain, err := exec.CommandContext(t.Context(), "go", "test", "./plain").CombinedOutput()
	if err == nil || !strings.Contains(string(plain), "--- FAIL: TestCrashed") {
		t.Errorf("%v: %s", err, plain)
	}
}

// A boot that kills its process is executed until the program begins: its files are known, and the test fails with them in plain Go. The
// process dies when it reads a key that was perhaps never written.
func TestReplay_FilesFatal(t *testing.T) {
	inStore(t)
	text, err := os.ReadFile("store.go")
	if err != nil {
		t.Fatal(err)
	}
	fatal := strings.NewReplacer("break // BUG", "s.values[``] = `torn`; break // BUG",
		"value, ok = s.values[key]", "if value, ok = s.values[key]; s.values[``] != `` { panic(s.values[``]) }").Replace(string(text))
	if err := os.WriteFile("store.go", []byte(fatal), 0o600); err != nil {
		t.Fatal(err)
	}
	out, status := commandHere(t.Context(), "search", ".", "--time", "60s", "--no-shrink", "--out", "found")
	if status != 1 || !strings.Contains(out, "kills the process: panic: torn") {
		t.Fatalf("exit status %d: %s", status, out)
	}
	out, status = commandHere(t.Context(), "replay", filepath.Join("found", "error.path"), "--files", "crashed", "--write-test", "plain/crashed_test.go")
	if status != 1 {
		t.Fatalf("exit status %d: %s", status, out)
	}
	log, err := os.ReadFile("crashed/n0/log")
	if err != nil || len(log) == 0 {
		t.Errorf("%v, files %q", err, log)
	}
	plain, err := exec.CommandContext(t.Context(), "go", "test", "./plain").CombinedOutput()
	if err == nil || !strings.Contains(string(plain), "panic: torn") {
		t.Errorf("%v: %s", err, plain)
	}
}

// inStore makes a module with a store and its test the working directory.
func inStore(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := filepath.Join(t.TempDir(), "store")
	checkout, err := filepath.Abs(filepath.Join("..", "..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.Write(dir, checkout, scaffold.Store); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// A process initializes its packages again if they read the environment. With cgo, the system's linker places the values of their variables.
func TestInitialization_Cgo(t *testing.T) {
	inStore(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("STORE_SETTING", "other")
	const text = `package store

import "C"
import "os"

var setting, program = os.Getenv("STORE_SETTING"), os.Args[0]

// names is not needed after the initialization, as in generated code.
var names = []string{"a"}

func init() {
	os.Open(must(os.Executable())) // its hash is a random seed in package protobuf
	if names[0] != "a" {
		panic(setting + program)
	}
	names = nil
}

func must(name string, err error) string {
	if err != nil {
		panic(err)
	}
	return name
}
`
	if err := os.WriteFile("c.go", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, status := testCommand(t.Context(), "-macemc.time=60s", "."); status != 1 || !strings.Contains(out, "monitor durability") {
		t.Errorf("exit status %d: %s", status, out)
	}
}
