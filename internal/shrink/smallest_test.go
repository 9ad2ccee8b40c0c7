package shrink

import (
	"errors"
	"testing"
)

// Of the accepted scripts, the last that is confirmed is the result, whichever that is, and few are tried.
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

// When there is no time to confirm more, what was confirmed is the result.
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
