package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Any harm of a handler to its process is reported, with the step.
func TestSupervised(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, c := range []struct {
		harm, message string
		kind          sim.FindingKind
	}{
		{"overflow", "the handler overflows the stack", sim.Divergence},
		{"exit", "the handler ends the process with exit status 0", sim.Panic},
		{"exit later", "the handler ends the process with exit status 7", sim.Panic},
		{"memory", "the handler exhausts the memory: more than 256 MB, ", sim.Divergence},
		{"loop", "the handler did not return within 1s", sim.Divergence},
		{"goroutine", "the handler kills the process: panic: in a goroutine", sim.Panic},
	} {
		t.Run(c.harm, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			t.Setenv("CHECK_TEST_DIR", dir)
			t.Setenv(harmVar, c.harm)
			t.Setenv(markerVar, filepath.Join(t.TempDir(), "marker"))
			out, stdout, stderr, err := supervise(t.Context(), c.harm)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			var rep *report.Report
			if out.Death == nil {
				rep = decoded(t, stdout, stderr)
			} else if rep, err = check.ReportDeath(t.Context(), testOptions(meanSystem(c.harm)), out); err != nil {
				t.Fatal(err)
			}
			// The shortest harmful run: send, then the second message is delivered first.
			if rep.Verdict != search.Violation || rep.Kind != c.kind || !strings.HasPrefix(rep.Message, c.message) || rep.Steps != 2 {
				t.Errorf("got %s, %s in step %d: %s", rep.Verdict, rep.Kind, rep.Steps, rep.Message)
			}
			text, err := os.ReadFile(filepath.Join(dir, outfolder.ErrorPath))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			if len(lines) < 3 || !strings.Contains(lines[len(lines)-2], "deliver n1<-n0 2") || lines[len(lines)-1] != "end 2" {
				t.Errorf("path file:\n%s", text)
			}
			// There is no state after the harmful step.
			if page, err := os.ReadFile(filepath.Join(dir, "report.md")); err != nil || strings.Contains(string(page), "no longer live") {
				t.Errorf("%v:\n%s", err, page)
			}
		})
	}
}

// A process that a signal stops is replaced long before the time limit of a step.
func TestExamine_Stopped(t *testing.T) {
	t.Setenv(markerVar, filepath.Join(t.TempDir(), "marker"))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	d, _, err := isolate.Fresh{Respawn: harmed("stop"), Limit: time.Hour}.Examine(ctx, nil)
	if err != nil || d == nil || !strings.Contains(d.Message, "ends the process with exit status 7") {
		t.Errorf("%+v, %v", d, err)
	}
}

// A process that searches uses one processor while it waits for another process, as its abandoned handlers may loop.
func TestExamine_YieldsProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for supervised, want := range map[string]int{filepath.Join(t.TempDir(), "flight"): 1, "": 2} {
		t.Setenv("MACEMC_FLIGHT", supervised)
		least, done := 2, make(chan struct{})
		go func() {
			defer close(done)
			if d, _, err := (isolate.Fresh{Respawn: harmed("boot"), Limit: time.Hour}).Examine(t.Context(), nil); d == nil || err != nil {
				t.Errorf("got %+v, %v, want a death", d, err)
			}
		}()
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-time.After(time.Millisecond):
				least = min(least, runtime.GOMAXPROCS(0))
			}
		}
		if after := runtime.GOMAXPROCS(0); least != want || after != 2 {
			t.Errorf("recorder %q: got %d processors, and %d afterwards, want %d and 2", supervised, least, after, want)
		}
	}
}

// A search that continues reports its findings from before the death of its process, and that it ended with it.
func TestKeepGoingUntilKilled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	t.Setenv("CHECK_TEST_DIR", dir)
	t.Setenv(harmVar, "exit+slip")
	out, _, stderr, err := supervise(t.Context(), "exit+slip")
	if err != nil || out.Death == nil {
		t.Fatalf("%v, %+v\n%s", err, out, stderr)
	}
	rep, err := check.ReportDeath(t.Context(), testOptions(meanSystem("exit+slip")), out)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"safety nobody slips 1 1", "panic  2 2"}
	var got []string
	for _, f := range rep.Findings {
		got = append(got, fmt.Sprintf("%s %s %d %s", f.Kind, f.Property, f.Steps, filepath.Base(filepath.Dir(f.PathFile))))
		if _, err := os.Stat(f.PathFile); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(got, want) || rep.Verdict != search.Violation || !strings.Contains(rep.Ended, "terminated the search process") {
		t.Errorf("findings %q, want %q; %s, ended: %s", got, want, rep.Verdict, rep.Ended)
	}
}

