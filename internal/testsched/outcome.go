package testsched

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched/program"
)

// Kind classifies the end of a run.
type Kind string

const (
	Passed     Kind = ""
	Deadlock   Kind = "deadlock"
	Leak       Kind = "leak"
	Panic      Kind = "panic"
	Exit       Kind = "exit"
	Failed     Kind = "failed test"
	Race       Kind = "data race"
	NoEnd      Kind = "no end"
	Unexplored Kind = "unexplored" // the test cannot be explored
)

// Outcome is the result of a run. Most of it passes between processes.
type Outcome struct {
	Kind       Kind
	Message    string      // one line
	Where      string      // position in the code of the test, which distinguishes findings of one kind
	Details    []string    // lines for display
	Shows      []string    // identifies the finding, see Identify
	Waiting    []Goroutine `code:"-"` // goroutines that are blocked or left behind
	Points     uint64
	Executed   uint64 // operations at points that were executed
	Choices    uint64 // points at which another goroutine could have run
	Hash       uint64 // of the order of goroutines
	Switches   []Switch
	Incomplete bool // some switches are missing from Switches
	Followed   int  // number of switches of the schedule that applied
	Skipped    bool // the test skipped itself
	InTest     bool // Panic or Exit: the goroutine that executes the test or a subtest is the one that panics or exits
	Outside    bool // a goroutine waited for something outside the test: a process, a real file, a signal
	Patient    bool // the run waited in real time for timers, files and processes of goroutines outside the test
	Remaining
	Ended []uintptr // go statements of goroutines that have ended
	Trace []Event
	Bounds
	States  []State
	Origins []Origin

	Enumerated
	Exceeded
	Sampled Sampled
	Delays  bool // a timer was too far away to fire while a goroutine runs; false if Schedule.Passes is 0, unless Systematic
}

// Exceeded has the limits that a run without end has exceeded; zero values mean another limit.
type Exceeded struct {
	Advances int           // of its test's clock
	Clock    time.Duration // time that has passed on that clock
	Spins    bool          // a goroutine runs without a scheduling point
}

// Enumerated describes a run with the policy Systematic.
type Enumerated struct {
	LeftOut   string     // why the orders of points do not cover all outcomes
	Decisions []Decision // the Options are valid until the next run
	Cut       bool       // the run was ended early
	Long      bool       // Cut, because there was no room for decisions
}

// Bounds describes the records of a run that are limited in size.
type Bounds struct {
	Untraced int    // number of events before those of Trace
	Later    int    // number of events after those of Trace, which then has the first difference from the default order
	Printed  Output // the last lines that the run has printed and logged; complete if they are few
	Recorded
}

// Recorded is the record of a run with Manner.Recorded.
type Recorded struct {
	Events     []predict.Event // valid until the next run
	Unrecorded int             // number of operations after these
}

// Event is an operation that a goroutine executes, at a scheduling point.
type Event struct {
	Who    uint64
	Number int // of the goroutine, by age
	Place  uint64
	Count  uint64 // number of executed operations, including this one; calls of Gosched and operations of package testing have no events
	Op     program.Op
	Execution
	Object string // label of the operation's object; empty means none
	At     string // position in the code of the test
	Func   string
	File   string // file of At, with its folder; empty if At is not a position
	Direct bool   // At executes the operation itself, not a function of the distribution that it has called
	// By is the goroutine that started or woke this one since its last event, and ByPlace is the last place of that goroutine at the time.
	// 0 means that this goroutine did not wait, or that a timer woke it.
	By      int
	ByPlace uint64
}

// Execution describes how an operation is executed.
type Execution struct {
	Takes    program.Op // what a select executes without waiting; program.OpSelect means its default case; 0 means another operation
	Case     int        // number of that case in the source, starting at 0, among those with the operation Takes
	Ready    int        // number of cases that were ready then
	Call     string     // method of the distribution that executes it, such as Add(1); empty means none, or an unknown one
	Returned Result
}

// Result is the result of an operation that may fail, with the runtime's numbers. 0 means that there is none, or that it is not known.
type Result int

const (
	ReturnedFalse Result = iota + 1
	ReturnedTrue
)

// Origin describes how a goroutine started, other than the one that executes the test.
type Origin struct {
	Number   int
	Test     bool   // it executes the test, which TestMain has started
	Timer    bool   // a timer of time.AfterFunc started it
	By       int    // goroutine that executed the go statement or set the timer
	ByPlace  uint64 // the last place of that goroutine before that
	At, Func string // position of that goroutine in the code of the test
	Package  string // of that position
	Starter  string // function of the distribution with the go statement; empty means that At is the go statement
}

