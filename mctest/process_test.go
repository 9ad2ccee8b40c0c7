package mctest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// killer ends its process at its second timer, in one of several ways.
type killer struct {
	sim.Nop
	How string
	Got int
}

func (k *killer) Boot(env sim.Env) { env.SetTimer("first", 1); env.SetTimer("second", 2) }

func (k *killer) Timer(sim.Env, any) {
	if k.Got++; k.Got < 2 && k.How != "early" {
		return
	}
	switch k.How {
	case "exit", "early":
		os.Exit(7)
	case "stack":
		debug.SetMaxStack(1 << 20) // a gigabyte takes long
		k.Got = overflow(k.Got)
	}
}

// overflow calls itself until the stack is full.
func overflow(n int) int {
	if n < 0 {
		return 0
	}
	return overflow(n+1) + 1
}

func kill(t *testing.T, how string) {
	onlyInside(t)
	sys := sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &killer{How: how} },
		Properties: []sim.Property{{Name: "quiet", Always: func(*sim.View) bool { return true }}},
	}
	switch how {
	case "when":
		sys.Actions = []sim.AnyAction{sim.Action[*killer]{Name: "ask", When: func(k *killer) bool { return k.Got < 2 || exit() }, Do: func(*killer, sim.Env) {}}}
	case "crash":
		sys.Crashes, sys.MayCrash = 1, func(sim.NodeID) bool { return exit() }
	case "new":
		sys.New = func(sim.NodeID) sim.Service { exit(); return nil }
	}
	if file := os.Getenv(pathVar); file != "" {
		sys.Name = "TestExit"
		mctest.Replay(t, sys, file)
		return
	}
	mctest.Check(t, sys)
}

func exit() bool {
	os.Exit(7)
	return true
}

func TestExit(t *testing.T)  { kill(t, "exit") }
func TestStack(t *testing.T) { kill(t, "stack") }
func TestWhen(t *testing.T)  { kill(t, "when") }
func TestCrash(t *testing.T) { kill(t, "crash") }
func TestNew(t *testing.T)   { kill(t, "new") }
func TestEarly(t *testing.T) { kill(t, "early") }

// A regression test with a run that ends the process reports the run's steps, wherever on the path that happens.
func TestReplay_HandlerKills(t *testing.T) {
	dir := t.TempDir()
	if out, passed := run(t, dir, "TestExit"); passed {
		t.Fatalf("TestExit passed:\n%s", out)
	}
	const path = pathVar + "=testdata/macemc/TestExit/error.path"
	for test, want := range map[string]string{"TestExit": `at step 2:\s+n0 timer "second"`, "TestEarly": `at step 1:\s+n0 timer "first"`} {
		out, passed := run(t, dir, test, path)
		if passed {
			t.Errorf("%s passed", test)
		}
		wantAll(t, out, `the run still violates`, `the handler ends the process with exit status 7`, want, `--- FAIL: `+test)
	}
}

// Handlers that end their process are findings, and so are they when the path is executed.
func TestCheck_HandlersKillProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	const second = `n0 timer "second"`
	for _, c := range []struct{ test, strategy, want, step string }{
		{"TestExit", "deepening", "the handler ends the process with exit status 7", second},
		{"TestExit", "bfs", "the handler ends the process with exit status 7", second},
		{"TestStack", "deepening", "the handler overflows the stack", second},
		{"TestStack", "dfs", "the handler overflows the stack", second},
		{"TestWhen", "deepening", `the When of action "ask" ends the process with exit status 7`, second},
		{"TestWhen", "bfs", `the When of action "ask" ends the process with exit status 7`, second},
		{"TestCrash", "dfs", "MayCrash ends the process with exit status 7", ""},
		{"TestNew", "deepening", "New(0) ends the process with exit status 7", ""},
		{"TestNew", "bfs", "New(0) ends the process with exit status 7", ""},
	} {
		dir := t.TempDir()
		out, passed := run(t, dir, c.test, "-macemc.strategy="+c.strategy)
		if passed || !strings.Contains(out, c.want) || !strings.Contains(out, c.step) {
			t.Errorf("%s: want %q, got\n%s", c.test, c.want, out)
		}
		out, passed = run(t, dir, c.test, "-macemc.replay=testdata/macemc/"+c.test+"/error.path")
		if passed || !strings.Contains(out, c.want) {
			t.Errorf("%s followed: want %q, got\n%s", c.test, c.want, out)
		}
	}
}

// Every setting works as a flag, and a search that ends by its number of paths is reproducible.
func TestFlags(t *testing.T) {
	settings := []string{"-macemc.max-paths=300", "-macemc.seed=3", "-macemc.workers=1", "-macemc.strategy=walk", "-macemc.schedules=weighted,pct",
		"-macemc.interleave=random"} // the last one changes nothing, as no goroutines take turns
	first, passed := run(t, t.TempDir(), "TestNoLoss", settings...)
	if !passed {
		t.Fatalf("failed:\n%s", first)
	}
	wantAll(t, first, `walks 300, all live`, `scheduled walks: weighted \d+, pct \d+\n`)
	second, _ := run(t, t.TempDir(), "TestNoLoss", append(settings, "-macemc.in-process")...)
	figures := func(s string) string {
		at := strings.Index(s, "walks 300")
		return s[at : at+strings.Index(s[at:], "engine:")] // which depends on speed
	}
	if figures(first) != figures(second) {
		t.Errorf("in a process of its own:\n%s\nin the test's:\n%s", figures(first), figures(second))
	}
}

