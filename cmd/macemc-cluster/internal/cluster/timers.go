package cluster

import (
	"time"

	"github.com/macemc/macemc/systems/superstep"
)

const (
	gapTime  = 10 * time.Second
	settling = 5 * time.Second // until all members have reconnected to the server
)

// timers holds the set timers of a member.
type timers struct {
	at          map[any]time.Time
	gaps        int       // number of unsuccessful waits at this position
	reconnected time.Time // time of the last reconnection to the server
}

// set sets a timer. Gap timers become longer with each unsuccessful wait.
func (s *timers) set(t any, after time.Duration) {
	if superstep.IsGap(t) {
		after = gapTime << min(s.gaps, 5)
		if time.Since(s.reconnected) < settling {
			after = time.Second // other members may already have sent something in the next epoch
		}
	}
	s.at[t] = time.Now().Add(after)
}

func (s *timers) stop(t any) {
	delete(s.at, t)
	if superstep.IsGap(t) {
		s.gaps = 0
	}
}

// fire removes a timer that is due.
func (s *timers) fire(t any) {
	delete(s.at, t)
	if superstep.IsGap(t) {
		s.gaps++
	}
}

// due returns the next timer.
func (s *timers) due() (t any, at time.Time) {
	at = time.Now().Add(time.Second)
	for timer, when := range s.at {
		if when.Before(at) {
			t, at = timer, when
		}
	}
	if t == nil {
		at = at.Add(time.Second) // the loop runs before that
	}
	return t, at
}
