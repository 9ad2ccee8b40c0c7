package gocron

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-co-op/gocron/v2"
)

func scheduler(t *testing.T, options ...gocron.SchedulerOption) gocron.Scheduler {
	t.Helper()
	s, err := gocron.NewScheduler(options...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stacks returns how many goroutines have called function.
func stacks(function string) int {
	buf := make([]byte, 1<<20)
	n := 0
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, function) {
			n++
		}
	}
	return n
}

func TestLimitedRuns(t *testing.T) {
	s := scheduler(t)
	var runs atomic.Int32
	_, err := s.NewJob(gocron.DurationJob(50*time.Millisecond),
		gocron.NewTask(func() { runs.Add(1); time.Sleep(225 * time.Millisecond) }),
		gocron.WithLimitedRuns(1))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	time.Sleep(600 * time.Millisecond)
	if n := runs.Load(); n != 1 {
		t.Errorf("a job limited to 1 run was executed %d times", n)
	}
	s.Shutdown()
}

func TestGivenUpStop(t *testing.T) {
	s := scheduler(t)
	started := make(chan struct{}, 1)
	_, err := s.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartImmediately()),
		gocron.NewTask(func() { started <- struct{}{}; time.Sleep(200 * time.Millisecond) }))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	<-started
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := s.StopJobsWithContext(ctx); err == nil {
		t.Fatal("stopped while the job runs")
	}
	time.Sleep(400 * time.Millisecond)
	if err := s.Shutdown(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if n := stacks("gocron/v2.NewScheduler"); n > 0 {
		t.Errorf("%d goroutine of the scheduler is left a second after Shutdown has returned nil", n)
	}
}

func TestRemovedSingleton(t *testing.T) {
	s := scheduler(t)
	s.Start()
	for range 20 {
		ran := make(chan struct{}, 1)
		j, err := s.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartImmediately()),
			gocron.NewTask(func() { ran <- struct{}{} }),
			gocron.WithSingletonMode(gocron.LimitModeReschedule))
		if err != nil {
			t.Fatal(err)
		}
		<-ran
		s.RemoveJob(j.ID())
	}
	time.Sleep(time.Second)
	if n := stacks("singletonModeRunner"); n > 0 {
		t.Errorf("%d goroutines are left of 20 removed jobs", n)
	}
	s.Shutdown()
}

func TestRunNowBeforeStart(t *testing.T) {
	s := scheduler(t)
	j, err := s.NewJob(gocron.DurationJob(time.Hour), gocron.NewTask(func() {}))
	if err != nil {
		t.Fatal(err)
	}
	if err := j.RunNow(); err == nil {
		t.Fatal("RunNow of a scheduler that was not started")
	}
	done := make(chan struct{})
	go func() { s.Start(); close(done) }()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		t.Error("Start did not return within 3 seconds after a failed RunNow")
	}
	s.Shutdown()
}

func TestStopCPU(t *testing.T) {
	s := scheduler(t)
	started := make(chan struct{}, 1)
	_, err := s.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartImmediately()),
		gocron.NewTask(func() { started <- struct{}{}; time.Sleep(2 * time.Second) }))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	<-started
	before := runnable(t)
	s.Shutdown()
	if used := runnable(t) - before; used > time.Second {
		t.Errorf("threads have run or waited for a processor for %.1fs while Shutdown waited 2s for a job that sleeps", used.Seconds())
	}
}

// runnable returns for how long threads of this process have run or waited for a processor.
func runnable(t *testing.T) (sum time.Duration) {
	files, err := filepath.Glob("/proc/self/task/*/schedstat")
	if err != nil || len(files) == 0 {
		t.Skip("needs Linux")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		var runs, waits time.Duration
		if _, err := fmt.Sscan(string(text), &runs, &waits); err != nil {
			t.Fatal(err)
		}
		sum += runs + waits
	}
	return sum
}

// warning records that Start did nothing.
type warning struct{ atomic.Bool }

func (w *warning) Debug(string, ...any) {}
func (w *warning) Info(string, ...any)  {}
func (w *warning) Error(string, ...any) {}
func (w *warning) Warn(string, ...any)  { w.Store(true) }

// StopJobs returns before it has marked the scheduler as stopped, so Start may believe that it is started. About one of
// 30,000 attempts shows it; four of five tests failed.
func TestStartAfterStop(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8)) // More threads than processors: the system pauses them at any operation.
	begin := time.Now()
	var wg sync.WaitGroup
	var found atomic.Bool
	for range 4 {
		wg.Go(func() {
			var ignored warning
			s := scheduler(t, gocron.WithLogger(&ignored))
			ran := make(chan struct{}, 100)
			_, err := s.NewJob(gocron.DurationJob(time.Millisecond), gocron.NewTask(func() {
				select {
				case ran <- struct{}{}:
				default:
				}
			}))
			if err != nil {
				t.Error(err)
				return
			}
			for n := 1; time.Since(begin) < time.Minute && !found.Load(); n++ {
				if s.Start(); ignored.Load() {
					for len(ran) > 0 {
						<-ran
					}
					select {
					case <-ran:
						t.Error("a job has run although Start did nothing")
					case <-time.After(5 * time.Second):
						t.Errorf("attempt %d of a goroutine: no job has run for 5s after StopJobs and Start", n)
					}
					found.Store(true)
				}
				if err := s.StopJobs(); err != nil {
					t.Error(err)
					return
				}
			}
			s.Shutdown()
		})
	}
	wg.Wait()
}

// Two calls of Shutdown wait for one result.
func TestShutdownTwice(t *testing.T) {
	s := scheduler(t, gocron.WithStopTimeout(time.Second))
	started := make(chan struct{}, 1)
	_, err := s.NewJob(gocron.OneTimeJob(gocron.OneTimeJobStartImmediately()),
		gocron.NewTask(func() { started <- struct{}{}; time.Sleep(200 * time.Millisecond) }))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	<-started
	results := make(chan error)
	for range 2 {
		go func() { results <- s.Shutdown() }()
	}
	start := time.Now()
	for range 2 {
		if err := <-results; err != nil {
			t.Errorf("a Shutdown of a job of 0.2s returns after %.0fs: %v", time.Since(start).Seconds(), err)
		}
	}
}
