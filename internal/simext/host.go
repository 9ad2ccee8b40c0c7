// Package host has what services say of themselves that are not themselves what a user wrote: state machines (package machine), ordinary
// programs (package bubble), and other services that run code for users.
package simext

import (
	"time"

	"github.com/macemc/macemc/sim"
)

// Stepper is implemented by services that have steps of their own, which neither the application nor time asks for:
// an event that was put aside is handled, say. Such a step is an event like any other: others may come before it. A
// node that runs outside of a check takes it as soon as the handler before it has returned.
type Stepper interface {
	// Ready reports whether there is a step to take. It looks at the service alone, and changes nothing.
	Ready() bool
	// Step is a handler. It is called only when Ready reports true.
	Step(sim.Env)
}

// Idler is implemented by steppers that may also step when no event waits for them, as a machine does by its Null. Timers wait for the other
// steps under [sim.Prompt].
type Idler interface {
	// Idle reports whether a step that is ready handles no event.
	Idle() bool
}

// Hosting is implemented by services that run code which is written for them, so that people see that code.
type Hosting interface {
	// Hosted names what the service runs, for lanes; it does so before Boot, too. Code is a pointer to the struct whose
	// methods run, nil before Boot, and path that of the field which refers to it.
	Hosted() (name string, code any, path string)
}

// CodeTracer is implemented by an Env that shows which code handles an event. That of the checker does so.
type CodeTracer interface {
	// Runs notes that a service runs code, a function, that is written for it.
	Runs(code any)
}

// Conditional is implemented by services that not every program can run.
type Conditional interface {
	// CanRun says what this program lacks; nil: nothing.
	CanRun() error
}

// CannotRun is the error of a system with a service that this program cannot run. It wraps the error of CanRun.
type CannotRun struct{ Err error }

func (e *CannotRun) Error() string { return e.Err.Error() }
func (e *CannotRun) Unwrap() error { return e.Err }

// Limited is implemented by services of which a search cannot see all that they may do.
type Limited interface {
	// Uncovered says in a line what it does not see, of a system with that interleaving.
	Uncovered(sim.Interleave) string
	// Sampled returns, by label, the choices of which the service takes a part by itself, and how many alternatives it takes. No search
	// of it is complete.
	Sampled(sim.Interleave) map[string]int
}

// Showing is implemented by services that cannot always show properties the state that they are in. While one shows an earlier state, no
// property that reads its node is judged: Always counts as holding, all others as not holding, and a panic of theirs as nothing.
type Showing interface {
	// Stale reports whether what properties read is of an earlier state. It looks at the service alone, and changes nothing.
	Stale() bool
}

// Carrier is implemented by services that carry a program of the user's. Their own code is not what handled an event, so no
// report shows a line of it. The names of
// its fields that are not exported stand in parentheses where states are shown.
type Carrier interface {
	// Carries does nothing.
	Carries()
}

// Comparer is implemented by services that can explain why two executions of one path differ.
type Comparer interface {
	// Compare describes the first difference between what this service has done and what other has done, which may have gone on for
	// longer. It returns nil if it finds none. Both services stay as they are.
	Compare(other sim.Service) []string
}

// Outliner is implemented by services of which some fields take long to describe.
type Outliner interface {
	// Outline has those fields described by a word from now on, or in full again. It changes nothing else.
	Outline(on bool)
}

// Timekeeper is implemented by an [sim.Env] that relates the clocks of nodes. That of the checker does.
type Timekeeper interface {
	// Time returns the common time since the run began, and how clocks follow it. A nil result means that clocks are independent.
	Time() (time.Duration, *sim.Clocks)
}

// Interleaver is implemented by an [sim.Env] whose system says how goroutines take turns. That of the checker does.
type Interleaver interface {
	Interleave() sim.Interleave
	// Seed chooses where pseudo-random numbers begin. It is a choice that searches sample.
	Seed(what string) int
}
