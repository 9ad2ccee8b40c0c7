package mctest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Check searches the system for violations of its properties, for a few seconds. When it finds one it
// writes the run to testdata/macemc/ and the test's name, beside the test, logs it, and fails the
// test. It fails the test, too, when it cannot tell, because a suspect was not confirmed or the time
// did not do for anything. Otherwise it logs what was covered. A system without a name gets that of
// the test.
func Check(t testing.TB, system sim.System) {
	t.Helper()
	if system.Name == "" {
		system.Name = t.Name()
	}
	env, err := readEnv(testing.Short())
	if err != nil {
		t.Fatal(err)
	}
	if env.role.Reexecuting() {
		reexecute(t, &system, env)
		return
	}
	if env.replay != "" {
		show(t, &system, env)
		return
	}
	rep, err := check.Run(t.Context(), options(t, system, env))
	if rep == nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Errorf("the report is not complete: %v", err)
	}
	text := terminal(t, rep)
	switch rep.Verdict {
	case search.OK:
		t.Log(text)
	default:
		t.Error(text)
	}
}

func terminal(t testing.TB, rep *report.Report) string {
	var text bytes.Buffer
	text.WriteByte('\n') // so that columns line up
	if err := report.Terminal(&text, rep, report.Style{}); err != nil {
		t.Error(err)
	}
	return text.String()
}

func options(t testing.TB, system sim.System, env environment) check.Options {
	run := runPattern(t.Name())
	return check.Options{
		Search: search.Config{
			System:  system,
			Time:    env.time,
			Seed:    env.seed,
			Workers: env.workers,
		},
		Dir:     filepath.Join("testdata", "macemc", filepath.FromSlash(t.Name())),
		Reuse:   true,
		Respawn: func() *exec.Cmd { return respawn(run, &system) },
		Commands: func(dir string) report.Commands {
			again := fmt.Sprintf("go test -run '%s' .", run)
			return report.Commands{
				Look:   fmt.Sprintf("%s=%s %s", replayVar, filepath.Join(dir, check.ErrorPath), again),
				Rerun:  fmt.Sprintf("%s=%d %s", seedVar, env.seed, again),
				Report: filepath.Join(dir, check.ReportPage),
			}
		},
	}
}

// runPattern is the -run pattern that selects one test.
func runPattern(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// respawn makes the command that runs this test again in a fresh process.
func respawn(run string, system *sim.System) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	cmd := exec.Command(exe, "-test.run="+run, "-test.count=1", "-test.timeout=0")
	cmd.Env = append(os.Environ(), systemVar+"="+identity(system))
	return cmd
}

// identity tells the systems of one test apart.
func identity(s *sim.System) string {
	return fmt.Sprintf("%s, %d nodes, %+v, %v", s.Name, s.Nodes, s.Limits(), s.Timing)
}

// reexecute is what a fresh process does instead of searching.
func reexecute(t testing.TB, system *sim.System, env environment) {
	if identity(system) != env.system {
		return // another Check of the same test is meant
	}
	env.role.LimitMemory()
	env.role.Follow(func() {})
	if err := check.Reexecute(system, env.role.Recorder); err != nil {
		t.Log(err)
	}
	env.role.Recorder.End(0)
	os.Exit(0)
}

// show executes the run of a path file and logs every step.
func show(t testing.TB, system *sim.System, env environment) {
	t.Helper()
	run := runPattern(t.Name())
	loaded, err := check.LoadFor(t.Context(), env.replay, system, func() *exec.Cmd { return respawn(run, system) })
	if err != nil {
		t.Fatalf("%s: %v", replayVar, err)
	}
	trace, err := loaded.Trace(-1)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	text.WriteByte('\n')
	if err := trace.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	t.Log(text.String())
	if what := loaded.Violation(trace); what != "" {
		t.Error(what)
	}
}
