package simext

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/sim"
)

// ParseCrashCut is the inverse of String.
func ParseCrashCut(s string) (sim.CrashCut, error) {
	for c := sim.CutPrefix; c <= sim.CutSubset; c++ {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fmt.Errorf("crash-cut %q is not one of none, prefix, subset", s)
}

// maxChanges bounds the number of priority changes in a step. It is above any useful number.
const maxChanges = 1000

// ParseInterleave is the inverse of String.
func ParseInterleave(s string) (sim.Interleave, error) {
	switch number, pct := strings.CutPrefix(s, "pct:"); {
	case s == "rotate":
		return sim.Rotate, nil
	case s == "fifo":
		return sim.FIFO, nil
	case s == "random":
		return sim.Random, nil
	case pct:
		if n, err := strconv.Atoi(number); err == nil && n > 0 && n <= maxChanges {
			return sim.Interleave(n), nil
		}
	}
	return 0, fmt.Errorf("interleaving %q is not one of rotate, fifo, random, and pct:N with N from 1 to %d", s, maxChanges)
}

// ParseTiming is the inverse of String.
func ParseTiming(s string) (sim.Timing, error) {
	for t := sim.ByDeadline; t <= sim.Prompt; t++ {
		if t.String() == s {
			return t, nil
		}
	}
	name, text, _ := strings.Cut(s, ":")
	if make := map[string]func(time.Duration) sim.Timing{
		"Bounded": sim.Bounded, "SometimesBounded": sim.SometimesBounded, "BoundedLiveness": sim.BoundedLiveness,
	}[name]; make != nil {
		if delay, err := time.ParseDuration(text); err == nil && delay >= 0 {
			return make(delay), nil
		}
	}
	return 0, fmt.Errorf("timing %q is not one of ByDeadline, AnyOrder, Prompt, Bounded:DURATION, SometimesBounded:DURATION, BoundedLiveness:DURATION", s)
}
