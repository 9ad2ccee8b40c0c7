package sim

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// Checked code may end the goroutine that it runs on, by runtime.Goexit or what calls it: FailNow, Fatal and Skip of a
// testing.T. Nothing that runs on the same goroutine can keep it from that.

// exited is the panic value for checked code that ended its goroutine.
type exited struct{}

const exitedText = "ended its goroutine (runtime.Goexit, which FailNow, Fatal and Skip of testing.T call)"

// Exited reports whether a finding is that checked code ended its goroutine.
func (f *Finding) Exited() bool { return f.Kind == Panic && strings.HasSuffix(f.Message, exitedText) }

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

// contained calls f on a goroutine of its own. It panics when f does, and also when f ends that goroutine.
func contained(f func()) {
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
			case *StateError, *Finding:
				failed = r
			default:
				failed = raised{r, string(debug.Stack())}
			}
		}()
		f()
		returned = true
	}()
	<-done
	if failed != nil {
		panic(failed)
	}
}

// containedValue is contained for a function with a result.
func containedValue[T any](f func() T) (v T) {
	contained(func() { v = f() })
	return v
}

// Guard calls f on a goroutine of its own. The finding tells that checked code ended that goroutine; nil: it did not. What f
// worked on is good for nothing then but to start anew. Panics go on.
//
// It is for those who call worlds without [Options.Contain].
func Guard(f func()) (found *Finding) {
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
			found = &Finding{Kind: Panic, Node: -1, Message: "checked code " + exitedText, Stack: string(debug.Stack())}
		}()
		f()
		returned = true
	}()
	<-done
	return found
}
