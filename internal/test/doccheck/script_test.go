package doccheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/macemc/macemc/internal/test/doccheck"
	"github.com/macemc/macemc/internal/test/golden"
)

// Where these pages are carried out: by tests of modules that have what they need.
var carriedOutBy = map[string]string{"docs/goroutines.md": "glue/grpc"}

// prelude lets "go run ./evaluation" run the program that is built already.
const prelude = `go() { if [ "$1 $2" = "run ./evaluation" ]; then shift 2; evaluation "$@"; else command go "$@"; fi; }
`

// The files, changes and commands of each page are carried out, and the page shows what the commands print. With -update outputs
// that differ are written into the page.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs, and carries out the pages")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := programs(t, root)
	for _, page := range markdown(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		if carriedOutBy[page] != "" || !strings.Contains(string(text), "```console\n") {
			continue
		}
		t.Run(page, func(t *testing.T) {
			s := doccheck.Script{Dir: t.TempDir(), Prelude: prelude, Env: []string{"COLUMNS=100", "CHECKOUT=" + root,
				"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}}
			shown, err := s.Run(string(text))
			switch diff := cmp.Diff(string(text), shown); {
			case err != nil:
				t.Error(err)
			case diff == "":
			case *golden.Update:
				if err := os.WriteFile(filepath.Join(root, page), []byte(strings.ReplaceAll(shown, s.Dir, "/home/me")), 0o644); err != nil {
					t.Error(err)
				}
			default:
				t.Errorf("the page shows something else (-page +real; -update accepts it):\n%s", diff)
			}
		})
	}
}

// built is the folder of the programs after they are built.
var built string

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(built)
	os.Exit(status)
}

// programs builds macemc and the evaluation, if they are not built, and returns their folder.
func programs(t *testing.T, root string) (bin string) {
	t.Helper()
	if built != "" {
		return built
	}
	var err error
	if built, err = os.MkdirTemp("", "doccheck-"); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath=false", "-ldflags=-w", "-o", built, "./cmd/macemc", "./cmd/macemc-cluster",
		"./cmd/macemc-debug", "./cmd/macemc-mcp", "./cmd/macemc-vet", "./evaluation")
	cmd.Dir = root // with -trimpath the program would not know it
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return built
}

func TestScript_Run(t *testing.T) {
	const page = "`a.txt`:\n\n```go\none\ntwo\n```\n\n```console\n$ cat a.txt; echo in 1.5s\none\ntwo\nin 2.5s\n```\n\n" +
		"In `a.txt`:\n\n```diff\n one\n-two\n+three\n```\n\n```console\n$ cat a.txt\none\ntwo\n```\n\n```sh\nfalse\n```\n"
	s := doccheck.Script{Dir: t.TempDir()}
	shown, err := s.Run(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(page, "$ cat a.txt\none\ntwo\n", "$ cat a.txt\none\nthree\n", 1); shown != want {
		t.Errorf("got\n%s\nwant\n%s", shown, want)
	}
	if _, err := s.Run("In `a.txt`:\n\n```diff\n-two\n+three\n```\n"); err == nil {
		t.Error("a change that does not fit is made")
	}
	if _, err := s.Run("```diff\n-three\n+two\n```\n"); err == nil {
		t.Error("a change of no file is made")
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, output string
		want          bool
	}{
		{"a\nb\n", "a\nb\n", true}, {"a\nb\n", "a\n", false}, {"a\n", "a\nb\n", false},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true}, {"a\n...\nd\n", "a\nd\n", true}, {"a\n...\n", "a\nb\nc\n", true}, {"a\n...\n", "a\n\nc\n", true},
		{"...\nc\n", "a\nb\nc\n", true}, {"...\nb\n", "a\nb\nc\n", false}, {"a\n...\nx\n", "a\nb\n", false},
		{"in 1.5s, 2 steps\n", "in 0.1s, 2 steps\n", true}, {"in 1.5s, 2 steps\n", "in 0.1s, 3 steps\n", false},
	} {
		if got := doccheck.Matches(c.shown, c.output); got != c.want {
			t.Errorf("Matches(%q, %q) = %v, want %v", c.shown, c.output, got, c.want)
		}
	}
}
