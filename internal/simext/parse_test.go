package simext_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

func TestParseCrashCut_InvertsString(t *testing.T) {
	for text, want := range map[string]sim.CrashCut{"prefix": sim.CutPrefix, "none": sim.CutNone, "subset": sim.CutSubset} {
		if got, err := simext.ParseCrashCut(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Prefix", "all"} {
		got, err := simext.ParseCrashCut(text)
		refused(t, got, err, `crash-cut "`+text+`" is not one of none, prefix, subset`)
	}
}

func TestParseInterleave_InvertsString(t *testing.T) {
	for text, want := range map[string]sim.Interleave{
		"rotate": sim.Rotate, "fifo": sim.FIFO, "random": sim.Random, "pct:1": 1, "pct:3": 3, "pct:1000": 1000,
	} {
		if got, err := simext.ParseInterleave(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "FIFO", "pct", "pct:", "pct:0", "pct:-1", "pct:1001", "pct:x", "pct:1x"} {
		got, err := simext.ParseInterleave(text)
		refused(t, got, err, `interleaving "`+text+`" is not one of rotate, fifo, random, and pct:N with N from 1 to 1000`)
	}
}

func TestParseTiming_InvertsString(t *testing.T) {
	for text, want := range map[string]sim.Timing{
		"ByDeadline": sim.ByDeadline, "AnyOrder": sim.AnyOrder, "Prompt": sim.Prompt,
		"Bounded:0s": sim.Bounded(0), "Bounded:1m0.5s": sim.Bounded(60500 * time.Millisecond),
		"BoundedLiveness:0s": sim.BoundedLiveness(0), "BoundedLiveness:2s": sim.BoundedLiveness(2 * time.Second),
		"SometimesBounded:0s": sim.SometimesBounded(0), "SometimesBounded:2s": sim.SometimesBounded(2 * time.Second),
	} {
		if got, err := simext.ParseTiming(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: got %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "Bounded", "Bounded:", "Bounded:5", "Bounded:-1s", "BoundedLiveness", "BoundedLiveness:-1s"} {
		got, err := simext.ParseTiming(text)
		refused(t, got, err, `timing "`+text+
			`" is not one of ByDeadline, AnyOrder, Prompt, Bounded:DURATION, SometimesBounded:DURATION, BoundedLiveness:DURATION`)
	}
}

func refused[T any](t *testing.T, got T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("got  %v (%v)\nwant %s", got, err, want)
	}
}
