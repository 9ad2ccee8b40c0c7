package doccheck_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	sedLine  = regexp.MustCompile(`(?m)^sed .*$`)
	runLine  = regexp.MustCompile(`(?m)^      - run: (.*)$`)
	makeLine = regexp.MustCompile(`^make -C \.macemc (.*)$`)
)

// The commands of the workflow to copy are executed in a module with a test that deadlocks in some schedules. They fail until the finding is
// accepted or the test is mended, and leave the files that the other steps upload.
func TestWorkflow_Commands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the programs and the standard library")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/howto/ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	commands := runLine.FindAllStringSubmatch(page, -1)
	if len(commands) != 3 {
		t.Fatalf("the workflow has the commands %q", commands)
	}
	system := "" // of another page
	for _, b := range pages(t)["howto/time.md"] {
		if b.IsTest() {
			system = b.Text
		}
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.mod", "module example.org/m\n\ngo 1.26.0\n\nrequire github.com/macemc/macemc v0.0.0\n\nreplace github.com/macemc/macemc => "+root+"\n")
	write("go.sum", string(sum))
	write("system/system_test.go", system)
	locks := func(first, second string) string {
		return fmt.Sprintf(`package lease

import (
	"sync"
	"testing"
)

func TestLocks(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	wg.Go(func() { %[1]s.Lock(); %[2]s.Lock(); %[2]s.Unlock(); %[1]s.Unlock() })
	wg.Wait()
}
`, first, second)
	}
	write("lease/lease_test.go", locks("b", "a"))
	write(".macemc/go.mod", "module github.com/macemc/macemc\n")
	if err := os.Symlink(programs(t, root), filepath.Join(dir, ".macemc", "bin")); err != nil {
		t.Fatal(err)
	}
	run := func(command string) (string, error) {
		if m := makeLine.FindStringSubmatch(command); m != nil {
			command = "make -n -C " + root + " " + m[1] // the programs are built already
		}
		cmd := exec.Command("sh", "-ec", strings.Replace(command, "--time 5m", "--time 2s", 1))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir, tidy.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off")
	if out, err := tidy.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := run(commands[1][1])
	if err == nil || !strings.Contains(out, "DEADLOCK") {
		t.Fatalf("%s: %v, without a finding:\n%s", commands[1][1], err, out)
	}
	if stored, _ := filepath.Glob(filepath.Join(dir, "lease/testdata/macemc/TestLocks/*.path")); len(stored) != 1 {
		t.Errorf("stored schedules %q", stored)
	}
	for _, c := range []string{sedLine.FindString(page), commands[1][1]} { // accept the finding
		if out, err = run(c); err != nil {
			t.Fatalf("%s: %v\n%s", c, err, out)
		}
	}
	if want := "issues/12 (lease/testdata/macemc/TestLocks/deadlock-1.path)\nmacemc: 0 new, 1 known, 0 fixed\n"; !strings.HasSuffix(out, want) {
		t.Errorf("want the last lines %s in\n%s", want, out)
	}
	write("lease/lease_test.go", locks("a", "b"))
	for _, c := range commands {
		out, err := run(c[1])
		if err != nil {
			t.Errorf("%s: %v\n%s", c[1], err, out)
		}
	}
	for file, want := range map[string]string{"macemc.xml": `<testsuite name="`, "macemc.sarif": `"executionSuccessful": true`,
		"macemc-test.xml": `name="TestLocks"`, "macemc-test.sarif": `"executionSuccessful": true`} {
		if text := read(file); !strings.Contains(text, want) {
			t.Errorf("%s lacks %s:\n%s", file, want, text)
		}
		if !strings.Contains(page, "\n            "+file) && !strings.Contains(page, ": "+file) {
			t.Errorf("the workflow does not upload %s", file)
		}
	}
}
