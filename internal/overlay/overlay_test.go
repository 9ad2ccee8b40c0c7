package overlay

import (
	"encoding/json"
	"errors"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// distribution returns a copy of those files of the Go distribution in use that are changed.
func distribution(t *testing.T) (root string, env goEnvironment) {
	t.Helper()
	env, err := goEnv(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	var files []string
	for _, c := range slices.Concat(changes, testChanges, nodeChanges) {
		files = append(files, present(env.GOROOT, c.file))
	}
	for _, r := range rewrites {
		files = append(files, r.file)
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(env.GOROOT, "src", file))
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(root, "src", file)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, goEnvironment{GOVERSION: env.GOVERSION, GOROOT: root, GOMODCACHE: env.GOMODCACHE}
}

// Each added file is short and formatted, and begins with a comment that describes it.
func TestSources(t *testing.T) {
	n := 0
	err := eachFile(sources, func(name, text string) error {
		n++
		if lines := strings.Count(text, "\n"); lines > 400 {
			t.Errorf("%s has %d lines, more than 400", name, lines)
		}
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("%s is not formatted with gofmt (%v)", name, err)
		}
		head, _, _ := strings.Cut(text, "\n\npackage ")
		if _, after, ok := strings.Cut(head, "\n\n"); ok && strings.HasPrefix(head, "//go:build ") {
			head = after
		}
		if lines := strings.Count(head, "\n") + 1; !strings.HasPrefix(head, "// ") || lines > 3 {
			t.Errorf("%s does not begin with a comment of one to three lines", name)
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Errorf("%d files, %v", n, err)
	}
}

// All changes fit the distribution in use, preserve line numbers, and produce valid Go.
func TestFiles(t *testing.T) {
	root, _ := distribution(t)
	files, err := Files(root)
	if err != nil {
		t.Fatalf("%s: %v", runtime.Version(), err)
	}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
			t.Error(err)
		}
		if was, err := os.ReadFile(filepath.Join(root, "src", name)); err == nil {
			if a, b := strings.Count(string(was), "\n"), strings.Count(string(text), "\n"); a != b {
				t.Errorf("%s has %d lines, and had %d", name, b, a)
			}
		}
	}
	for _, c := range slices.Concat(changes, testChanges, nodeChanges) {
		if !strings.Contains(string(files[present(root, c.file)]), c.text) {
			t.Errorf("%s: the change at %v is missing", c.file, c.place)
		}
	}
}

// The changed standard library compiles.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library")
	}
	b, err := Prepare(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"build"}, b.Flags(""), []string{"testing", "net/http"})...)
	cmd.Env = append(os.Environ(), b.Env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", runtime.Version(), err, out)
	}
}

