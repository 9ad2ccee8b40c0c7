package grpc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/doccheck"
	"github.com/macemc/macemc/internal/test/golden"
)

// building is what macemc test prints when the caches lack something.
var building = regexp.MustCompile(`(?m)^macemc: building .*\n`)

// duration is the time of a test or a search, and its number of schedules.
var duration = regexp.MustCompile(`\(\d+\.\d+s|\t\d+\.\d+s|\d+/s`)

// The service of the page has the two bugs that it describes, and none after its changes.
func TestTutorial(t *testing.T) {
	const page = "../../docs/goroutines.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(".", "tutorial") // below the module, which has what it needs
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-C", "../../cmd/macemc", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	here := strings.NewReplacer("github.com/macemc/macemc/glue/grpc/"+filepath.Base(dir), "example.com/kv")
	s := doccheck.Script{Dir: dir, Replace: func(out string) string { return here.Replace(building.ReplaceAllString(out, "")) },
		Env: []string{"GOMAXPROCS=2", "COLUMNS=100", "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH")}}
	shown, err := s.Run(string(text))
	timeless := func(s string) string { return duration.ReplaceAllString(s, "(a while)") }
	switch line, got, want := golden.Difference(timeless(shown), timeless(string(text))); {
	case err != nil:
		t.Error(err)
	case line == 0:
	case *golden.Update:
		if err := os.WriteFile(page, []byte(shown), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%s differs in line %d (-update accepts it):\ngot  %q\nwant %q", page, line, got, want)
	}
}