func (g Origin) String() string {
	place := " in " + g.At
	if !strings.HasPrefix(g.At, standardLibrary) {
		place = " at " + g.At
	}
	switch {
	case g.Timer && g.Func != "":
		return "started by the timer set" + place + " in " + g.Func
	case g.Timer:
		return "started by the timer set" + place
	case g.Starter != "" && strings.HasPrefix(g.At, standardLibrary):
		return "started by " + g.Starter
	case g.Starter != "":
		return "started by " + g.Starter + ", called" + place
	}
	return "started" + place
}

// Identity describes a goroutine: the test that it executes, or how it started. An empty string means that this is not known.
func (o *Outcome) Identity(test string, number int) string {
	main, first := test, ""
	if function, _, below := strings.Cut(test, "/"); below && !strings.HasPrefix(test, "Fuzz") {
		main = function // of which the subtest is a part
	}
	for _, g := range o.Origins {
		switch {
		case g.Test && g.Number == number:
			return main
		case g.Test:
			first = "the program, to the end of TestMain"
		case g.Number == number:
			return g.String()
		}
	}
	if number == 1 {
		return cmp.Or(first, main)
	}
	return ""
}

// State is a change of a goroutine's state after an event of a trace and before the next one. At its own events a goroutine is running.
type State struct {
	Who    uint64
	After  int // number of preceding events
	Number int // of the goroutine
	Kind   StateKind
	Waits  string // Parks: the runtime's wait reason
	Object string // Parks: label of what it waits for; empty means unknown
	At     string // Parks: position in the code of the test
	Func   string
	Other  int // for Parks and Holder, the holder of the lock; for Ready, the goroutine that started or woke this one; 0 means none
}

// StateKind is the kind of a state change, with the runtime's numbers.
type StateKind int

const (
	Parks StateKind = iota
	Ready           // it becomes runnable
	Ends
	Holder // another goroutine holds the lock that it waits for
)

// Wait describes what a goroutine waits for.
func (s State) Wait() string { return waitFor(s.Waits, s.Object) }

func (e Event) String() string { return fmt.Sprintf("goroutine %d: %s", e.Number, e.operation()) }

// What describes the operation and its object.
func (e Event) What() string {
	switch {
	case e.Takes == 0:
		return e.Op.By(e.Call, e.Object) + map[Result]string{ReturnedFalse: ": returned false", ReturnedTrue: ": returned true"}[e.Returned]
	case e.Takes == program.OpSelect && e.Op.Tries():
		return fmt.Sprintf("takes default, as %s is not ready", cmp.Or(e.Object, "a channel"))
	case e.Takes == program.OpSelect:
		return "takes the default case of a select"
	case e.Ready > 1:
		return fmt.Sprintf("%s in a select with %d ready cases", e.Takes.On(e.Object), e.Ready)
	}
	return e.Takes.On(e.Object) + " in a select"
}

// Chosen identifies the case that a select takes, by its operation and number. It is empty for other events.
func (e Event) Chosen() string {
	if e.Takes == 0 {
		return ""
	}
	return fmt.Sprintf("%s %d", e.Takes.Noun(), e.Case)
}

func (e Event) operation() string {
	text := fmt.Sprintf("%s at %s", e.What(), e.At)
	if e.Func != "" {
		text += " in " + e.Func
	}
	return text
}

// Same reports whether two events are the same operation of the same goroutine at the same point.
func (e Event) Same(f Event) bool {
	return e.Who == f.Who && e.Place == f.Place && e.Op == f.Op && e.Takes == f.Takes && e.Case == f.Case
}

// SameFinding reports whether two runs show the same finding, perhaps with other messages.
func (o *Outcome) SameFinding(p *Outcome) bool {
	if o.Kind != p.Kind {
		return false
	}
	switch o.Kind {
	case Panic, Exit:
		return o.Where == p.Where
	case Failed, Race: // a run with many races may report some of them, in any order
		a, b := o.places(), p.places()
		return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(at string) bool { return slices.Contains(b, at) })
	}
	return true
}

// HasFailure reports whether an outcome shows a failure with a message. The test may then deadlock or panic; a panic alone has no message
// of the test.
func (o *Outcome) HasFailure() bool {
	return slices.ContainsFunc(o.Shows, func(text string) bool {
		_, message, _ := strings.Cut(text, ": ") // a name of a test has no space
		return strings.HasPrefix(text, showsFailed) && message != "" && !strings.HasPrefix(message, showsAt)
	})
}

// places returns the places of the test's failures and data races, if they are known.
func (o *Outcome) places() (places []string) {
	for _, text := range o.Shows {
		if i := strings.LastIndex(text, showsAt); i >= 0 && strings.HasPrefix(text, showsFailed) {
			places = append(places, text[i:])
		} else if strings.HasPrefix(text, string(Race)+": ") {
			places = append(places, text)
		}
	}
	return places
}

