package options

import (
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/macemc/macemc/internal/kernel/contain"
)

// Calls lets another process know which call of checked code an exploration was making when that ended its process: of a handler or
// monitor in a situation that is new, or of the properties in a new state. A call is a number, the same in every process; 0 is none. The
// same exploration in another process then takes such calls for ones that do not return, and so tells by which path it came to them.
type Calls struct {
	At      *uint64  // where the call that goes on is noted
	Refused []uint64 // that are not made; with them, World.Overdue is needed
	Settle  bool     // steps wait for the goroutines that their handlers start
	// Limited is not 0 while nothing goes on but what is limited by time: then the other process may end this one when it goes on for long
	// after that is over. Nil: nobody wants to know.
	Limited *uint64

	now      uint64 // as *At, of handlers and monitors
	round    uint64 // explorations begun
	Checking bool   // properties are asked about a state that is new
	refused  bool   // the call that goes on
	Doubted  bool   // a call was refused of what had been done before
}

// Doubts reports whether a call was refused of what had been done before, and then did not end the process: what is called depends on more than it may.
func (c *Calls) Doubts() bool { return c != nil && c.Doubted }

// Refuses reports whether calls are refused.
func (c *Calls) Refuses() bool { return c != nil && len(c.Refused) > 0 }

// Settles reports whether steps wait for the goroutines that their handlers start.
func (c *Calls) Settles() bool { return c != nil && c.Settle }

// unnoted are the same calls when they are not to be noted.
func (c *Calls) unnoted() *Calls {
	if c == nil {
		return nil
	}
	return &Calls{At: new(uint64), Refused: c.Refused, Settle: c.Settle, round: c.round}
}

// Beyond notes that what goes on is not limited by the time of the search, until the end of that.
func (c *Calls) Beyond() (end func()) {
	if c == nil || c.Limited == nil {
		return func() {}
	}
	limit := atomic.SwapUint64(c.Limited, 0)
	return func() { atomic.StoreUint64(c.Limited, limit) }
}

// NextRound notes that states are numbered anew.
func (c *Calls) NextRound() {
	if c != nil {
		c.round++
	}
}

// begin notes a call that content tells from others. It is false when the call is refused.
func (c *Calls) begin(content uint64) bool {
	c.now = content&^1 | 2
	*c.At = c.now
	c.refused = slices.Contains(c.Refused, c.now)
	return !c.refused
}

// Enter notes a call likewise, until end is given what went on before. The error is that it is refused.
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

// Answered notes what the code that is called was told. It ends the goroutine when the call is refused now.
func (c *Calls) Answered(answer int) {
	if c == nil || c.now == 0 {
		return
	}
	if !c.begin(bits.RotateLeft64(c.now^uint64(answer+1), 29) * 0x9e3779b97f4a7c15) {
		runtime.Goexit()
	}
}

// WasRefused reports whether the call that goes on was refused on the way.
func (c *Calls) WasRefused() bool { return c != nil && c.refused }

// Leave notes that a call is over, and that the one before goes on.
func (c *Calls) Leave(before uint64) {
	if c != nil {
		c.now, *c.At, c.refused = before, before, false
	}
}

// BeginState notes that properties are asked about the state with that number, until checked. It is false when that is refused.
func (c *Calls) BeginState(number int) bool {
	call := (c.round<<40|uint64(number))<<1 | 1
	*c.At, c.now, c.Checking = call, call, true
	return len(c.Refused) == 0 || !slices.Contains(c.Refused, call)
}

// EndState ends state.
func (c *Calls) EndState() { *c.At, c.now, c.Checking = 0, 0, false }

// Kinds of calls are told apart when content is the same.
const (
	HandlerCall = iota
	RepeatCall  // of a handler, in a situation that is known
	MonitorCall
	PropertyCall
	ListCall   // of what says which events can happen in a local state
	GatherCall // of quorums
	FailCall   // of MayCrash and MayHalt
	RunCall    // of all that a run comes to which the replay engine executes
)
