package cli

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestFolderFlag_FirstArgumentOnly(t *testing.T) {
	for _, c := range []struct {
		args   []string
		folder string
		rest   []string
	}{
		{nil, "", nil},
		{[]string{"-C", "dir", "./...", "-v"}, "dir", []string{"./...", "-v"}},
		{[]string{"--C=dir", "."}, "dir", []string{"."}},
		{[]string{".", "-C", "dir"}, "", []string{".", "-C", "dir"}},
		{[]string{"-C"}, "", []string{"-C"}},
	} {
		folder, rest := folderFlag(c.args)
		if folder != c.folder || !slices.Equal(rest, c.rest) {
			t.Errorf("%q: got %q and %q, want %q and %q", c.args, folder, rest, c.folder, c.rest)
		}
	}
}

// The go command takes the variables of --env, and builds package bubble for the changed runtime with them.
func TestTestEnv(t *testing.T) {
	t.Setenv("GOFLAGS", "-count=1")
	t.Setenv("XDG_CACHE_HOME", t.TempDir()+"/a cache")
	out, errs, status := run(t, "test", "--env")
	if status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	cmd := exec.Command("go", "list", "-f", "{{.GoFiles}}", bubblePackage)
	cmd.Env = append(os.Environ(), strings.Split(strings.TrimSpace(out), "\n")...)
	list, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(list), "hooks_overlay.go") || !strings.Contains(out, "-count=1") {
		t.Errorf("%v: %s with\n%s", err, list, out)
	}
	if _, errs, status := run(t, "test", "--env", "./..."); status != 2 || !strings.Contains(errs, "--env stands alone") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestWithoutTags(t *testing.T) {
	for _, c := range []struct {
		args, rest []string
		tags       string
	}{
		{[]string{"./...", "-v"}, []string{"./...", "-v"}, ""},
		{[]string{"-tags", "a,b", "."}, []string{"."}, "a,b"},
		{[]string{"--tags=a", ".", "-run", "X"}, []string{".", "-run", "X"}, "a"},
		{[]string{".", "-args", "-tags", "a"}, []string{".", "-args", "-tags", "a"}, ""},
	} {
		rest, tags := withoutTags(c.args)
		if !slices.Equal(rest, c.rest) || tags != c.tags {
			t.Errorf("%q: %q and tags %q", c.args, rest, tags)
		}
	}
}
