package task

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// A run as text folds steps as the lane view does, except for the last one. A verbose one has each step.
func TestWriteRun_Folds(t *testing.T) {
	sys := toys.Ticking(70, 20)
	trace, err := replay.Record(sys, systest.Follow(t, sys, toys.Ticks(70)[:69]...), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	show := func(verbose bool) []string {
		var out bytes.Buffer
		if err := WriteRun(&out, trace, "none.path", verbose); err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?m)^(\d+|\.\.\.) [^\[\n]*`).FindAllString(out.String(), -1)
	}
	want := []string{
		"0 all nodes boot",
		"... steps 1-19, n0: 9.5 s pass, 19 ticks, Ticks 0->19",
		"20 n0 timer tick  ",
		"... steps 21-68, n0: 24 s pass, 48 ticks, Ticks 20->68; -v shows them",
		"69 n0 timer tick  ",
	}
	if got := show(false); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if all := show(true); len(all) != 70 {
		t.Errorf("verbose: %d of steps 0 to 69", len(all))
	}
}

// endless is a service whose third action does not return if it is set.
var endless bool

type counting struct{ Acts int }

func (*counting) Boot(sim.Env)                     {}
func (*counting) Receive(sim.Env, sim.NodeID, any) {}
func (*counting) Timer(sim.Env, any)               {}
func (c *counting) act(sim.Env) {
	if c.Acts++; endless && c.Acts == 3 {
		select {}
	}
}

// The first steps of a run are shown although a later one does not return.
func TestReplay_To(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var out bytes.Buffer
	p := &Process{Program: "macemc", Stdout: &out, Stderr: &out, Systems: []spec.Entry{{
		Name: "counting", MinNodes: 1, MaxNodes: 1, DefaultNodes: 1,
		Build: func(spec.Config) (sim.System, error) {
			return sim.System{
				Name: "counting", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(counting) },
				Actions:    []sim.AnyAction{sim.Action[*counting]{Name: "act", Do: (*counting).act}},
				Properties: []sim.Property{{Name: "few", Always: sim.Each(func(_ sim.NodeID, c *counting) bool { return c.Acts < 3 })}},
			}, nil
		},
	}}}
	search := &Search{Subject: Subject{System: "counting"}, Config: search.Config{Walks: 20, Seed: 1}, Out: dir}
	if status := p.ExitStatus(t.Context(), search.Do(t.Context(), p)); status != 1 {
		t.Fatalf("exit status %d: %s", status, &out)
	}
	endless = true
	defer func() { endless = false }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out.Reset()
	replay := &Replay{File: filepath.Join(dir, "error.path"), To: 2}
	if status := p.ExitStatus(ctx, replay.Do(ctx, p)); status != 0 || !strings.Contains(out.String(), "\n2 n0 act") || strings.Contains(out.String(), "\n3 ") {
		t.Errorf("exit status %d: %s", status, &out)
	}
}