// Equal reports whether two runs show the same, perhaps fewer times in the first one, in which fewer of several like goroutines are
// blocked. A minimized run does not show another finding, which may be known.
func (o *Outcome) Equal(p *Outcome) bool {
	once := func(shows []string) []string { return slices.Compact(slices.Clone(shows)) } // they are sorted
	return o.SameFinding(p) && (slices.Equal(o.Shows, p.Shows) || len(o.Shows) < len(p.Shows) && slices.Equal(once(o.Shows), once(p.Shows)))
}

// Stuck describes a run without end, with the maximum number of points.
func (o *Outcome) Stuck(points int) {
	limit := fmt.Sprintf("%d scheduling points", points)
	switch {
	case o.Clock > 0: // go test would not have let it pass
		limit = fmt.Sprintf("%v, twice its time limit", o.Clock)
	case o.Advances > 0:
		limit = fmt.Sprintf("%d advances of the clock", o.Advances)
	}
	_, o.Where = Blocked(o.Waiting, false)
	o.Message = "the test does not return within " + limit
}

// LimitExceeded describes the limit that a run without end exceeded.
func (o *Outcome) LimitExceeded() string {
	if o.Spins {
		return "computes for more than 10 s without a scheduling point"
	}
	if o.Clock > 0 {
		return fmt.Sprintf("takes more than %v of the test's clock", o.Clock)
	}
	if o.Advances > 0 {
		return fmt.Sprintf("advances the clock more than %d times", o.Advances)
	}
	return fmt.Sprintf("passes more than %d scheduling points", o.Points/1000*1000)
}

// Title returns the first line of a finding.
func (o *Outcome) Title() string {
	if o.Kind == Passed {
		return "the test passes"
	}
	return strings.ToUpper(string(o.Kind)) + ": " + o.Message
}

// HasRace reports whether the run had a data race. The race detector has no false alarms.
func (o *Outcome) HasRace() bool { return slices.ContainsFunc(o.Shows, IsRace) }

// setRace adds the data races that were reported since its last call to what the outcome shows, and describes the first of them.
func (o *Outcome) setRace() (message, where string, details []string) {
	var at []string
	for pair := range slices.Chunk(program.Accesses(program.RaceText(), InPackage), 2) {
		var texts []string
		for _, a := range pair {
			texts = append(texts, strings.TrimPrefix(strings.ToLower(a.What), "previous ")+" at "+a.Source)
			if len(at) < 2 {
				at, details = append(at, a.At), append(details, a.Lines()...)
			}
		}
		slices.Sort(texts)                                                                      // the order of the two accesses varies
		if text := "data race: " + strings.Join(texts, ", "); !slices.Contains(o.Shows, text) { // a loop repeats a race any number of times
			o.Shows = append(o.Shows, text)
		}
	}
	return "two goroutines access the same memory without synchronization", strings.Join(at, " "), details
}

// AddRace adds the data races of a run to its outcome. They are the finding unless the test cannot continue, or has failed for another
// reason: leaks may be allowed, and a longer run may end.
func (o *Outcome) AddRace() {
	message, where, accesses := o.setRace()
	if o.Kind == Passed || o.Kind == Leak || o.Kind == NoEnd && !o.Spins {
		o.Kind, o.Message, o.Where, o.Details = Race, message, where, accesses
		return
	}
	o.Details = append(append(o.Details, "and a data race:"), accesses...)
}

// Accesses returns the lines of a data race's details that describe its two accesses, without the calls that lead to them.
func (o *Outcome) Accesses() []string {
	return slices.DeleteFunc(slices.Clone(o.Details), func(line string) bool { return strings.HasPrefix(line, " ") })
}

// RaceFailure is the message with which package testing fails a test that has had a data race.
const RaceFailure = "race detected during execution of test"

// Fails reports whether a process failed. An outcome of nil is unknown.
func (o *Outcome) Fails() bool { return o != nil && o.Kind != Passed }

// Lengthy reports whether a run exceeded its limit of points or clock advances, without a loop. It may end under another limit or schedule.
func (o *Outcome) Lengthy() bool { return o != nil && o.Kind == NoEnd && !o.Spins }

// keep makes the outcome independent of the memory of the next run.
func (o *Outcome) keep() {
	o.Ended, o.Events = slices.Clone(o.Ended), slices.Clone(o.Events)
	for i := range o.Decisions {
		o.Decisions[i].Options = slices.Clone(o.Decisions[i].Options)
	}
}
