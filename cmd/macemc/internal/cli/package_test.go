package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/macemc/macemc/internal/task"
)

// leanBuilds makes the go command link tests without debugging information, and skip vet.
func leanBuilds(t testing.TB) {
	t.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -vet=off -ldflags=-w"))
}

// runHere executes a command line in a folder as the program does, but in this process. The output includes that of test binaries.
func runHere(t *testing.T, dir string, args ...string) (output string, status int) {
	t.Helper()
	t.Chdir(dir)
	var out bothStreams
	a := &app{Process: task.Process{
		Stdout: &out, Stderr: &out, Stdin: strings.NewReader(""), Program: "macemc", Systems: testSystems(), Respawn: task.Respawn,
		Screen: showScreen, NoScreen: "standard input is not a terminal",
	}, binaries: shared}
	status = a.run(context.Background(), args)
	return longBuilds.ReplaceAllString(out.text.String(), ""), status
}

// longBuilds matches the lines about builds that take long, as on a slow machine.
var longBuilds = regexp.MustCompile(`(?m)^macemc: building the tests .*\n`)

// shared is a folder for what several tests build. An empty string means that there is none.
var shared string

// withShared calls f with a shared folder.
func withShared(f func() int) int {
	var err error
	if shared, err = os.MkdirTemp("", "macemc-cli-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(shared)
	return f()
}

// sharedFolder returns the shared folder, or one for this test alone.
func sharedFolder(t *testing.T) string {
	if shared != "" {
		return shared
	}
	return t.TempDir()
}

// bothStreams holds standard output and standard error of a process. Several goroutines write to it.
type bothStreams struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *bothStreams) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// A search starts from a run of a test's system, with and without the name of the test.
func TestSearchFrom_Package(t *testing.T) {
	dir := testModule(t)
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"search ./two:TestTwice/same#01 --out found", 1, `TestTwice/same#01: SAFETY VIOLATION`},
		{"search --from found/error.path --step 1 --out again", 1, `TestTwice/same.*: SAFETY VIOLATION`},
		{"search ./two --test TestTwice/same#01 --from found/error.path --max-paths 1 --out named", 1, `SAFETY VIOLATION`},
		{"search example.org/mysvc/two:TestTwice/same#01 --from found/error.path --max-paths 1 --out listed", 1, `SAFETY VIOLATION`},
		{"search ./two:TestSub/one --from found/error.path", 2,
			`--from found/error.path is a run of test TestTwice/same.* of package example.org/mysvc/two, not of "./two:TestSub/one"`},
		{"search ./two:TestTwice/same --from found/error.path", 2, `not of "./two:TestTwice/same"`},
		{"search ./two:TestTwice#2 --out check", 1, `TestTwice: SAFETY VIOLATION`},
		{"search ./two:TestTwice#2 --from check/error.path --max-paths 1 --out numbered", 1, `SAFETY VIOLATION`},
		{"search ./two:TestTwice#3 --from check/error.path", 2, `has no test TestTwice#3 that checks the system "TestTwice"`},
		{"search ./late --from found/error.path", 2, `of package example.org/mysvc/two, not of "./late"`},
		{"search pingack --from found/error.path", 2, `of package example.org/mysvc/two, not of "pingack"`},
	} {
		out, status := runHere(t, dir, append(strings.Fields(c.args), "--tags", "check")...)
		if status != c.status || !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("macemc %s: exit status %d, want %d and %s, got\n%s", c.args, status, c.status, c.want, out)
		}
	}
}

// programTest is a test of a package main. Its run is dead if the timer "late" fires before "early".
const programTest = `package main

import (
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

type service struct {
	sim.Nop
	Late, Done bool
	Ticks      int
}

func (s *service) Boot(env sim.Env) {
	for _, name := range []string{"early", "late", "tick"} {
		env.SetTimer(name, 1)
	}
}

func (s *service) Timer(env sim.Env, name any) {
	switch name {
	case "early":
		s.Done = !s.Late
	case "late":
		s.Late = true
	case "tick":
		s.Ticks++
		env.SetTimer("tick", 1)
	}
}

func check(t *testing.T, proof critical.Proof, time time.Duration) {
	mctest.CheckWith(t, sim.System{
		Name: "program", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(service) },
		Properties: []sim.Property{{Name: "done", Eventually: sim.Each(func(_ sim.NodeID, s *service) bool { return s.Done })}},
	}, mctest.Options{Proof: proof, MaxPaths: 2000, WalkSteps: 60, Time: time})
}

func TestWalks(t *testing.T) { check(t, critical.Walks, 0) }

// No proof is exact, because the state space is not finite.
func TestExact(t *testing.T) { check(t, critical.Exact, 2*time.Second) }
`

