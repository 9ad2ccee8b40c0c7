package check_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/search"
)

// listed returns the files in a folder and below it.
func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// The findings of a check replace those of an earlier one. No other files change.
func TestFindingsAreReplaced(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	find := func(harm string, keepGoing bool) {
		c := search.Config{System: doorSystem(strings.Fields(harm)...), Strategy: search.Walk, Workers: 1, MaxPaths: 100}
		rep, err := check.Run(t.Context(), check.Options{Dir: "kept/TestDoor", Root: "kept", Replace: true, KeepGoing: keepGoing, Search: c})
		if err != nil {
			t.Fatal(err)
		}
		for name := range rep.PathFiles() {
			if _, err := os.Stat(name); err != nil {
				t.Error(err)
			}
		}
	}
	own := []string{"kept/TestDoor/notes.txt", "kept/TestDoor/1/notes.txt", "kept/TestDoor/2/error.path"}
	in := func(dir string) []string {
		return []string{dir + "/error.path", dir + "/original.path", dir + "/report.html", dir + "/report.json", dir + "/report.md"}
	}
	find("window", false)
	for _, name := range own {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("my own"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		harm      string
		keepGoing bool
		want      []string
	}{
		{"roof", false, in("kept/TestDoor")},
		{"roof window flood", true, slices.Concat(in("kept/TestDoor/1"), in("kept/TestDoor/3"), in("kept/TestDoor/4"))}, // 2 has an own error.path
		{"roof flood", true, slices.Concat(in("kept/TestDoor/1"), in("kept/TestDoor/3"))},
		{"flood", false, in("kept/TestDoor")},
		{"flood", false, in("kept/TestDoor")},
		{"", false, in("kept/TestDoor")}, // no finding: the last ones are still there
	} {
		const file = "kept/TestDoor/error.path"
		old := time.Now().Add(-time.Hour)
		_ = os.Chtimes(file, old, old) // it may not exist
		find(c.harm, c.keepGoing)
		if info, err := os.Stat(file); err == nil && info.ModTime().After(old.Add(time.Minute)) != (c.harm != "") {
			t.Errorf("after a search with harm %q, the finding is from %v", c.harm, info.ModTime())
		}
		got := slices.DeleteFunc(listed(t, "kept"), func(n string) bool { return strings.HasSuffix(n, "/original.path") })
		want := slices.DeleteFunc(append(slices.Concat(own, c.want), "kept/.gitignore"), func(n string) bool { return strings.HasSuffix(n, "/original.path") })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("after %q there are\n%q, want\n%q", c.harm, got, want)
		}
		for _, name := range own {
			if text, err := os.ReadFile(name); err != nil || string(text) != "my own" {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
	}
}

// Git ignores findings. A file of the user stays unchanged.
func TestFindingsAreIgnored(t *testing.T) {
	t.Chdir(t.TempDir())
	cfg := search.Config{System: doorSystem("window"), Strategy: search.Walk, Workers: 1, MaxPaths: 2000}
	if _, err := check.Run(t.Context(), check.Options{Search: cfg}); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("git: %v, %s", err, out)
	}
	if out, err := exec.Command("git", "status", "--porcelain", "--untracked-files=all").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("git status: %s, %v", out, err)
	}
	if text, _ := os.ReadFile("macemc-out/.gitignore"); strings.Contains(string(text), "replaces") || !strings.HasSuffix(string(text), "\n*\n") {
		t.Errorf("findings are not replaced there, and nothing is committed: %s", text)
	}
	if err := os.WriteFile("macemc-out/.gitignore", []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := check.Run(t.Context(), check.Options{Search: cfg}); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile("macemc-out/.gitignore"); string(text) != "# mine\n" {
		t.Errorf("it says %q now", text)
	}
	if _, err := check.Run(t.Context(), check.Options{Search: cfg, Dir: "out/mine"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("out/.gitignore"); err == nil {
		t.Error("a folder that was asked for is somebody's own")
	}
}
