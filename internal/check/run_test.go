package check_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/hardbugs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type holder struct {
	sim.Nop
	Work struct{ queue chan int }
}

// Unsupported searches are rejected by name, and no files are written.
func TestRunRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	system := sim.System{
		Name: "holder", Nodes: 1, New: func(sim.NodeID) sim.Service { return &holder{} },
		Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
	}
	for _, c := range []struct {
		name   string
		change func(*search.Config)
		wants  []string
	}{
		{"state", func(*search.Config) {}, []string{"holder", "Work.queue", "chan int"}},
		{"property", func(c *search.Config) { c.Property = "truth" }, []string{`"truth"`}},
		{"strategy", func(c *search.Config) { c.Strategy = "best" }, []string{`"best"`, "deepening"}},
		{"nodes", func(c *search.Config) { c.System.Nodes = 0 }, []string{"Nodes is 0"}},
	} {
		cfg := search.Config{System: system, MaxPaths: 10, Workers: 1}
		c.change(&cfg)
		rep, err := check.Run(t.Context(), check.Options{Search: cfg})
		if err == nil || rep != nil {
			t.Errorf("%s: accepted: %v", c.name, rep)
			continue
		}
		for _, w := range c.wants {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not name %s", c.name, err, w)
			}
		}
	}
	if entries, _ := os.ReadDir("."); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// counter counts its timer, and wastes memory on request.
type counter struct {
	sim.Nop
	Ticks, Wasted int
}

func (c *counter) Boot(env sim.Env) {
	env.SetTimer("tick", time.Second)
	env.SetTimer("waste", time.Second)
}

func (c *counter) Timer(env sim.Env, timer any) {
	if timer == "tick" {
		c.Ticks++
	} else {
		c.Wasted++
	}
	env.SetTimer(timer, time.Second)
}

// counterSystem violates its property after the given number of ticks.
func counterSystem(ticks int) sim.System {
	return sim.System{
		Name: "counter", Nodes: 1, Timing: sim.AnyOrder, New: func(sim.NodeID) sim.Service { return &counter{} },
		Properties: []sim.Property{{Name: "few", Always: func(v *sim.View) bool { return v.Service(0).(*counter).Ticks < ticks }}},
	}
}

