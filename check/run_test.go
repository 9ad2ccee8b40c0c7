package check_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/live/recording"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type holder struct {
	sim.Nop
	Work struct{ queue chan int }
}

// What cannot be searched is refused by name, and nothing is written.
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

// counter counts its timer, and what it is told to waste.
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

// counterSystem violates its property after so many ticks.
func counterSystem(ticks int) sim.System {
	return sim.System{
		Name: "counter", Nodes: 1, Timing: sim.AnyOrder, New: func(sim.NodeID) sim.Service { return &counter{} },
		Properties: []sim.Property{{Name: "few", Always: func(v *sim.View) bool { return v.Service(0).(*counter).Ticks < ticks }}},
	}
}

// A run that is too long to be shrunk without being asked is told of as such, and is shrunk when asked.
func TestLongRunIsShrunkWhenAsked(t *testing.T) {
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
	smaller, _, err := check.Shrink(ctx, l, check.ShrinkOptions{Workers: 1, Progress: func(p search.Progress) {
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

// What was found is told before it is shrunk; when that is broken off at once, it is reported as it was found.
func TestFindingIsToldBeforeItIsShrunk(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := check.Options{Search: search.Config{System: counterSystem(600), Strategy: search.Walk, WalkSteps: 8000, Workers: 1}}
	told := ""
	o.Search.Progress = func(p search.Progress) {
		if told == "" && strings.Contains(p.Phase, "shrinking") {
			told = p.Phase
			cancel()
		}
	}
	rep, err := check.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
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

// A violation that is described from recordings has the text of the path that was made of them.
func TestDescribeRecording(t *testing.T) {
	sys := counterSystem(1)
	f, err := replay.WriteFile(&sys, choose.Header{}, choose.Path{0})
	if err != nil {
		t.Fatal(err)
	}
	l := &check.Loaded{System: sys, Header: f.Header, Path: choose.Path{0}, Recording: &recording.Merged{File: f}}
	rep, err := check.Describe(t.Context(), l, t.TempDir(), check.CriticalOptions{})
	if err != nil || rep.Kind != sim.Safety || !strings.Contains(rep.PathText, "system") {
		t.Errorf("%+v, %v", rep, err)
	}
}
