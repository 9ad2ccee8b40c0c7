package options

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"

	"github.com/macemc/macemc/internal/kernel/contain"
)

// Calls reports to another process which call of checked code is under way: of a handler or monitor in a new
// situation, or of the properties in a new state. An exploration has no run in progress, so a process that is ended by
// a call leaves only its number, not the path to it. The same exploration in another process stops at that call,
// without making it, and reports the path. A call is a number, the same in every process. 0 means none. Checks of
// properties have odd numbers, all other calls even ones.
type Calls struct {
	At      *uint64  // receives the number of the call under way
	Skipped []uint64 // calls that are not made; they need World.Overdue
	Settle  bool     // steps wait for the goroutines that their handlers start
	// HowDied describes how a skipped call ended the process that made it. An empty string means that none was skipped.
	HowDied string
	// DiedInCheckedCode means that checked code ended the processes of all skipped calls, as far as is known. DiedInCall
	// means that no goroutine of an earlier step may have done so instead.
	DiedInCheckedCode, DiedInCall bool

	now       uint64 // like *At, for handlers and monitors
	abandoned uint64 // the first call that was abandoned, which may still end the process; *At between other calls
	round     uint64 // number of explorations begun
	Checking  bool   // properties are being checked in a new state
	skipped   bool   // the call under way was skipped
	Doubted   bool   // a skipped call had succeeded before
}

// Doubts reports whether a skipped call had succeeded before. Then its result depends on more than its arguments
// and local state.
func (c *Calls) Doubts() bool { return c != nil && c.Doubted }

// HasSkipped reports whether calls are skipped.
func (c *Calls) HasSkipped() bool { return c != nil && len(c.Skipped) > 0 }

// Settles reports whether steps wait for the goroutines that their handlers start.
func (c *Calls) Settles() bool { return c != nil && c.Settle }

// unnoted returns a copy that skips the same calls and reports none.
func (c *Calls) unnoted() *Calls {
	if c == nil {
		return nil
	}
	return &Calls{At: new(uint64), Skipped: c.Skipped, Settle: c.Settle, round: c.round}
}

// NextRound starts a new numbering of states.
func (c *Calls) NextRound() {
	if c != nil {
		c.round++
	}
}

// begin records a call, identified by content. It returns false if the call is skipped.
func (c *Calls) begin(content uint64) bool {
	c.now = content&^1 | 2
	*c.At = c.now
	c.skipped = slices.Contains(c.Skipped, c.now)
	return !c.skipped
}

// Enter records a call of some kind, identified by content. Pass before to Leave at its end. The error reports a
// skipped call.
func (c *Calls) Enter(kind int, content uint64) (before uint64, err error) {
	if c == nil {
		return 0, nil
	}
	before, content = c.now, content+uint64(kind)*0x9e3779b97f4a7c15
	if c.begin(content) {
		return before, nil
	}
	c.Leave(before)
	c.Doubted = c.Doubted || kind == RepeatCall || kind == RunCall
	return before, contain.GivenUp()
}

// Answered records an answer to the code that is called. If this makes the call a skipped one, it ends the
// goroutine.
func (c *Calls) Answered(answer int) {
	if c == nil || c.now == 0 {
		return
	}
	if !c.begin(bits.RotateLeft64(c.now^uint64(answer+1), 29) * 0x9e3779b97f4a7c15) {
		runtime.Goexit()
	}
}

// WasSkipped reports whether an answer made the call under way a skipped one.
func (c *Calls) WasSkipped() bool { return c != nil && c.skipped }

// Leave ends a call and resumes the one before.
func (c *Calls) Leave(before uint64) {
	if c != nil {
		c.now, *c.At, c.skipped = before, cmp.Or(before, c.abandoned), false
	}
}

// restart forgets the call that was abandoned before.
func (c *Calls) restart() {
	if c != nil {
		c.abandoned = 0
	}
}

// abandon notes that the call under way has not returned in time.
func (c *Calls) abandon() {
	if c != nil {
		c.abandoned = cmp.Or(c.abandoned, c.now)
	}
}

// BeginState records the check of the properties in the state with that number, until EndState. It returns false if
// the check is skipped.
func (c *Calls) BeginState(number int) bool {
	call := (c.round<<40|uint64(number))<<1 | 1
	*c.At, c.now, c.Checking = call, call, true
	return len(c.Skipped) == 0 || !slices.Contains(c.Skipped, call)
}

// EndState ends the check of a state.
func (c *Calls) EndState() { *c.At, c.now, c.Checking = c.abandoned, 0, false }

// Kinds of calls separate calls with the same content.
const (
	HandlerCall = iota
	RepeatCall  // of a handler, in a known situation
	MonitorCall
	PropertyCall
	ListCall   // of code that lists the events of a local state
	GatherCall // of quorums
	FailCall   // of MayCrash and MayHalt
	RunCall    // of a whole run on the replay engine
)
