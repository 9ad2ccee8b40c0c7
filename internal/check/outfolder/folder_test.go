package outfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func fillWith(text string) func(temp, final string) error {
	return func(temp, _ string) error {
		return os.WriteFile(filepath.Join(temp, "report.json"), []byte(text), 0o644)
	}
}

func TestFolderNeverOverwrites(t *testing.T) {
	root := t.TempDir()
	asked := filepath.Join(root, "asked")
	empty := filepath.Join(root, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	named := Folder{Root: filepath.Join(root, "out")}
	for i, c := range []struct {
		folder Folder
		want   string
	}{
		{named, "out/toy-1"},
		{named, "out/toy-2"},
		{named, "out/toy-3"},
		{Folder{Dir: asked}, "asked"},
		{Folder{Dir: asked}, "asked/1"},
		{Folder{Dir: asked}, "asked/2"},
		{Folder{Dir: empty}, "empty"},
		{Folder{Dir: filepath.Join(root, "a", "b")}, "a/b"},
	} {
		text := string(rune('a' + i))
		got, err := c.folder.Write("toy", fillWith(text))
		if err != nil {
			t.Fatalf("%s: %v", c.want, err)
		}
		if want := filepath.Join(root, filepath.FromSlash(c.want)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		// The files written first must still exist after all later writes.
		defer func() {
			if b, _ := os.ReadFile(filepath.Join(got, "report.json")); string(b) != text {
				t.Errorf("%s holds %q, want %q", got, b, text)
			}
		}()
	}
	if left, _ := filepath.Glob(filepath.Join(root, "*", ".macemc-*")); len(left) != 0 {
		t.Errorf("temporary folders are left: %v", left)
	}
}

// A finding that replaces an earlier form of itself leaves those in numbered folders, which are of other searches.
func TestFolderReplacesOwnFinding(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "out")
	finding := func(temp, final string) error {
		return fillWith(fmt.Sprintf(`{"path_file": %q}`, filepath.Join(final, ErrorPath)))(temp, final)
	}
	for _, c := range []struct {
		folder Folder
		want   string
	}{
		{Folder{Dir: dir}, ""},
		{Folder{Dir: dir}, "1"},
		{Folder{Dir: dir, Replace: true}, ""},
	} {
		if got, err := c.folder.Write("toy", finding); err != nil || got != filepath.Join(dir, c.want) {
			t.Fatalf("got %s, %v, want out/%s", got, err, c.want)
		}
	}
	if !IsFinding(filepath.Join(dir, "1")) {
		t.Error("the finding of another search was removed")
	}
	if _, err := (Folder{Dir: dir, Replace: true, Numbered: true}).Write("toy", finding); err != nil || IsFinding(filepath.Join(dir, "1")) {
		t.Errorf("%v; the numbered finding remains", err)
	}
}

func TestProbeLeavesNothing(t *testing.T) {
	root := t.TempDir()
	for _, f := range []Folder{{Root: filepath.Join(root, "out")}, {Dir: filepath.Join(root, "a", "b", "c")}} {
		if err := f.Probe(); err != nil {
			t.Error(err)
		}
	}
	if entries, _ := os.ReadDir(root); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// Concurrent searches in one directory remove their probe folders, but not the folders that others are about to use.
func TestProbesMeet(t *testing.T) {
	root := t.TempDir()
	out := Folder{Root: filepath.Join(root, "out")}
	probes, writes := 500, 50
	if testing.Short() {
		probes, writes = 100, 10
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range probes {
				if err := out.Probe(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Go(func() {
		for range writes {
			name, err := out.Write("toy", fillWith("a"))
			if err == nil {
				err = os.RemoveAll(name)
			}
			if err != nil {
				t.Error(err)
				return
			}
			_ = os.Remove(out.Root)
		}
	})
	all.Wait()
}

// A regular file in place of a folder makes writing fail for any user.
func TestProbeRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range []Folder{{Dir: file}, {Dir: filepath.Join(file, "sub")}, {Root: file}} {
		if f.Probe() == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
}

func TestSlug(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"every ping is acknowledged", "every-ping-is-acknowledged"},
		{"n0: a/b ../.. Ä", "n0-a-b"},
		{"0123456789 0123456789 0123456789 0123456789 0123456789 01234 678", "0123456789-0123456789-0123456789-0123456789-0123456789-01234"},
	} {
		if got := Slug(c.in); got != c.want {
			t.Errorf("Slug(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
