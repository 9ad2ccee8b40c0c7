package contain

import (
	"bytes"
	"context"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

const labelKey, labelValue = "macemc", "checked"

// labelled has the label of goroutines that execute checked code. The goroutines that these start inherit it.
var labelled = pprof.WithLabels(context.Background(), pprof.Labels(labelKey, labelValue))

// unlabelled closes done. A goroutine that calls it exists for a moment afterwards, and does not count in that time.
func unlabelled(done chan<- struct{}) {
	pprof.SetGoroutineLabels(context.Background())
	close(done)
}

// Running returns the number of goroutines that execute checked code by [Call] or [Guard], and of those that they have
// started, directly or not. Checked code that sets labels of its own is not counted. A call takes
// about 0.4 ms.
func Running() (n int) {
	var text bytes.Buffer
	if pprof.Lookup("goroutine").WriteTo(&text, 1) != nil {
		return 0
	}
	count := 0
	for line := range strings.Lines(text.String()) {
		if number, _, ok := strings.Cut(line, " @ "); ok {
			count, _ = strconv.Atoi(number)
		} else if strings.HasPrefix(line, "# labels: ") && strings.Contains(line, strconv.Quote(labelKey)+":"+strconv.Quote(labelValue)) {
			n += count
		}
	}
	return n
}

// Started counts the goroutines that steps start and leave running.
type Started struct {
	before int  // goroutines of checked code after the last step
	steady bool // no step has left any of them
}

// By waits until the goroutines that a step starts have ended, and returns the number of those that have not. A goroutine
// that panics then does so in the step that started it. By waits for 200 ticks of 100 µs, which are longer on a busy
// machine, but at most 200 ms. Of the goroutines that the step starts, its caller has joined some.
func (s *Started) By(step func(), joined uint64) (left int) {
	if !s.steady {
		s.before, s.steady = Running(), true
	}
	all, made := runtime.NumGoroutine(), created()
	step()
	if created() == made+joined {
		return 0
	}
	t := time.NewTicker(100 * time.Microsecond)
	defer t.Stop()
	end := time.NewTicker(200 * time.Millisecond)
	defer end.Stop()
	for tries := 0; tries < 200 && runtime.NumGoroutine() > all; tries++ {
		select {
		case <-t.C:
		case <-end.C:
			tries = 200
		}
	}
	// Goroutines that ended meanwhile, such as the caller's own of an earlier step, may outweigh in all those that are left.
	left = max(0, runtime.NumGoroutine()-all, Running()-s.before)
	s.steady = left == 0
	return left
}

// created returns the number of goroutines that have been created in this process.
func created() uint64 {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
