// Package schedulers has tests of services with periodic jobs.
package schedulers

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/robfig/cron/v3"
)

func TestCron(t *testing.T) {
	c := cron.New(cron.WithLocation(time.UTC))
	ran := make(chan struct{}, 10)
	if _, err := c.AddFunc("@every 1s", func() { ran <- struct{}{} }); err != nil {
		t.Fatal(err)
	}
	c.Start()
	<-ran
	<-c.Stop().Done()
}

// stops stops a scheduler, and closes what its job uses.
func stops(t *testing.T, stop func(c *cron.Cron)) {
	c := cron.New()
	started, lines := make(chan struct{}), make(chan int, 1)
	c.Schedule(cron.Every(time.Second), cron.FuncJob(func() {
		close(started)
		lines <- 1
	}))
	c.Start()
	<-started
	time.Sleep(500 * time.Microsecond)
	stop(c)
	close(lines)
}

// Stop does not wait for jobs that run.
func TestCronDefect(t *testing.T) { stops(t, func(c *cron.Cron) { c.Stop() }) }

func TestCronMended(t *testing.T) { stops(t, func(c *cron.Cron) { <-c.Stop().Done() }) }

func newScheduler(t *testing.T, job func(), options ...gocron.JobOption) gocron.Scheduler {
	s, err := gocron.NewScheduler()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.NewJob(gocron.DurationJob(20*time.Millisecond), gocron.NewTask(job), options...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestGocron(t *testing.T) {
	ran := make(chan struct{}, 10)
	s := newScheduler(t, func() { ran <- struct{}{} }, gocron.WithLimitedRuns(2))
	s.Start()
	<-ran
	<-ran
}

// overlaps starts a job that runs once while a request does the same work.
func overlaps(t *testing.T, enter func(busy *atomic.Bool) bool) {
	t.Helper()
	var busy atomic.Bool
	var inside, worst atomic.Int32
	done := make(chan struct{}, 10) // the library runs the job twice in some schedules
	work := func() {
		defer func() { done <- struct{}{} }()
		if !enter(&busy) {
			return
		}
		if n := inside.Add(1); n > 1 {
			worst.Store(n)
		}
		inside.Add(-1)
		busy.Store(false)
	}
	s := newScheduler(t, work, gocron.WithLimitedRuns(1), gocron.WithStartAt(gocron.WithStartImmediately()))
	s.Start()
	time.Sleep(900 * time.Microsecond)
	work()
	<-done
	<-done
	if n := worst.Load(); n > 0 {
		t.Errorf("%d at a time", n)
	}
}

func TestGocronDefect(t *testing.T) {
	overlaps(t, func(busy *atomic.Bool) bool {
		if busy.Load() {
			return false
		}
		busy.Store(true)
		return true
	})
}

func TestGocronMended(t *testing.T) {
	overlaps(t, func(busy *atomic.Bool) bool { return busy.CompareAndSwap(false, true) })
}