// Every path file of a check in a package main can be opened by the commands that reports print.
func TestPathFiles_PackageMain(t *testing.T) {
	dir := testModule(t)
	for name, text := range map[string]string{"main.go": "package main\n\nfunc main() {}\n", "main_test.go": programTest} {
		if err := os.MkdirAll(filepath.Join(dir, "program"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "program", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const found = "program/testdata/macemc/TestWalks/"
	for _, args := range []string{
		"test -run . ./program",
		"shrink " + found + "original.path --out shrunk.path",
	} {
		if out, status := runHere(t, dir, strings.Fields(args)...); status > 1 {
			t.Errorf("macemc %s: exit status %d\n%s", args, status, out)
		}
	}
	if out, status := runHere(t, dir, "mdb", found+"error.path", "--batch", "-x", "save saved.path"); status != 0 {
		t.Errorf("exit status %d\n%s", status, out)
	}
	names := map[string]bool{}
	filepath.WalkDir(dir, func(file string, _ os.DirEntry, _ error) error {
		if filepath.Ext(file) == ".path" {
			names[filepath.Base(file)] = true
			for _, args := range [][]string{{"replay", file}, {"mdb", file, "--batch", "-x", "info"}, {"graph", file}} {
				if out, status := runHere(t, dir, args...); status > 1 {
					t.Errorf("macemc %s: exit status %d\n%s", args, status, out)
				}
			}
		}
		return nil
	})
	for _, want := range []string{"error.path", "live.path", "original.path", "suspect.path", "shrunk.path", "saved.path"} {
		if !names[want] {
			t.Errorf("%s was not written; there are %v", want, names)
		}
	}
}

// All commands work on a system of a test in any package, from a search to a regression test.
func TestSystemsOfPackages(t *testing.T) {
	dir := testModule(t)
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"systems .:TestKeeper", 0, `(?s)^TestKeeper: TestKeeper of example.org/mysvc.*crashes<=1, loss<=1.*always +a confirmed offset`},
		{"systems --tags check ./two", 0, `^macemc: [^\n]* where go.mod requires v1.2.0\nTestSub/none +1 nodes  few\nTestSub/one +1 nodes  few\nTestTwice/same +1 nodes  few\nTestTwice/same#01 +1 nodes  few\nTestTwice +1 nodes  few\nTestTwice#2 \(TestTwice\)  1 nodes  few\n$`},
		{"search . --time 1m --write-test --out found", 1,
			`(?s)TestKeeper: SAFETY VIOLATION.*replay: +macemc replay found/error.path\n +search again: +macemc search \. --seed 1 --time 1m0s.*more: +--keep-going continues.*regression test: .*regress_keeper_1_test.go`},
		{"replay found/error.path", 1, `found after step 5: safety: a confirmed offset is not lost`},
		{"mdb found/error.path --batch -x 5", 0, `step 5 of 5: n0 receives Committed`},
		{"report found/error.path --format text", 0, `SAFETY VIOLATION`},
		{"shrink found/error.path", 1, `end 5`},
		{"graph found/error.path --format mermaid", 0, `^sequenceDiagram`},
		{"search ./two --tags check --max-paths 50 --no-shrink --junit both.xml", 1, `(?s)searching ./two:TestSub/none\n.*TestSub/none: SAFETY VIOLATION.*search again: +macemc search ./two:TestSub/none .*` +
			`TestSub/one: nothing found.*searching ./two:TestTwice#2\n.*TestTwice: SAFETY VIOLATION`},
		{"search ./two --tags check --out both", 2, `--out is for one system, and ./two has several; name one, as in ./mysvc:TestLease`},
		{"search ./odd", 2, `system "odd\\xff": Name is not UTF-8`},
		{"test -C none .", 0, `(?m)^ok .*example.org/mysvc/none`},
		{"search ./two:TestSub/one --tags check --max-paths 50 -v", 0,
			`(?s)^macemc: example.org/mysvc/two is built with example.org/dep replaced by ./dep, where go.mod requires v1.2.0\n.*TestSub/one: nothing found.*built with example.org/dep`},
		{"search ./two:TestSub/one --tags check --max-paths 50 --json", 0, `"required": "v1.2.0",\s+"used": "replaced by ./dep"`},
		{"search ./two --test TestSub/none --tags check --out none-found", 1, `TestSub/none: SAFETY VIOLATION`},
		{"search ./two:TestTwice/same#01 --tags check --out second-found", 1, `TestTwice/same#01: SAFETY VIOLATION`},
		{"replay second-found/error.path --tags check", 1, `safety: few`},
		{"search ./two:TestSub/none --test TestSub/one --tags check", 2, `--test TestSub/one contradicts`},
		{"search ./two", 2, `example.org/mysvc/two`},
		{"search ./none", 2, `no test of example.org/mysvc/none calls mctest.Check`},
		{"search ./none:TestNothing", 2,
			`TestNothing checks no system; explore its schedules with: macemc test -run '\^TestNothing\$' example.org/mysvc/none\n$`},
		{"search ./plain", 2, `example.org/mysvc/plain has no tests`},
		{"search ./nowhere", 2, `folder ./nowhere does not exist`},
		{"search ./broken", 2, `broken_test.go:3:13: cannot use "text".*\n(.*\n)*macemc: the package cannot be built\n$`},
		{"search .:TestKeper", 2, `TestKeper`},
		{"search ./two/... --tags check --max-paths 50 --no-shrink --junit two.xml --sarif - --lines two.lines --github two.github", 1,
			`(?s)"text": "TestSub/none: safety violation: .*"uri": "two/[a-z_]+.go",\s+"uriBaseId": "%SRCROOT%".*"text": "TestTwice: safety violation`},
		{"search ./n...", 2, `./n...: no test of these packages calls mctest.Check`},
		{"search ./ba... --junit bad.xml", 2, `bad_test.go:5:13: cannot use "text"`},
		{"search ./two/... --tags check --nodes 99 --junit refused.xml", 2, `99 nodes, must be`},
		{"search ./... --junit go.mod", 2, `--junit: go.mod exists and was not written by this command`},
		{"search ./... --out all", 2, `--out is for one system, and ./... has several; name one`},
		{"search . --nodes 3", 2, `3 nodes, must be 2`},
		{"search none", 2, `for the package in that folder, use ./none`},
		{"search pingack --test TestX", 2, `--test applies to packages`},
		{"search pingack --write-test", 2, `--write-test needs a package`},
	} {
		out, status := runHere(t, dir, strings.Fields(c.args)...)
		if status != c.status || !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("macemc %s: exit status %d, want %d and %s, got\n%s", c.args, status, c.status, c.want, out)
		}
	}

	// A pattern yields one JUnit file for all checks, including those that could not be searched.
	for name, wants := range map[string][]string{
		"both.xml": {`<testsuites name="macemc" tests="36" failures="3" errors="0"`, `<testsuite name="./two:TestSub/none"`},
		"two.xml": {`<testsuites name="macemc" tests="36" failures="3" errors="0"`, `<testsuite name="example.org/mysvc/two:TestSub/none"`,
			`<testcase classname="macemc.example.org/mysvc/two:TestTwice#2" name="few"`, `<failure type="safety"`,
			"macemc search example.org/mysvc/two:TestSub/none "},
		"bad.xml":   {`<testsuites name="macemc" tests="1" failures="0" errors="1"`, `name="example.org/mysvc/bad"`, "cannot use"},
		"two.lines": {"two/two_test.go:17: [macemc] TestSub/none: safety violation: few", "[macemc] TestSub/one: nothing found in "},
		"two.github": {"::error file=two/two_test.go,line=17,title=few::[macemc] TestSub/none: SAFETY",
			"::notice::[macemc] TestSub/one: nothing found in "},
		"refused.xml": {`<error type="error" message="exit status 2 without a report; see standard error"`},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: %s is missing in\n%s", name, want, text)
			}
		}
	}

	// A reader of a drawing from a test's process may stop early, as head does.
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	var said bytes.Buffer
	a := &app{Process: task.Process{Stdout: writer, Stderr: &said, Stdin: strings.NewReader(""), Program: "macemc", Screen: showScreen}}
	a.run(context.Background(), []string{"graph", filepath.Join(dir, "found", "error.path")})
	writer.Close()
	if strings.Contains(said.String(), "pipe") {
		t.Errorf("a reader that has gone is told of: %s", &said)
	}

	// A path file leads to its package from any folder, if the file is inside the module.
	out, status := runHere(t, os.TempDir(), "replay", filepath.Join(dir, "found", "error.path"))
	if status != 1 || !strings.Contains(out, "found after step 5") {
		t.Errorf("exit status %d\n%s", status, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "found", "error.path"))
	if err != nil {
		t.Fatal(err)
	}
	lost := filepath.Join(t.TempDir(), "lost.path")
	if err := os.WriteFile(lost, text, 0o644); err != nil {
		t.Fatal(err)
	}
	out, status = runHere(t, filepath.Dir(lost), "replay", "lost.path")
	if status != 2 || !strings.Contains(out, "lost.path: line 5: test TestKeeper of package example.org/mysvc was not found") {
		t.Errorf("exit status %d\n%s", status, out)
	}

	// The regression test fails until the bug is fixed, and every package of the module accepts the variables.
	goTest := func(env string, args ...string) (string, bool) {
		cmd := exec.Command("go", append([]string{"test"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	if out, passed := goTest("MACEMC_TIME=1s", "-run", "Regress", "."); passed || !strings.Contains(out, "TestKeeper_Regress1") {
		t.Errorf("passed: %v\n%s", passed, out)
	}
	file := filepath.Join(dir, "mysvc.go")
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	put := regexp.MustCompile(`(?m)^\t\tenv\.Disk\(\)\.Put.*$`)
	if err := os.WriteFile(file, put.ReplaceAll(code, []byte("$0\n\t\tenv.Disk().Sync()")), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, passed := goTest("MACEMC_MAX_PATHS=500", ".", "./none", "./plain"); !passed {
		t.Errorf("after the fix:\n%s", out)
	}
	if out, passed := goTest("X=", ".", "-macemc.max-paths", "500", "-macemc.seed", "2"); !passed {
		t.Errorf("with flags:\n%s", out)
	}
}