// A run that is too long for shrinking without a request is reported as such, and is shrunk on request.
func TestLongRunIsShrunkWhenAsked(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	o := check.Options{Search: search.Config{System: counterSystem(5200), Strategy: search.Walk, WalkSteps: 20_000, Workers: 1}}
	rep, err := check.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Steps <= 10_000 || rep.Shrunk != nil || !strings.Contains(rep.NotShrunk, "macemc shrink") {
		t.Fatalf("a run of %d steps, shrunk %v, %q", rep.Steps, rep.Shrunk, rep.NotShrunk)
	}
	sys := o.Search.System
	l, err := check.LoadFor(t.Context(), rep.PathFile, &sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	smaller, err := check.Shrink(ctx, l, check.ShrinkOptions{WalkOptions: check.WalkOptions{Workers: 1}, Progress: func(p search.Progress) {
		if strings.Contains(p.Phase, " 5200 steps") {
			cancel()
		}
	}})
	if err != nil || smaller.Shrunk == nil || smaller.Steps != 5200 || smaller.NotShrunk != "" {
		t.Errorf("%d steps, %+v, %v; want the 5,200 ticks alone", smaller.Steps, smaller.Shrunk, err)
	}
	o.NoShrink = true
	if rep, err = check.Run(t.Context(), o); err != nil || rep.NotShrunk != "" {
		t.Errorf("nobody wants it shrunk, but %q, %v", rep.NotShrunk, err)
	}
}

// writes is a writer that calls a function with each text.
type writes func(text string)

func (w writes) Write(text []byte) (int, error) {
	w(string(text))
	return len(text), nil
}

// A finding is reported before it is shrunk. If shrinking is interrupted at once, it is reported as found.
func TestFindingIsToldBeforeItIsShrunk(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := check.Options{Search: search.Config{System: counterSystem(150), Strategy: search.Walk, WalkSteps: 2000, Workers: 1}}
	told := ""
	o.Search.Progress = func(p search.Progress) {
		if told == "" && strings.Contains(p.Phase, "shrinking") {
			told = p.Phase
			cancel()
		}
	}
	flight := t.TempDir()
	t.Setenv("MACEMC_FLIGHT", filepath.Join(flight, "flight"))
	found, file, asFound := "", "", 0
	o.Unshrunk = writes(func(text string) {
		if found != "" || told != "" {
			t.Errorf("told before: %q, %q", found, told)
		}
		found = text
		_, file, _ = strings.Cut(strings.TrimSpace(text), "; original: ")
		l, err := check.LoadFor(t.Context(), file, &o.Search.System, nil)
		if err != nil {
			t.Fatal(err)
		}
		trace, err := l.Trace(-1)
		if err != nil || trace.Finding == nil || trace.Finding.Property != "few" {
			t.Errorf("what lies there shows %+v, %v", trace, err)
		}
		asFound = len(trace.Steps)
		if kept, err := os.ReadFile(filepath.Join(flight, "found")); err != nil || string(kept) != fmt.Sprintf("%q\n", filepath.Dir(file)) {
			t.Errorf("should the process be killed: %q, %v", kept, err)
		}
	})
	rep, err := check.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if asFound != rep.Shrunk.FromSteps || !strings.Contains(found, fmt.Sprintf(" in %d steps", asFound)) || file != rep.PathFile {
		t.Fatalf("told of %d steps: %q; at the end of %+v", asFound, found, rep)
	}
	if want := fmt.Sprintf("found safety in %d steps; shrinking, candidate 1, %[1]d steps", rep.Shrunk.FromSteps); told != want {
		t.Errorf("told %q, want %q", told, want)
	}
	if rep.Verdict != search.Violation || rep.Shrunk.Minimal || rep.Shrunk.Candidates > 2 {
		t.Errorf("%s, %d steps, %+v", rep.Verdict, rep.Steps, rep.Shrunk)
	}
	if _, err := os.Stat(rep.PathFile); err != nil {
		t.Error(err)
	}
}

// The files of the shrunk run replace those of the original run. No other files are left or changed.
func TestShrunkTakesThePlace(t *testing.T) {
	for _, noShrink := range []bool{false, true} {
		dir, found := filepath.Join(t.TempDir(), "out"), 0
		o := check.Options{
			Search: search.Config{System: counterSystem(20), Strategy: search.Walk, WalkSteps: 2000, Workers: 1},
			Dir:    dir, NoShrink: noShrink,
			Unshrunk: writes(func(string) {
				found++
				if err := os.WriteFile(filepath.Join(dir, "notes"), nil, 0o600); err != nil {
					t.Error(err)
				}
			}),
		}
		rep, err := check.Run(t.Context(), o)
		if err != nil || rep.PathFile != filepath.Join(dir, "error.path") {
			t.Fatalf("%+v, %v", rep, err)
		}
		if noShrink {
			if found != 0 {
				t.Error("nothing is shrunk, and the report comes at once")
			}
			continue
		}
		var names []string
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if want := []string{"error.path", "notes", "original.path", "report.html", "report.json", "report.md"}; found != 1 || !slices.Equal(names, want) {
			t.Errorf("told %d times, files %v, want %v", found, names, want)
		}
		for name, steps := range map[string]int{"error.path": 20, "original.path": rep.Shrunk.FromSteps} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !strings.HasSuffix(string(text), fmt.Sprintf("\nend %d\n", steps)) {
				t.Errorf("%s is not of %d steps: %v", name, steps, err)
			}
		}
		text, err := os.ReadFile(filepath.Join(dir, "report.json"))
		if err != nil || !strings.Contains(string(text), `"from_steps"`) {
			t.Errorf("the report is not of the shrunk run: %v\n%s", err, text)
		}
	}
}

