package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/papers/register"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Paths with crashes and halts, between steps and inside them, survive a file, which names them, and going back to
// any step.
func TestHaltFile(t *testing.T) {
	sys := systest.Build(t, register.Entry(), spec.Config{}, sim.Limits{sim.Crashes: 1, sim.Halts: 2})
	between, inside, crashes := 0, 0, 0
	for seed := range uint64(60) {
		path := systest.RandomPath(t, &sys, seed, 40)
		f := rewritten(t, &sys, path)
		for i := range f.Steps {
			f.Steps[i].Index = 99
		}
		if l, err := replay.HeaderLimits(&f.Header); err != nil || l != sys.Limits() {
			t.Fatalf("the header says %+v, %v", l, err)
		}
		r, err := replay.ReadFile(&sys, f)
		if err != nil || !slices.Equal(r.Path, path) {
			t.Fatalf("seed %d: path %v, want %v; %v", seed, r.Path, path, err)
		}
		trace, err := replay.Record(&sys, path, kernel.Options{Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range trace.Steps {
			s := &trace.Steps[i]
			text := s.Sentence()
			switch {
			case s.Event.Kind == eventkind.Halt:
				between++
			case s.Halted:
				inside++
			case s.Event.Kind == eventkind.Crash || s.Crashed:
				crashes++
			}
			if got := strings.Contains(text, "halts forever"); got != (s.Halted || s.Event.Kind == eventkind.Halt) {
				t.Errorf("seed %d: step %d is %q", seed, s.Number, text)
			}
		}
		goneBackTo(t, &sys, path)
	}
	if between < 10 || inside < 10 || crashes < 10 {
		t.Errorf("%d halts between steps, %d inside, %d crashes", between, inside, crashes)
	}
}

// goneBackTo moves forward along a path and back.
func goneBackTo(t *testing.T, sys *sim.System, path choose.Path) {
	t.Helper()
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Keep()
	var prints []encoding.Fingerprint
	for n := 0; c.To(n) == nil; n++ {
		prints = append(prints, c.World().Fingerprint())
	}
	for n := len(prints) - 1; n >= 0; n-- {
		if err := c.To(n); err != nil || c.World().Fingerprint() != prints[n] {
			t.Fatalf("step %d is another state when gone back to; %v", n, err)
		}
	}
}
