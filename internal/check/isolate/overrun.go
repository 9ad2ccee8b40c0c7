package isolate

import (
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/flight"
)

// UnresponsiveError is ErrUnresponsive with the reason to stop.
type UnresponsiveError struct {
	limit   time.Duration // after the reason
	Told    bool          // a stop was requested; otherwise its time was over, or it did not begin
	begun   bool          // it had begun to search
	phase   string        // its last phase
	stopped bool          // a signal had stopped it
	works   bool          // its phase changed until the end
}

func (e *UnresponsiveError) Error() string {
	text := fmt.Sprintf("%v: no response within %v", ErrUnresponsive, e.limit.Round(100*time.Millisecond))
	switch {
	case e.Told:
		text += " after the request to stop"
	case !e.begun:
		text += ", before it began"
	default:
		text += ", the time limit with all that follows the search"
	}
	if e.phase != "" {
		text += ", in the phase " + e.phase
	}
	switch {
	case e.works:
		return text + "; it was still working"
	case e.stopped:
		return text + "; a signal such as SIGSTOP had stopped its process"
	}
	return text + "; checked code or a network model may not have returned"
}

func (e *UnresponsiveError) Unwrap() error { return ErrUnresponsive }

// defaultStopLimit leaves time for the last work of a search after a stop request, even on a busy machine.
const defaultStopLimit = 2 * time.Minute

// overrun measures for how long a process should have stopped. It counts polls, because both processes may have been
// suspended together.
type overrun struct {
	stop  time.Duration // see StopLimit
	told  bool          // a stop was requested
	pid   int
	spent time.Duration // by earlier processes
	clock *Clock        // of the process, since it began to search; nil before
	await int           // the process for which it waits; 0 means none
	end   func()        // ends to await it
	looks int           // since it should have stopped
	phase string        // its last phase
	since time.Duration // when that phase began, on the clock
}

// phasePatience is the time for each phase of a process that has exceeded its time limit, such as executing a smaller run in a fresh
// process.
const phasePatience = 2 * time.Second

// proceeds reports whether the phase of a process has changed within phasePatience.
func (l *overrun) proceeds(phase string) bool {
	now := l.clock.Spent()
	if phase != l.phase {
		l.phase, l.since = phase, now
	}
	return l.since > 0 && now-l.since < phasePatience
}

// Clock measures the time of another process by package budget. At most a second counts between two readings, because
// both processes may have been suspended together.
type Clock struct {
	of          *budget.Clock
	last, spent time.Duration
}

// NewClock returns a clock of a process that starts at 0.
func NewClock(pid int) *Clock { return &Clock{of: budget.NewClock(pid)} }

// Spent returns the time that counts. It is read several times a second.
func (c *Clock) Spent() time.Duration {
	now := c.of.Elapsed()
	c.spent, c.last = c.spent+min(now-c.last, time.Second), now
	return c.spent
}

// KillAfter returns when a process that searches is killed, on a [Clock] of it. Some of [budget.LastLimit] is left for
// reporting the data on disk.
func KillAfter(limit time.Duration) time.Duration {
	return budget.LastLimit(limit) - 500*time.Millisecond
}

// look returns an error if the process should have stopped.
func (l *overrun) look(rec *flight.Recorder) error {
	limit := time.Duration(rec.Get(flight.Limited))
	if limit != 0 && l.clock == nil {
		l.clock = NewClock(l.pid)
	}
	if pid := rec.Get(flight.Awaited); l.clock != nil && pid != l.await {
		if l.await != 0 {
			l.end()
		}
		if l.await = pid; pid != 0 {
			l.end = l.clock.of.Await(pid)
		}
	}
	e := &UnresponsiveError{Told: l.told, begun: limit != 0, phase: rec.Phase()}
	e.works = l.clock != nil && l.proceeds(e.phase)
	switch over := l.clock != nil && l.spent+l.clock.Spent() >= KillAfter(limit) && limit > 0; {
	case e.phase == Reporting && !Stopped(l.pid): // it may wait for its readers
		l.looks = 0
		return nil
	case over && e.works && l.spent+l.clock.spent < 2*KillAfter(limit):
		return nil
	case over:
		e.limit = max(KillAfter(limit), (l.spent + l.clock.spent).Truncate(time.Second))
	case !l.told && limit != 0:
		return nil
	default:
		if e.limit = l.stop; Stopped(l.pid) {
			e.limit = min(l.stop, budget.LeastConfirming)
		} else if !l.told {
			l.looks = 0
			return nil
		}
		if l.looks++; time.Duration(l.looks)*waitEvery < e.limit {
			return nil
		}
	}
	e.stopped = Stopped(l.pid)
	return e
}

// ErrUnresponsive is the error of a search that was killed because it did not stop.
var ErrUnresponsive = errors.New("the search did not stop and was killed")

// waitEvery is the polling interval of wait.
const waitEvery = 100 * time.Millisecond

// Reporting is the phase in which the search process prints its report. No other process writes then.
const Reporting = "report"
