package simext

import (
	"cmp"
	"fmt"
	"time"

	"github.com/macemc/macemc/sim"
)

// Stepper is implemented by services with internal steps, which neither the application nor time requests, for example
// to handle a deferred event. Such a step is an event like any other: others may precede it. A node that runs outside
// of a check takes it as soon as the previous handler has returned.
type Stepper interface {
	// Ready reports whether a step is enabled. It reads the service only and changes nothing.
	Ready() bool
	// Step is a handler. It is called only if Ready returns true.
	Step(sim.Env)
}

// Struck is implemented by services whose programs faults strike, those with [eventkind.Kind.OfProgram].
type Struck interface {
	// CanStrike reports whether a fault can strike now. It reads the service only and changes nothing.
	CanStrike(sim.Fault) bool
	// Strike is a handler. It is called only if CanStrike returns true.
	Strike(sim.Env, sim.Fault)
}

// Idler is implemented by steppers that may also step when no event is queued, as a machine does with its Null. Under
// [sim.Prompt] timers wait for deliverable messages and errors, and for steps that handle a queued event.
type Idler interface {
	// Idle reports whether the enabled step handles no event.
	Idle() bool
}

// Hosting is implemented by services that run code written for them, so that reports show that code.
type Hosting interface {
	// Hosted returns the name of the hosted code for lanes, also before Boot. code is a pointer to the struct with the
	// methods that run, nil before Boot, and path is the path of the field that refers to it.
	Hosted() (name string, code any, path string)
}

// CodeTracer is implemented by an Env that records the code that handles an event. The checker's Env implements it.
type CodeTracer interface {
	// Traced returns the record of the event; nil means that it is not recorded.
	Traced() CodeRecord
}

// Traced returns the record of the event that an Env executes; nil means that it is not recorded.
func Traced(env sim.Env) CodeRecord {
	if t, ok := env.(CodeTracer); ok {
		return t.Traced()
	}
	return nil
}

// CodeRecord records the code that handles an event.
type CodeRecord interface {
	// Runs records that a service runs code, a function, that is written for it.
	Runs(code any)
	// At sets the place, file:line, of hosted code that the following effects come from. It is empty if unknown.
	At(place string)
	// Ran records the last place of hosted code in the step, unless Runs was called.
	Ran(place string)
}

// Conditional is implemented by services that only some programs can run.
type Conditional interface {
	// CanRun returns an error that describes what this program lacks, or nil.
	CanRun() error
}

// CannotRun is the error of a system with a service that this program cannot run. It wraps the error of CanRun.
type CannotRun struct{ Err error }

func (e *CannotRun) Error() string { return e.Err.Error() }
func (e *CannotRun) Unwrap() error { return e.Err }

// NotSimulated is the error of a step in which a hosted program requests what is not simulated. It is no violation: the
// system cannot be checked.
type NotSimulated struct {
	Node sim.NodeID
	What string // what the program does, with the place: "it starts a process at main.go:12 main.run"
}

func (e *NotSimulated) Error() string {
	return fmt.Sprintf("the program of node %d cannot be checked: %s, which is not simulated (docs/goroutines.md)", e.Node, e.What)
}

// Limited is implemented by services with behaviors that a search cannot cover.
type Limited interface {
	// Uncovered describes in a line the uncovered behaviors of a system with the given interleaving.
	Uncovered(sim.Interleave) string
	// Sampled returns, by label, the choices that the service samples itself, and the numbers of alternatives that it
	// takes. No search of such a service is complete.
	Sampled(sim.Interleave) map[string]int
}

// Showing is implemented by services that cannot always show their current state to properties. While one shows an
// earlier state, properties that read its node are not judged: Always counts as holding, all others as not holding, and
// their panics are ignored.
type Showing interface {
	// Stale reports whether properties read an earlier state. It reads the service only and changes nothing.
	Stale() bool
}

// Carrier is implemented by services that host a program of the user. Their own code does not count as the handler of
// an event, so reports show no line of it. The names of its unexported fields are shown in parentheses.
type Carrier interface {
	// Carries does nothing. It marks the type.
	Carries()
}

// Comparer is implemented by services that can explain the difference between two executions of one path.
type Comparer interface {
	// Compare describes the first difference between the histories of this service and of other, which may be longer.
	// It returns nil if it finds none. It changes neither service.
	Compare(other sim.Service) []string
}

// Outliner is implemented by services with fields that take long to describe.
type Outliner interface {
	// Outline makes the service describe those fields by one word, or in full again. It changes nothing else.
	Outline(on bool)
}

// Epoch is the instant at which clocks of hosted programs begin that no instant is set for, in nanoseconds since 1970. Path files do not
// mention it.
const Epoch = 946684800e9

// Instant is the instant at which clocks of hosted programs begin in searches of this process, in nanoseconds since 1970: when the command
// began. 0 means [Epoch].
var Instant int64

// Inherited are variables of the environment that other processes of the command need.
var Inherited []string

// InstantOf returns the instant at which clocks of hosted programs of a system begin, in nanoseconds since 1970.
func InstantOf(sys *sim.System) int64 {
	if at := sys.Instant(); !at.IsZero() {
		return at.UnixNano()
	}
	return cmp.Or(Instant, Epoch)
}

// Timekeeper is implemented by an [sim.Env] that relates the clocks of nodes. The checker's Env implements it.
type Timekeeper interface {
	// Time returns the common time since the start of the run, and the relation of clocks to it. Nil clocks are independent. The clocks of
	// hosted programs begin at an instant, in nanoseconds since 1970.
	Time() (now time.Duration, clocks *sim.Clocks, began int64)
}

// Interleaver is implemented by an [sim.Env] that provides the system's schedule of goroutines. The checker's Env
// implements it.
type Interleaver interface {
	Interleave() sim.Interleave
	// Seed chooses a seed for pseudo-random numbers. Searches sample this choice. If there is an earlier seed, 0 keeps that. Only walks
	// that continue a given run replace it.
	Seed(what string, earlier bool) int
}
