package scaffold_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/scaffold"
)

// Write does not overwrite files, and refuses invalid names.
func TestRefused(t *testing.T) {
	full := filepath.Join(t.TempDir(), "full")
	if err := os.Mkdir(full, 0o755); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(full, "kept")
	if err := os.WriteFile(kept, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, checkout, want string }{
		{full, "", "is not empty"},
		{kept, "", "not a directory"},
		{filepath.Join(t.TempDir(), "1st"), "", `"1st" is not a valid package name`},
		{filepath.Join(t.TempDir(), "go"), "", `"go" is not a valid package name, go is a keyword of Go`},
		{filepath.Join(t.TempDir(), "svc"), full, "is not a checkout of github.com/macemc/macemc; name the folder of one with --macemc DIR"},
	} {
		_, err := scaffold.Write(c.dir, c.checkout, scaffold.Service)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.dir, err, c.want)
		}
	}
	if entries, _ := os.ReadDir(full); len(entries) != 1 {
		t.Errorf("%v", entries)
	}
}

// In a module that lacks the checker Write returns the commands that add it; otherwise there are none.
func TestInModule(t *testing.T) {
	for _, c := range []struct {
		mod   string
		steps int
	}{
		{"module example.org/m\n\ngo 1.26.0\n", 2},
		{"module example.org/m\n\ngo 1.26.0\n\nrequire github.com/macemc/macemc v0.0.0\n", 0},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(c.mod), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := scaffold.Write(filepath.Join(dir, "internal", "My-Service"), "", scaffold.Service)
		if err != nil {
			t.Fatal(err)
		}
		if w.Module || len(w.Steps) != c.steps || strings.Join(w.Files, " ") != "myservice.go myservice_test.go" {
			t.Errorf("got %+v, want both files without a module, and %d steps", w, c.steps)
		}
		if _, err := scaffold.Write(filepath.Join(dir, "another"), dir, scaffold.Service); err == nil ||
			c.steps == 0 && !strings.Contains(err.Error(), "already requires the checker; leave out") {
			t.Errorf("another checker is given: %v", err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "internal", "My-Service", "myservice.go"))
		if err != nil || !strings.Contains(string(text), "\npackage myservice\n") {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
