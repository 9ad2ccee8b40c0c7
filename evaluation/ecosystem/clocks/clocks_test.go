// Package clocks has tests of services whose clock is a fake.
package clocks

import (
	"context"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/coder/quartz"
	"github.com/jonboulle/clockwork"
)

func TestClockwork(t *testing.T) {
	c := clockwork.NewFakeClock()
	fired := make(chan time.Time)
	go func() { fired <- <-c.After(time.Minute) }()
	if err := c.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	<-fired
}

// reminder fires a minute after it has started in another goroutine.
func reminder(advance func(c *clockwork.FakeClock)) {
	c := clockwork.NewFakeClock()
	fired := make(chan time.Time)
	go func() { fired <- <-c.After(time.Minute) }()
	advance(c)
	<-fired
}

// The clock is advanced before the goroutine has asked it.
func TestClockworkDefect(t *testing.T) {
	reminder(func(c *clockwork.FakeClock) { time.Sleep(900 * time.Microsecond); c.Advance(time.Minute) })
}

func TestClockworkMended(t *testing.T) {
	reminder(func(c *clockwork.FakeClock) {
		c.BlockUntilContext(t.Context(), 1)
		c.Advance(time.Minute)
	})
}

func TestClock(t *testing.T) {
	c := clock.NewMock()
	ticks := make(chan time.Time)
	ticker := c.Ticker(time.Second)
	go func() {
		for range 3 {
			ticks <- <-ticker.C
		}
	}()
	for range 3 {
		c.Add(time.Second) // a tick is lost if the one before has not been received
		<-ticks
	}
	ticker.Stop()
}

// expires advances the clock to the end of a session that another goroutine watches.
func expires(t *testing.T, settle func(c *clock.Mock, started <-chan struct{})) {
	c := clock.NewMock()
	started, expired := make(chan struct{}), make(chan struct{})
	go func() {
		timer := c.Timer(time.Minute)
		close(started)
		<-timer.C
		close(expired)
	}()
	settle(c, started)
	c.Add(time.Minute)
	<-expired
}

func TestClockDefect(t *testing.T) {
	expires(t, func(*clock.Mock, <-chan struct{}) { time.Sleep(900 * time.Microsecond) })
}

func TestClockMended(t *testing.T) {
	expires(t, func(_ *clock.Mock, started <-chan struct{}) { <-started })
}

func TestQuartz(t *testing.T) {
	c := quartz.NewMock(t)
	trap := c.Trap().NewTimer()
	defer trap.Close()
	fired := make(chan struct{})
	go func() {
		timer := c.NewTimer(time.Hour)
		<-timer.C
		close(fired)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	trap.MustWait(ctx).MustRelease(ctx)
	c.Advance(time.Hour).MustWait(ctx)
	<-fired
}

// resets resets a timer in another goroutine, before the clock advances.
func resets(t *testing.T, settle func(done <-chan struct{})) {
	c := quartz.NewMock(t)
	fired, done := make(chan struct{}), make(chan struct{})
	timer := c.AfterFunc(2*time.Hour, func() { close(fired) })
	go func() {
		defer close(done)
		timer.Reset(time.Hour)
	}()
	settle(done)
	c.Advance(time.Hour).MustWait(t.Context())
	select {
	case <-fired:
	default:
		t.Error("the timer has not fired")
	}
	<-done
}

func TestQuartzDefect(t *testing.T) {
	resets(t, func(<-chan struct{}) { time.Sleep(900 * time.Microsecond) })
}

func TestQuartzMended(t *testing.T) { resets(t, func(done <-chan struct{}) { <-done }) }