// A missing or ambiguous place is an error that names it.
func TestRefused(t *testing.T) {
	root, env := distribution(t)
	for _, c := range []struct{ file, from, to, want string }{
		{"runtime/proc.go", "func runqput(", "func runqputs(", "runtime/proc.go: the beginning of function runqput is there 0 times"},
		{"runtime/sema.go", "return nanotime()", "return nanotime() + nanotime()", "the call of nanotime in function internal_sync_nanotime is there 2 times"},
		{"runtime/runtime2.go", "var isIdleInSynctest ", "var idleInSynctest ", "the end of the value of variable isIdleInSynctest is there 0 times"},
		{"runtime/runtime2.go", "type g struct", "type gee struct", "the end of struct type g is there 0 times"},
		{"sync/atomic/asm.s", "TEXT ·", "TEXT  ·", "sync/atomic/asm.s: nothing matches"},
		{"runtime/race_amd64.s", "runtime·raceread<ABIInternal>(SB)", "runtime·racereads<ABIInternal>(SB)",
			"runtime·raceread is not declared in a known form"},
		{"net/net_fake.go", "\nfunc socket(", "\nfunc sockets(", "net/net_fake.go:"},
		{"runtime/rand.go", "globalRand.state.Init(", "globalRand.state.Begin(", "the call of globalRand.state.Init in function randinit is there 0 times"},
	} {
		file := filepath.Join(root, "src", c.file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(text), c.from, c.to)
		if changed == string(text) {
			t.Fatalf("%s has no %q", c.file, c.from)
		}
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err = prepare(env, t.TempDir())
		if _, ok := errors.AsType[*PlacesError](err); !ok || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), env.GOVERSION) {
			t.Errorf("%v, want it to name %q", err, c.want)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The error for an old Go version names the version that is needed, and not the places that its distribution lacks.
func TestRefused_OldVersion(t *testing.T) {
	_, err := prepare(goEnvironment{GOVERSION: "go1.25.4", GOROOT: "/nowhere"}, t.TempDir())
	if want := "go1.25.4 is too old: go1.26 or later is needed"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// An overlay is created once, and again when the distribution changes.
func TestCache(t *testing.T) {
	root, env := distribution(t)
	cache := t.TempDir()
	first, err := prepare(env, cache)
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	text, err := os.ReadFile(first.Overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &overlay); err != nil {
		t.Fatal(err)
	}
	for from, to := range overlay.Replace {
		if !strings.HasPrefix(from, filepath.Join(root, "src")) {
			t.Errorf("%s is not of the distribution", from)
		}
		if _, err := os.Stat(to); err != nil {
			t.Error(err)
		}
	}
	again := func(situation string) {
		if b, err := prepare(env, cache); err != nil || b.Overlay != first.Overlay {
			t.Errorf("%s: %v, %v; want %v", situation, b, err, first)
		}
	}
	again("nothing changed")
	known := knownFile(cache, root, env.GOVERSION, program())
	other := filepath.Join(cache, "other")
	if err := errors.Join(os.CopyFS(other, os.DirFS(filepath.Dir(first.Overlay))), os.WriteFile(known, []byte("other"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if b, err := prepare(env, cache); err != nil || b.Overlay != filepath.Join(other, overlayFile) {
		t.Errorf("%s names %s, but the overlay is %v, %v", known, other, b, err)
	}
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	again("the named folder is missing")
	if err := os.Remove(known); err != nil {
		t.Fatal(err)
	}
	again("no folder is named")
	file := filepath.Join(root, "src", "sync", "once.go")
	if text, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, "// more\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if changed, err := prepare(env, cache); err != nil || changed.Overlay == first.Overlay {
		t.Errorf("the distribution was changed: %v, %v", changed, err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Another program or Go version does not get a known overlay, and an unknown program gets none.
func TestKnownFile(t *testing.T) {
	root, _ := distribution(t)
	exe := filepath.Join(t.TempDir(), "macemc")
	known := func(text, goVersion string) string {
		if err := os.WriteFile(exe, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return knownFile("cache", root, goVersion, exe)
	}
	first, version, program := known("one", "go1.26"), known("one", "go1.27"), known("more", "go1.26")
	if first == version || first == program || version == program {
		t.Errorf("got %s, %s, %s for another program and another Go version; want three files", first, version, program)
	}
	if file := knownFile("cache", root, "go1.26", exe+"x"); file != "" {
		t.Errorf("a program that does not exist has the file %s", file)
	}
}

// A distribution in the module cache, for which the go command rejects overlays, is copied.
func TestDownloaded(t *testing.T) {
	root, env := distribution(t)
	env.GOMODCACHE = filepath.Dir(root)
	cache := t.TempDir()
	b, err := prepare(env, cache)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(cache, filepath.Base(root))
	if !strings.Contains(strings.Join(b.Env, " "), "GOROOT="+copied) || !strings.Contains(strings.Join(b.Env, " "), "GOTOOLCHAIN=local") {
		t.Errorf("environment %v", b.Env)
	}
	if text, err := os.ReadFile(b.Overlay); err != nil || !strings.Contains(string(text), copied) {
		t.Errorf("%v: the overlay is not for the copy: %s", err, text)
	}
}

func TestFlags(t *testing.T) {
	b := Build{Overlay: "o.json"}
	for tags, want := range map[string]string{"": "-overlay=o.json -tags=" + Tag, "a,b": "-overlay=o.json -tags=a,b," + Tag} {
		if got := strings.Join(b.Flags(tags), " "); got != want {
			t.Errorf("%q: %s, want %s", tags, got, want)
		}
	}
	b.goFlags = `-mod=mod '-ldflags=-X a.b=c -w' --tags=c,d`
	for tags, want := range map[string]string{"": "-tags=c,d," + Tag, "a": "-tags=a," + Tag} {
		if got := b.Flags(tags)[1]; got != want {
			t.Errorf("%q with GOFLAGS: %s, want %s", tags, got, want)
		}
	}
	if got, want := b.Default("-ldflags"), "-X a.b=c -w"; got != want {
		t.Errorf("linker flags %q, want %q", got, want)
	}
}
