package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/internal/version"
)

// resultPackages are packages with findings, a passing test, one that skips itself, and tests that are not explored.
var resultPackages = map[string]string{
	"a": `
import (
	"sync"
	"testing"
)

func TestStop(t *testing.T) {
	done := make(chan bool)
	stop := func() {
		select {
		case <-done:
		default:
			close(done)
		}
	}
	var wg sync.WaitGroup
	wg.Go(stop)
	wg.Go(stop)
	wg.Wait()
}

func TestSub(t *testing.T) {
	t.Run("stuck", func(t *testing.T) { <-make(chan int) })
}

func TestSkipped(t *testing.T) { t.Skip("not here") }
`,
	"b": `
import (
	"sync"
	"testing"
)

func TestFine(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { mu.Lock(); mu.Unlock() })
	}
	wg.Wait()
}
`,
	"c": `
import (
	"os/exec"
	"testing"
)

func TestProcess(t *testing.T) { exec.Command("true").Run() }

func TestBroken(t *testing.T) {
	exec.Command("true").Run()
	t.Error("broken")
}
`,
	"d": `
import "testing"

func TestUnbuilt(t *testing.T) { undefined() }
`,
}

// changing are the parts of results that differ between runs and versions.
var changing = regexp.MustCompile(`(time="|seconds": )[0-9.]+|[0-9]+/s|"version": "[^"]*go[^"]*"`)

// unconfirmed are the lines about predictions that no directed schedule confirms.
var unconfirmed = regexp.MustCompile(`\nmacemc: (not confirmed by|and by [0-9]+ more)[^\n\]]*`)

// readResults returns the files of results, without what differs between runs.
func readResults(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, file := range []string{"x.xml", "x.sarif", "x.github", "x.lines"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("== " + file + "\n" + changing.ReplaceAllString(unconfirmed.ReplaceAllString(string(text), ""), "${1}N"))
	}
	return b.String()
}

var resultFlags = strings.Fields("-junit x.xml -sarif x.sarif -github x.github -lines x.lines -schedules 50")

// The formats for other programs have all packages. Findings are at their lines, and tests that are not explored, not built or skipped do not
// pass.
func TestTest_Results(t *testing.T) {
	files, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testPackages(t, resultPackages)
	for _, more := range []string{"-v=false", "-json"} {
		if err := os.RemoveAll(filepath.Join("a", "testdata")); err != nil { // schedules found before
			t.Fatal(err)
		}
		out, status := testCommand(t.Context(), append(resultFlags, more, "./a", "./b", "./c", "./d")...)
		if status != 1 {
			t.Errorf("%s: status %d:\n%s", more, status, out)
		}
		golden.CompareFile(t, filepath.Join(files, "results.txt"), []byte(readResults(t)))
		if text, err := os.ReadFile("x.sarif"); err != nil || !strings.Contains(string(text), `"version": "`+version.Current().String()+`"`) {
			t.Errorf("%v: the version is not that of this program:\n%s", err, text)
		}
	}
}

// The results of a cached package are those of the run that was cached. Known findings are in them.
func TestTest_CachedResults(t *testing.T) {
	files, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	testPackages(t, map[string]string{"a": resultPackages["a"], "b": resultPackages["b"]})
	if out, status := testCommand(t.Context(), append(resultFlags, "-run=TestStop|TestSkipped|TestFine", "./a", "./b")...); status != 1 {
		t.Fatalf("status %d:\n%s", status, out)
	}
	file := filepath.Join("a", "testdata", "macemc", "TestStop", "panic-1.path")
	text, err := os.ReadFile(file)
	if err == nil {
		first, rest, _ := strings.Cut(string(text), "\n")
		err = os.WriteFile(file, []byte(first+"\nknown accepted\n"+rest), 0o600)
	}
	err = errors.Join(err, filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(name, time.Unix(1e9, 0), time.Unix(1e9, 0))) // the go command caches nothing newer
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, cached := range []bool{false, true} {
		out, status := testCommand(t.Context(), append(resultFlags, "-run=TestStop|TestSkipped|TestFine", "./a", "./b")...)
		if status != 0 || cached != (strings.Count(out, "(cached)") == 2) {
			t.Errorf("status %d, cached must be %t:\n%s", status, cached, out)
		}
		golden.CompareFile(t, filepath.Join(files, "results-cached.txt"), []byte(readResults(t)))
	}
}

// A format on standard output is alone there, and -json is there without one.
func TestTest_ResultsPrinted(t *testing.T) {
	testPackages(t, map[string]string{"b": resultPackages["b"]})
	out, errs, status := run(t, "test", "-github", "-", "-schedules=5", "./b")
	if status != 0 || !strings.HasPrefix(out, "::notice::") || strings.Contains(out, "ok  \t") || !strings.Contains(errs, "ok  \t") {
		t.Errorf("status %d, got %q and %q", status, out, errs)
	}
	out, _, status = run(t, "test", "-json", "-github", "x.github", "-schedules=5", "./b")
	for line := range strings.Lines(out) {
		if status != 0 || !json.Valid([]byte(line)) {
			t.Errorf("status %d, %q is no event", status, line)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"-json -github - ./b", "both write to standard output"},
		{"-junit - -github - ./b", "both write to standard output"},
		{"./b -junit", "-junit needs a file"},
		{"-junit ./...", "-junit needs a file before ./..., or - for standard output"},
		{"-junit -sarif x.sarif ./b", "-junit needs a file before -sarif, or - for standard output"},
		{"-junit x.xml -sarif ./x.xml ./b", "--junit x.xml and --sarif ./x.xml write to the same file; name two"},
		{"-junit b/x_test.go ./b", "b/x_test.go"},
		{"-junt x.xml ./b", "did you mean -junit?"},
		{"-explore=false -junit x.xml ./b", "nothing was explored"},
	} {
		if out, status := testCommand(t.Context(), strings.Fields(c.args)...); status != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%s: status %d, %q is missing:\n%s", c.args, status, c.want, out)
		}
	}
}