// A handler that waits for another goroutine is a finding with the stack of the waiting goroutine. It is found before
// the time limit for handlers that compute.
func TestBlocked(t *testing.T) {
	t.Setenv("CHECK_TEST_DIR", filepath.Join(t.TempDir(), "out"))
	t.Setenv(harmVar, "block")
	_, stdout, stderr, err := supervise(t.Context(), "block")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	rep := decoded(t, stdout, stderr)
	within, err := time.ParseDuration(rep.Message[strings.LastIndexByte(rep.Message, ' ')+1:])
	if rep.Kind != sim.Divergence || err != nil || within >= 5*time.Second || !strings.Contains(rep.Stack, "mean).do") {
		t.Errorf("%s: %s\n%s", rep.Kind, rep.Message, rep.Stack)
	}
}

// A run that kills its process is shrunk in fresh processes: to sending and the delivery of the second message. The
// process survives if the first message is delivered before.
func TestShrinkDeath(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		harm string
		kind sim.FindingKind
	}{{"exit+rest", sim.Panic}, {"overflow+rest", sim.Divergence}} {
		sys := meanSystem(c.harm)
		file := filepath.Join(t.TempDir(), "long.path")
		text := "macemc path 1\nsystem mean\nnodes 2\ntiming ByDeadline\nseed 1\n" +
			"1 action n0 rest\n1 action n1 rest\n0 action n0 send\n1 deliver n1<-n0 2\nend 4\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := check.LoadFor(t.Context(), file, &sys, harmed(c.harm))
		if err != nil || l.Death == nil || len(l.Moved) != 0 {
			t.Fatalf("%+v, %v", l, err)
		}
		rep, err := check.Shrink(t.Context(), l, check.ShrinkOptions{Respawn: harmed(c.harm)})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != search.Violation || rep.Kind != c.kind || rep.Steps != 2 || rep.Shrunk == nil || rep.Shrunk.FromSteps != 4 || !rep.Shrunk.Minimal {
			t.Errorf("%s: %s, %s in step %d, %+v", c.harm, rep.Verdict, rep.Kind, rep.Steps, rep.Shrunk)
		}
		small, err := pathfile.Parse(strings.NewReader(rep.PathText))
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, s := range small.Steps {
			keys = append(keys, s.Key)
		}
		if want := []string{"action n0 send", "deliver n1<-n0 2"}; !slices.Equal(keys, want) {
			t.Errorf("%s: %q, want %q", c.harm, keys, want)
		}
	}
}

// A process that cannot even boot the nodes has no steps to show, but it is reported.
func TestSupervisedBoot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	t.Setenv("CHECK_TEST_DIR", dir)
	out, _, stderr, err := supervise(t.Context(), "boot")
	if err != nil || out.Death == nil {
		t.Fatalf("%v, %+v: %s", err, out, stderr)
	}
	rep, err := check.ReportDeath(t.Context(), testOptions(meanSystem("boot")), out)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := render.Terminal(&text, document.New(rep, nil)); err != nil {
		t.Fatal(err)
	}
	if want := "the handler ends the process with exit status 7"; rep.Steps != 0 || !strings.Contains(text.String(), want) {
		t.Errorf("steps %d, want 0 and %q in\n%s", rep.Steps, want, text.String())
	}
	if path, err := os.ReadFile(filepath.Join(dir, outfolder.ErrorPath)); err != nil || !strings.HasSuffix(string(path), "\nend 0\n") {
		t.Errorf("%v: path file\n%s", err, path)
	}
}