// quitter ends the goroutine of its handler with some draws.
type quitter struct {
	sim.Nop
	N int
}

// A run is shrunk although smaller candidates end their goroutine.
func TestShrink_CandidatesEndGoroutine(t *testing.T) {
	sys := sim.System{
		Name: "quitter", Nodes: 1, New: func(sim.NodeID) sim.Service { return &quitter{} },
		Actions: []sim.AnyAction{sim.Action[*quitter]{Name: "go", Do: func(q *quitter, env sim.Env) {
			if env.Choose("go on", 4) == 0 && q.N > 0 {
				runtime.Goexit()
			}
			q.N++
		}}},
		Properties: []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, q *quitter) bool { return q.N < 4 })}},
	}
	for seed := range uint64(20) {
		rep, err := check.Run(t.Context(), check.Options{
			Search: search.Config{System: sys, Strategy: search.Walk, Seed: seed + 1, Workers: 1}, Dir: filepath.Join(t.TempDir(), "out"),
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case rep.Kind != sim.Safety: // the walk ended its goroutine
			continue
		case rep.Shrunk == nil || rep.Shrunk.Candidates == 0 || rep.Steps != 4:
			t.Errorf("seed %d: %d steps, shrunk %+v", seed+1, rep.Steps, rep.Shrunk)
		}
		return
	}
	t.Error("no walk violates the property")
}

// A report names the actions and other events that are excluded from recovery.
func TestDisturbingIsNamed(t *testing.T) {
	sys := hardbugs.Excuse().System
	sys.Disturbing = []sim.Disturbance{sim.DisturbingHeals(), sim.DisturbingMessages[*choose.Path](), sim.DisturbingTimers[int]()}
	rep, err := check.Run(t.Context(), check.Options{Search: search.Config{System: sys, Strategy: search.Walk, MaxPaths: 1}, Dir: t.TempDir(), NoShrink: true})
	if err != nil || !slices.Equal(rep.Disturbing, []string{"campaign", "every heal", "message *Path", "timer int"}) {
		t.Errorf("%+v, %v", rep, err)
	}
}

// The report of a violation in recordings contains the text of the merged path.
func TestDescribeRecording(t *testing.T) {
	sys := counterSystem(1)
	f, err := replay.WriteFile(&sys, pathfile.Header{}, choose.Path{0})
	if err != nil {
		t.Fatal(err)
	}
	l := &check.Loaded{System: sys, Header: f.Header, Reading: replay.Reading{Path: choose.Path{0}}, Recording: &recording.Merged{System: sys, Header: f.Header, Path: choose.Path{0}}}
	rep, err := check.Describe(t.Context(), l, t.TempDir(), check.CriticalOptions{})
	if err != nil || rep.Kind != sim.Safety || !strings.Contains(rep.PathText, "system") {
		t.Errorf("%+v, %v", rep, err)
	}
}

// A panic of the checker during shrinking does not lose the finding.
func TestFaultKeepsFinding(t *testing.T) {
	sys := hangsLater()
	sys.Properties = []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, c *endless) bool { return c.N < 3 })}}
	rep, err := check.Run(t.Context(), check.Options{
		Search: search.Config{System: sys, Workers: 1, MaxPaths: 100, Progress: func(p search.Progress) {
			if strings.Contains(p.Phase, "shrinking") {
				panic("index out of range")
			}
		}},
		Dir: filepath.Join(t.TempDir(), "out"),
	})
	if !defect.Is(err) || exitcode.OfError(t.Context(), err) != exitcode.Resource || !strings.Contains(err.Error(), "run_test.go") {
		t.Errorf("error %v", err)
	}
	if rep == nil || rep.Verdict != search.Violation || rep.Property != "few" || rep.Dead == nil {
		t.Fatalf("%+v", rep)
	}
	if _, err := os.Stat(rep.PathFile); err != nil || filepath.Base(rep.PathFile) != outfolder.ErrorPath {
		t.Errorf("%q: %v", rep.PathFile, err)
	}
}
