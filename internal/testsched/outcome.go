package testsched

import (
	"fmt"
	"strings"
	"time"
)

// Kind is how a run ended.
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

// Outcome is the end of a run.
type Outcome struct {
	Kind     Kind
	Message  string   // one line
	Where    string   // position in the code of the test, to tell findings of one kind apart
	Details  []string // lines for people
	Skipped  bool
	Points   uint64
	Choices  uint64 // points at which another goroutine could have run
	Hash     uint64 // of the order of goroutines
	Switches []Switch
	Lost     bool // Switches are not all
	Followed int  // switches of the schedule that applied
	Outside  bool // a goroutine waited for something outside: a process, a real file, a signal
	Left     []string
	Trace    []Event

	Decisions []Decision // Systematic: the Options are valid until the next run
	Spins     bool       // NoEnd: a goroutine runs without a scheduling point
	Cut       bool       // Systematic: the run was ended early
	Long      bool       // because there was no room for its decisions
	Sampled   Sampled
}

// Event is a point that a goroutine has reached.
type Event struct {
	Who    uint64
	Number int // of the goroutine, by age
	Place  uint64
	Op     string
	Object int           // of the operation, from 1 on; 0 means none
	Now    time.Duration // virtual, since the first event
	At     string        // position in the code of the test
	Func   string
	// By is the number of the goroutine that has started this one, or woken it, since its last event, and ByPlace that goroutine's last place then.
	// 0 means that it did not wait, or that a timer woke it.
	By      int
	ByPlace uint64
}

func (e Event) String() string {
	return fmt.Sprintf("goroutine %d: %s at %s", e.Number, e.Op, e.At)
}

// Same reports whether two runs show the same finding.
func (o *Outcome) Same(p *Outcome) bool {
	return o.Kind == p.Kind && (o.Kind != Panic && o.Kind != Race || o.Where == p.Where)
}

// Title is the first line of a finding.
func (o *Outcome) Title() string {
	return strings.ToUpper(string(o.Kind)) + ": " + o.Message
}