// If the death of the process does not recur, it is a nondeterminism. The step of the run is known if the process dies
// again while one run is in progress.
func TestSupervised_DeathDoesNotRecur(t *testing.T) {
	for _, c := range []struct{ harm, step string }{
		{"once", "of the original run had begun then"},
		{"searching", "of the original run is the first that differs"},
		{"twice", "step 2 of the original run is the first that differs"},
	} {
		t.Setenv(markerVar, filepath.Join(t.TempDir(), "marker"))
		dir := filepath.Join(t.TempDir(), "out")
		t.Setenv("CHECK_TEST_DIR", dir)
		out, _, stderr, err := supervise(t.Context(), c.harm)
		if err != nil || out.Death == nil {
			t.Fatalf("%s: %v, %+v: %s", c.harm, err, out, stderr)
		}
		o := testOptions(meanSystem(c.harm))
		o.Respawn = harmed(c.harm)
		rep, err := check.ReportDeath(t.Context(), o, out)
		if err != nil || rep.Verdict != search.Violation || rep.Kind != sim.Nondeterminism || !strings.Contains(rep.Message, "exit status 7") ||
			!strings.Contains(rep.Message, c.step) {
			t.Errorf("%s: %v, %s %s: %q", c.harm, err, rep.Verdict, rep.Kind, rep.Message)
		}
		if got := rep.Dead.Steps[rep.Steps-1].Key; c.harm == "searching" && got != "deliver n1<-n0 2" {
			t.Errorf("step %d is %q, which does not call the code that ends the process", rep.Steps, got)
		}
		text, err := os.ReadFile(filepath.Join(dir, outfolder.ErrorPath))
		if want := "\nfinding nondeterminism\n"; err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, want %q in\n%s", c.harm, err, want, text)
		}
	}
}

// writtenSystem has a finding whose path file kills the process that searches, because it contains a message.
func writtenSystem() sim.System {
	return sim.System{
		Name: "written", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(listener) },
		Actions: []sim.AnyAction{sim.Action[*listener]{
			Name: "send", Times: 1, Do: func(_ *listener, env sim.Env) { env.Send(1-env.Self(), 1) },
		}},
		State: []sim.StateRule{sim.ShowBy(func(int) string {
			if os.Getenv("MACEMC_ROLE") == "search" {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return "hello"
		})},
		Properties: []sim.Property{{Name: "nobody hears", Always: sim.Each(func(_ sim.NodeID, s *listener) bool { return !s.Heard })}},
	}
}

// A suspect is reported, with its path on disk, although the process that found it was killed before it could write the path.
func TestSupervised_KilledBeforeSuspectIsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	t.Setenv("CHECK_TEST_DIR", dir)
	t.Setenv(harmVar, "written")
	out, _, _, err := supervise(t.Context(), "written")
	if err == nil {
		t.Fatalf("got no error, want one of a killed process: %+v", out)
	}
	rep := check.ReportLost(testOptions(meanSystem("written")), out, err)
	if rep.Verdict != search.Inconclusive || rep.Suspect == nil || rep.Suspect.Property != "nobody hears" {
		t.Fatalf("got %s and suspect %+v, want one of nobody hears", rep.Verdict, rep.Suspect)
	}
	text, err := os.ReadFile(rep.Suspect.PathFile)
	if want := "\nnote suspected: safety: "; err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), " hello\n") {
		t.Errorf("%v, want %q and the last step in\n%s", err, want, text)
	}
}

// A suspect that is open when the process dies does not hide what was found before.
func TestReportLost_KeepsFindings(t *testing.T) {
	dir := t.TempDir()
	text, err := json.Marshal(&report.Report{Verdict: search.Violation, Kind: sim.Safety, Property: "found before"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	open := &isolate.PendingSuspect{Suspect: report.Suspect{Status: report.Suspected, PathFile: filepath.Join(t.TempDir(), check.SuspectPath)}}
	for _, c := range []struct {
		found []string
		want  search.Verdict
	}{{nil, search.Inconclusive}, {[]string{dir}, search.Violation}} {
		o := testOptions(meanSystem("none"))
		o.KeepGoing = true
		rep := check.ReportLost(o, isolate.Outcome{Found: c.found, Suspect: open}, isolate.ErrKilled)
		if rep.Verdict != c.want || rep.Suspect == nil || len(rep.Findings) != len(c.found) {
			t.Errorf("found %d: verdict %s, suspect %v, %d findings", len(c.found), rep.Verdict, rep.Suspect, len(rep.Findings))
		}
	}
}

// A search that is asked to stop ends and reports.
func TestSupervisedStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	out, stdout, stderr, err := supervise(ctx, "")
	if err != nil || out.Death != nil {
		t.Fatalf("%v, %+v: %s", err, out, stderr)
	}
	if rep := decoded(t, stdout, stderr); rep.Verdict == search.Violation {
		t.Errorf("verdict %s", rep.Verdict)
	}
}

// The time in which a process starts is not that of the first boots.
func TestExamine_SlowStart(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for seconds")
	}
	d, _, err := isolate.Fresh{Respawn: harmed(slowStart), Limit: 2 * time.Second}.Examine(t.Context(), nil)
	if err != nil || d != nil {
		t.Errorf("got %+v, %v, want no death", d, err)
	}
}