// flawed violates one of two properties, depending on the order of its timers.
type flawed struct {
	sim.Nop
	First string
}

func (f *flawed) Boot(env sim.Env) { env.SetTimer("tick", 1); env.SetTimer("tock", 1) }

func (f *flawed) Timer(_ sim.Env, t any) {
	if f.First == "" {
		f.First = t.(string)
	}
}

func TestTwoFlaws(t *testing.T) {
	onlyInside(t)
	never := func(name string) sim.Property {
		return sim.Property{Name: name + " is never first", Always: sim.Each(func(_ sim.NodeID, f *flawed) bool { return f.First != name })}
	}
	mctest.Check(t, sim.System{Nodes: 1, New: func(sim.NodeID) sim.Service { return &flawed{} }, Properties: []sim.Property{never("tick"), never("tock")}})
}

// A check that continues reports distinct violations, each in its own folder.
func TestKeepGoing(t *testing.T) {
	dir := t.TempDir()
	out, passed := run(t, dir, "TestTwoFlaws", "-macemc.keep-going", "-macemc.max-paths=100")
	if passed {
		t.Error("passed")
	}
	wantAll(t, out, `2 DIFFERENT VIOLATIONS`, `tick is never first`, `tock is never first`)
	for _, name := range []string{"1", "2"} {
		if _, err := os.Stat(filepath.Join(dir, "testdata", "macemc", "TestTwoFlaws", name, "error.path")); err != nil {
			t.Error(err)
		}
	}
}

// fickle fails in ways that depend on its process.
type fickle struct {
	sim.Nop
	Got int
}

// howVar names how a fickle node fails, and dirVar names a folder.
const howVar, dirVar = "MCTEST_HOW", "MCTEST_DIR"

var (
	fickleHow, fickleDir = os.Getenv(howVar), os.Getenv(dirVar)
	reportTo             = os.Getenv("MACEMC_REPORT_TO")
	fresh                = os.Getenv("MACEMC_ROLE") == "reexecute"
	inUse                int // of a pool that is never refilled
)

func (f *fickle) Boot(env sim.Env) { env.SetTimer("tick", 1) }

func (f *fickle) Timer(env sim.Env, _ any) {
	f.Got++
	inUse++
	env.SetTimer("tick", 1)
	switch fickleHow {
	case "pool":
		env.Assert(inUse <= 5, "the pool is exhausted: %d in use", inUse)
		return
	case "other assertion":
		env.Assert(!fresh && f.Got < 3, "third")
		return
	case "other panic":
		if fresh {
			panic("first")
		}
	case "other place":
		if fresh && f.Got == 3 {
			panic("third, elsewhere")
		}
	case "exit":
		if fresh {
			os.Exit(7)
		}
	case "chdir":
		os.Chdir(fickleDir)
	case "clearenv":
		os.Clearenv()
	case "unwritable":
		os.RemoveAll(filepath.Dir(reportTo))
	}
	if f.Got == 3 {
		panic("third")
	}
}

func TestFickle(t *testing.T) {
	onlyInside(t)
	mctest.CheckWith(t, sim.System{
		Nodes: 1, New: func(sim.NodeID) sim.Service { return &fickle{} },
		Properties: []sim.Property{{Name: "quiet", Always: func(*sim.View) bool { return true }}},
	}, mctest.Options{Time: 2 * time.Second, Workers: 1})
}

// A finding that other executions of its run show in another step, in another place of the code, or by the end of their
// process, is nondeterminism.
func TestCheck_FindingThatDoesNotRecur(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for how, step := range map[string]int{"pool": 1, "other assertion": 1, "other panic": 1, "other place": 3, "exit": 1} {
		dir := t.TempDir()
		out, passed := run(t, dir, "TestFickle", howVar+"="+how)
		if passed {
			t.Errorf("%s: passed", how)
		}
		wantAll(t, out, `NONDETERMINISM`, `does not\s+recur`, fmt.Sprintf(`step\s+%d\s+of\s+the\s+original\s+run\s+is\s+the\s+first\s+that\s+differs`, step))
		text, err := os.ReadFile(filepath.Join(dir, "testdata", "macemc", "TestFickle", "error.path"))
		if err != nil || !strings.Contains(string(text), "\nfinding nondeterminism\n") {
			t.Errorf("%s: %v\n%s", how, err, text)
		}
	}
}

// Handlers that change their folder or environment, or prevent the report's transfer, do not prevent the report.
func TestCheck_HandlersThatMeddle(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, how := range []string{"chdir", "clearenv", "unwritable"} {
		dir, other := t.TempDir(), t.TempDir()
		out, passed := run(t, dir, "TestFickle", howVar+"="+how, dirVar+"="+other)
		if passed {
			t.Errorf("%s: passed", how)
		}
		file := filepath.Join("testdata", "macemc", "TestFickle", "error.path")
		wantAll(t, out, `PANIC`, `third`, regexp.QuoteMeta(file))
		if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if left, err := os.ReadDir(other); err != nil || len(left) > 0 {
			t.Errorf("%s: %v in the folder that it changes to, %v", how, left, err)
		}
	}
}
