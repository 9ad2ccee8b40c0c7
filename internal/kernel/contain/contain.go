// Package contain calls checked code so that whatever ends it becomes a finding.
package contain

import (
	"fmt"
	"io"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"time"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// Causes of findings.
const (
	NotReturned     sim.FindingCause = "not returned"      // a divergence: a call did not return in time
	GoroutineEnded  sim.FindingCause = "goroutine ended"   // a panic: a call ended its goroutine
	UsedAfterReturn sim.FindingCause = "used after return" // a panic: code used an [sim.Env] after its handler had returned
)

// Checked code may end its goroutine, by runtime.Goexit or its callers: FailNow, Fatal and Skip of a testing.T. No code
// on the same goroutine can prevent that.

// Ended is the panic value for checked code that ended its goroutine.
type Ended struct{}

const EndedText = "ended its goroutine (runtime.Goexit, which FailNow, Fatal and Skip of testing.T call)"

// Exited reports whether a finding is that checked code ended its goroutine.
func Exited(f *sim.Finding) bool { return f.Cause == GoroutineEnded }

// raised is the panic value of checked code, with the stack where it was raised.
type raised struct {
	value any
	stack string
}

// String returns the text of the panic, for code that prints the value without RaisedBy.
func (r raised) String() string { return PanicText(r.value, "%v") }

// RaisedBy returns the original panic value of a recovered value, and the stack where it was raised.
func RaisedBy(r any) (value any, stack string) {
	if r, ok := r.(raised); ok {
		return r.value, r.stack
	}
	return r, string(debug.Stack())
}

// PanicText describes a recovered value, to follow the name of the code that panicked.
func PanicText(value any, format string) string {
	if value == (Ended{}) {
		return EndedText
	}
	return fmt.Sprintf(format, Shown{value})
}

// Shown is a value of checked code whose own methods may not return.
type Shown struct{ Value any }

// Format implements [fmt.Formatter].
func (s Shown) Format(to fmt.State, verb rune) {
	text, failed := rule.Contained(reflect.TypeOf(s.Value), func() string { return fmt.Sprintf(fmt.FormatString(to, verb), s.Value) })
	if failed != "" {
		text = fmt.Sprintf("%T (its text %s)", s.Value, failed)
	}
	io.WriteString(to, text)
}

// Panicked returns the finding that code named what panicked, or ended its goroutine, where r is the recovered value.
func Panicked(what string, r any) *sim.Finding {
	value, stack := RaisedBy(r)
	f := &sim.Finding{Kind: sim.Panic, Node: -1, Message: what + " " + PanicText(value, "panicked: %v"), Stack: stack}
	if value == (Ended{}) {
		f.Cause = GoroutineEnded
	}
	return f
}

// Overdue reports whether a finding is that checked code did not return in time, see [kernel.Options].
func Overdue(f *sim.Finding) bool { return f.Cause == NotReturned }

// GivenUp returns the finding that checked code did not return in time.
func GivenUp() *sim.Finding {
	return &sim.Finding{Kind: sim.Divergence, Cause: NotReturned, Message: "checked code did not return"}
}

// WatchInterval is the interval between calls of [kernel.Options].Overdue.
const WatchInterval = 50 * time.Millisecond

// Watch abandons checked code that does not return. A nil Watch waits without limit.
type Watch struct {
	overdue func(ticks int) bool
	Ticker  *time.Ticker
}

func NewWatch(overdue func(ticks int) bool) *Watch {
	if overdue == nil {
		return nil
	}
	return &Watch{overdue, time.NewTicker(WatchInterval)}
}

// returned waits until done is closed. It returns false if the call was abandoned.
func (w *Watch) returned(done <-chan struct{}) bool {
	if w == nil {
		<-done
		return true
	}
	for ticks := 1; ; ticks++ {
		select {
		case <-done:
			return true
		case <-w.Ticker.C:
			if w.overdue(ticks) {
				return false
			}
		}
	}
}

// ContainedCreator is the name in stacks of the function that starts goroutines for checked code, with
// [kernel.Options].Contain.
var ContainedCreator = stacks.Name(Call)

// Call calls f on a goroutine of its own. It panics if f panics, ends that goroutine, or is abandoned because it does
// not return. In the last case f may still be running.
func Call(w *Watch, f func()) {
	done := make(chan struct{})
	var failed any
	go func() {
		pprof.SetGoroutineLabels(labelled)
		returned := false
		defer unlabelled(done)
		defer func() {
			if returned {
				return
			}
			switch r := recover().(type) {
			case nil:
				failed = raised{Ended{}, string(debug.Stack())}
			case *encoding.Error, *sim.Finding:
				failed = r
			default:
				failed = raised{r, string(debug.Stack())}
			}
		}()
		f()
		returned = true
	}()
	if !w.returned(done) {
		panic(GivenUp())
	}
	if failed != nil {
		panic(failed)
	}
}

// Value is Call for a function with a result.
func Value[T any](w *Watch, f func() T) T {
	var v T
	Call(w, func() { v = f() })
	return v
}

// Started counts the goroutines that steps start and leave running.
type Started struct {
	before int  // goroutines of checked code after the last step
	steady bool // no step has left any of them
}

// By waits until the goroutines that a step starts have ended, and returns the number of those that have not. A goroutine
// that panics then does so in the step that started it. By waits for 200 ticks of 100 µs, which are longer on a busy
// machine, but at most 200 ms. joined is the number of goroutines that the step starts and its caller joins.
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
	// Any goroutine that ends meanwhile, such as the caller's own of the previous step, lowers the first number.
	for tries := 0; tries < 200 && (runtime.NumGoroutine() > all || Running() > s.before); tries++ {
		select {
		case <-t.C:
		case <-end.C:
			tries = 200
		}
	}
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

// Guard calls f on a goroutine of its own. The finding reports that checked code ended that goroutine. Nil means that it
// did not. The world that f worked on can then only be started anew. Panics propagate.
//
// It serves callers of worlds without [kernel.Options].Contain.
func Guard(f func()) (found *sim.Finding) {
	done := make(chan struct{})
	go func() {
		pprof.SetGoroutineLabels(labelled)
		returned := false
		defer unlabelled(done)
		defer func() {
			if returned {
				return
			}
			if r := recover(); r != nil {
				panic(r) // on this goroutine, with the stack of the first panic in the report
			}
			found = Panicked("checked code", Ended{})
		}()
		f()
		returned = true
	}()
	<-done
	return found
}
