package shrink

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// The result is the last accepted script that is confirmed, and few are tried.
func TestSmallest(t *testing.T) {
	accepted := make([]Script, 40)
	for i := range accepted {
		accepted[i].Steps = make([]Step, len(accepted)-i)
	}
	for good := -1; good < len(accepted)-1; good++ {
		tried := 0
		res, err := smallest(accepted, func(s Script) (*Result, error) {
			tried++
			if i := len(accepted) - len(s.Steps); i > good {
				return nil, nil
			}
			return &Result{Steps: len(s.Steps)}, nil
		})
		if err != nil || good < 0 != (res == nil) || res != nil && res.Steps != len(accepted)-good || tried > 11 {
			t.Errorf("%d scripts can be confirmed: got %+v, %v after %d", good+1, res, err, tried)
		}
	}
}

// When the time is up the result is the script confirmed so far.
func TestSmallest_Interrupted(t *testing.T) {
	accepted := make([]Script, 40)
	over := errors.New("over")
	for enough := range 6 {
		tried := 0
		res, err := smallest(accepted, func(Script) (*Result, error) {
			if tried++; tried > enough {
				return nil, over
			}
			if tried < 3 {
				return nil, nil
			}
			return &Result{Steps: tried}, nil
		})
		if confirmed := enough >= 3; confirmed != (res != nil) || confirmed != (err == nil) {
			t.Errorf("%d confirmations: got %+v, %v", enough, res, err)
		}
	}
}

// Shrinking a run that this process cannot execute ends with the smallest confirmed script, even if a wrong judge
// accepts smaller ones, and continues from there.
func TestIsolated_GoesBack(t *testing.T) {
	start := Script{Steps: make([]Step, 9)}
	for i := range start.Steps {
		start.Steps[i].Key, start.Steps[i].Class = string(rune('a'+i)), "x"
	}
	text := func(s Script) (out string) {
		for i := range s.Steps {
			out += s.Steps[i].Key
		}
		return out
	}
	// b and h are needed, before i. The wrong judge does without h, after d is gone.
	needs := func(s string, wrong bool) bool {
		return strings.Contains(s, "b") && strings.HasSuffix(s, "i") && (strings.Contains(s, "h") || wrong && !strings.Contains(s, "d"))
	}
	for _, c := range []struct {
		corrected bool // after it was wrong
		want      string
	}{{true, "bhi"}, {false, ""}} {
		wrong, confirmed := true, 0
		got, res, err := Isolated(t.Context(), IsolatedConfig[string]{
			Start: start, MaxTried: 1000,
			Judge: func(_ context.Context, s Script) (Script, bool, error) { return s, needs(text(s), wrong), nil },
			Confirm: func(s Script) (*string, error) {
				confirmed++
				out := text(s)
				if !needs(out, false) {
					wrong = !c.corrected
					return nil, nil
				}
				return &out, nil
			},
		})
		if err != nil || res.From != 9 || confirmed > 8 {
			t.Errorf("%+v, %v, %d confirmed", res, err, confirmed)
		}
		switch {
		case c.corrected && (got == nil || *got != c.want || res.Steps != 3 || !res.Minimal):
			t.Errorf("corrected: %v, %+v", got, res)
		case !c.corrected && (got != nil && !needs(*got, false) || got != nil && len(*got) != res.Steps || got == nil && res.Steps != 9 || res.Minimal):
			t.Errorf("always wrong: %v, %+v", got, res)
		}
	}
}
