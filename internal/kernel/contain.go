package kernel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// Checked code may end the goroutine that it runs on, by runtime.Goexit or what calls it: FailNow, Fatal and Skip of a
// testing.T. Nothing that runs on the same goroutine can keep it from that.

// exited is the panic value for checked code that ended its goroutine.
type exited struct{}

const exitedText = "ended its goroutine (runtime.Goexit, which FailNow, Fatal and Skip of testing.T call)"

// Exited reports whether a finding is that checked code ended its goroutine.
func Exited(f *sim.Finding) bool { return f.Cause == sim.GoroutineEnded }

// raised is the panic value of checked code, with the stack where it was raised.
type raised struct {
	value any
	stack string
}

// String is what is said of it where it is met without being taken apart.
func (r raised) String() string { return panicText(r.value, "%v") }

// raisedBy takes a recovered value apart.
func raisedBy(r any) (value any, stack string) {
	if r, ok := r.(raised); ok {
		return r.value, r.stack
	}
	return r, string(debug.Stack())
}

// panicText says of a recovered value, after the name of what it came from, what that did.
func panicText(value any, format string) string {
	if value == (exited{}) {
		return exitedText
	}
	return fmt.Sprintf(format, value)
}

// panicked returns the finding that something panicked, or ended its goroutine; r is the recovered value.
func panicked(what string, r any) *sim.Finding {
	value, stack := raisedBy(r)
	f := &sim.Finding{Kind: sim.Panic, Node: -1, Message: what + " " + panicText(value, "panicked: %v"), Stack: stack}
	if value == (exited{}) {
		f.Cause = sim.GoroutineEnded
	}
	return f
}

// Overdue reports whether a finding is that checked code did not return in time, see [Options].
func Overdue(f *sim.Finding) bool { return f.Cause == sim.NotReturned }

// GivenUp is the finding that checked code did not return in time.
func GivenUp() *sim.Finding {
	return &sim.Finding{Kind: sim.Divergence, Cause: sim.NotReturned, Message: "checked code did not return"}
}

// WatchInterval is how often [Options].Overdue is asked.
const WatchInterval = 50 * time.Millisecond

// watch gives up checked code that does not return. Nil never does.
type watch struct {
	overdue func(ticks int) bool
	ticker  *time.Ticker
}

func newWatch(overdue func(ticks int) bool) *watch {
	if overdue == nil {
		return nil
	}
	return &watch{overdue, time.NewTicker(WatchInterval)}
}

// returned waits until done is closed; false: that was given up.
func (w *watch) returned(done <-chan struct{}) bool {
	if w == nil {
		<-done
		return true
	}
	for ticks := 1; ; ticks++ {
		select {
		case <-done:
			return true
		case <-w.ticker.C:
			if w.overdue(ticks) {
				return false
			}
		}
	}
}

// ContainedCreator is the name in stacks of what makes the goroutines on which worlds with [Options].Contain call checked code.
var ContainedCreator = stacks.Name(contained)

// contained calls f on a goroutine of its own. It panics when f does, and also when f ends that goroutine, or does not return and
// is given up; then f may still be running.
func contained(w *watch, f func()) {
	done := make(chan struct{})
	var failed any
	go func() {
		returned := false
		defer close(done)
		defer func() {
			if returned {
				return
			}
			switch r := recover().(type) {
			case nil:
				failed = raised{exited{}, string(debug.Stack())}
			case *sim.StateError, *sim.Finding:
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

// containedValue is contained for a function with a result.
func containedValue[T any](w *watch, f func() T) T {
	var v T
	contained(w, func() { v = f() })
	return v
}

// asking is containedValue for what is neither a handler nor a property, and tells so.
func asking[T any](w *machine, what func() Asked, f func() T) T {
	defer w.opts.asks(what)()
	return containedValue(w.watch, f)
}

// asks tells that checked code is called which is neither a handler nor a property, until end is called.
func (o *Options) asks(what func() Asked) (end func()) {
	tell := o.Asking
	if tell == nil {
		return func() {}
	}
	tell(what())
	return func() { tell(Asked{}) }
}

// awaitStarted waits until there are no more goroutines than before a handler ran, so that one which panics does so in the step that started it.
// It does not wait for those of programs, whose steps end when all of them wait, and for others at most 20 ms.
func awaitStarted(n *node, before int) {
	if runtime.NumGoroutine() <= before || Carries(n.service) {
		return
	}
	t := time.NewTicker(100 * time.Microsecond)
	defer t.Stop()
	for tries := 0; tries < 200 && runtime.NumGoroutine() > before; tries++ {
		<-t.C
	}
}

// Guard calls f on a goroutine of its own. The finding tells that checked code ended that goroutine; nil: it did not. What f
// worked on is good for nothing then but to start anew. Panics go on.
//
// It is for those who call worlds without [Options.Contain].
func Guard(f func()) (found *sim.Finding) {
	done := make(chan struct{})
	go func() {
		returned := false
		defer close(done)
		defer func() {
			if returned {
				return
			}
			if r := recover(); r != nil {
				panic(r) // here, so that the stack of the first panic is told, too
			}
			found = panicked("checked code", exited{})
		}()
		f()
		returned = true
	}()
	<-done
	return found
}
