package testflags

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/testsched/program"
)

// What a file names is one package, one test of it, and flags that change neither a build nor a file.
func TestCheck(t *testing.T) {
	flags := func(line string) error { return CheckFlags("TestX", line) }
	for _, c := range []struct {
		what      string
		check     func(string) error
		good, bad []string
	}{
		{"package", CheckPackage,
			[]string{"p", "example.org/a-b/v2_test", "github.com/nats-io/nats.go", "command-line-arguments", "_/tmp/p", "x/é"},
			[]string{"", "-exec=./x.sh", "-o", "./...", "x/...", "...", ".", "..", "./x", "../x", "x/../y", "/etc", "x//y", "x/", "a b", "a@v1", `C:\x`,
				"x\x1b[2J", "a\tb", "a,b", "x=y"}},
		{"test", CheckTest,
			[]string{"TestX", "FuzzX/seed#0", "ExampleT_F", "TestÜ", "TestX/a|b/ c", `TestX/a\b`, program.Spec("TestX", "S two\nlines \x01", false), program.Spec("TestX", "S bad\xff_", true)},
			[]string{"", "-test.x", "TestX/../../etc", "../TestX", "TestX/.", "Test X", "TestX\x1b", "TestX/\x07", "/TestX", "TestX\u202e"}},
		{"flags", flags,
			[]string{"", "-short", "-tags=x,y.z", "'-run=^TestX$/a b'", "'-run=^TestX$/a|^TestX$/b' '-skip=X/c'", "-args -slow '$HOME' x", "-short -args"},
			[]string{"-exec=./x.sh", "-toolexec=./x.sh", "-short -exec=x", "-o=/tmp/x", "-C=/tmp", "-modfile=x", "-overlay=x", "-coverprofile=x",
				"-cpuprofile=x", "-outputdir=x", "-ldflags=-extld=x", "-gcflags=-x", "-mod=mod", "-vet=all", "-vettool=x", "--short", "-short=x", "-tags",
				"-tags=a;b", "-tags=x -tags=y", "x_test.go", "./...", "-run=^TestY$", "'-run=^TestX$/a|TestY'", "-run=^TestX$", "-short\x1b",
				"-args -test.cpuprofile=x", "-args -slow --test.outputdir=x", "-json", "''", "-bench=."}},
	} {
		for _, text := range c.good {
			if err := c.check(text); err != nil {
				t.Errorf("%s %q: %v", c.what, text, err)
			}
		}
		for _, text := range c.bad {
			if c.check(text) == nil {
				t.Errorf("%s %q passes", c.what, text)
			}
		}
	}
}

// Paths of tests are valid in all file systems, distinct, and lead downwards.
func TestTestPath(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"TestX", "FuzzX/seed#0", "TestX/a/b", "TestX/a//b", "TestX/..", "TestX/.", "TestX/a:b", "TestX/a?b", "TestX/é=1,2",
		"TestX/a.", "TestX/a", "TestX/" + strings.Repeat("long", 100), "TestX/" + strings.Repeat("long", 101)} {
		path := TestPath(name)
		if old, ok := seen[path]; ok || strings.ContainsAny(path, `:?"\`) || strings.Contains(path, "..") || strings.Contains(path, "//") || len(path) > 120 {
			t.Errorf("%q has %q, as %q", name, path, old)
		}
		seen[path] = name
	}
	for _, name := range []string{"", "TestX", "FuzzX/seed#0", "TestX/a_b/c-1"} {
		if path := TestPath(name); path != name {
			t.Errorf("%q has %q", name, path)
		}
	}
}
