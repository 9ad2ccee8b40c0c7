package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/macemc/macemc/internal/task"
)

// Version changes by a workspace or a replacement are reported, and nothing else is.
func TestOtherVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages")
	}
	const dep = "module example.org/dep\n\ngo 1.26.0\n"
	const own = "module example.org/svc\n\ngo 1.26.0\n\nrequire example.org/dep v1.2.0\n"
	files := map[string]string{
		"svc/svc_test.go": "package svc\n\nimport (\n\t\"testing\"\n\n\t_ \"example.org/dep\"\n)\n\nfunc TestX(*testing.T) {}\n",
		"dep/dep.go":      "package dep\n", "dep/go.mod": dep,
		"old/dep.go": "package dep\n", "old/go.mod": dep,
	}
	for _, c := range []struct {
		name, mod, work string
		want            string // %s is the folder
	}{
		{"replaced", own + "\nreplace example.org/dep => ../dep\n", "", "[example.org/dep replaced by ../dep, where go.mod requires v1.2.0]"},
		{"workspace", own, "go 1.26.0\n\nuse (\n\t./svc\n\t./dep\n)\n\nreplace example.org/dep v1.2.0 => ./old\n",
			"[example.org/dep as it is in %s/dep, where go.mod requires v1.2.0]"},
		{"not used", "module example.org/svc\n\ngo 1.26.0\n\nrequire (\n\texample.org/dep v1.2.0\n\texample.org/more v1.0.0\n)\n\nreplace (\n\texample.org/dep => ../dep\n\texample.org/more => ../old\n)\n", "",
			"[example.org/dep replaced by ../dep, where go.mod requires v1.2.0]"},
		{"nothing required", "module example.org/svc\n\ngo 1.26.0\n", "", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			write := func(name, text string) {
				file := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for name, text := range files {
				write(name, text)
			}
			write("svc/go.mod", c.mod)
			if c.work != "" {
				write("go.work", c.work)
			}
			if c.name == "nothing required" {
				write("svc/svc_test.go", "package svc\n")
			}
			t.Setenv("GOFLAGS", "-mod=mod")
			if c.work != "" {
				t.Setenv("GOFLAGS", "")
			}
			t.Setenv("GOPROXY", "off")
			var out bytes.Buffer
			a := &app{Process: task.Process{Stdout: &out, Stderr: &out}}
			svc := filepath.Join(dir, "svc")
			others, err := a.otherVersions(t.Context(), svc, a.dependencies(t.Context(), svc))
			want := c.want
			if c.name == "workspace" {
				want = fmt.Sprintf(want, dir)
			}
			if got := fmt.Sprint(others); err != nil || got != want {
				t.Errorf("%s, %v; want %s", got, err, want)
			}
		})
	}
}
