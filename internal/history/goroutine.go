package history

import (
	"fmt"
	"strings"
)

// Statuses of goroutines. That of a runnable one begins with StatusCanRun.
const (
	StatusCanRun = "can run"
	StatusRested = StatusCanRun + " after a wait" // no goroutine has woken it
	StatusRuns   = "runs"
	StatusEnded  = "ended"
	StatusHeld   = "is held back by the schedule" // it runs on and on without waiting
)

// TimerSet is the text of the message from the goroutine that has set a timer to the goroutine that the timer has started.
const TimerSet = "timer"

// Paths of the fields of goroutines in the trace of a test. A goroutine that has not been started has no fields.
const (
	PathAt        = "at"
	PathOperation = "operation" // next operation, or the one in which it waits
	PathStatus    = "status"
	PathHolder    = "held by"                   // holder of the lock that it waits for
	PathWriter    = "blocked by waiting writer" // goroutine whose request for the write lock precedes its request for a read lock
)

var goroutinePaths = [...]string{PathAt, PathOperation, PathStatus, PathHolder, PathWriter}

// Indexes of goroutinePaths.
const (
	FieldAt = iota
	FieldOperation
	FieldStatus
	FieldHolder
	FieldWriter
)

// GoroutineState is the state of a goroutine, starting at a step. Its fields correspond to goroutinePaths.
type GoroutineState struct {
	step   int
	Fields [len(goroutinePaths)]string
	Since  [len(goroutinePaths)]int // step of the last change of each field
}

// CanRun reports whether the goroutine is runnable.
func (g *GoroutineState) CanRun() bool { return strings.HasPrefix(g.Fields[FieldStatus], StatusCanRun) }

// Waits reports whether the goroutine waits.
func (g *GoroutineState) Waits() bool {
	status := g.Fields[FieldStatus]
	return status != "" && status != StatusRuns && status != StatusEnded && !g.CanRun()
}

// summary describes the state of the goroutine: what it waits for and where, or that it runs, can run or has ended.
func (g *GoroutineState) summary() string {
	status := g.Fields[FieldStatus]
	switch {
	case status == "":
		return "not started"
	case g.CanRun():
		return StatusCanRun
	case !g.Waits():
		return status
	}
	text := status
	if at := g.Fields[FieldAt]; at != "" {
		text += " at " + at
	}
	return text + g.blockers()
}

// blockers describes the holder of the lock that the goroutine waits for, and a writer that precedes it.
func (g *GoroutineState) blockers() (text string) {
	for _, field := range []int{FieldHolder, FieldWriter} {
		if value := g.Fields[field]; value != "" {
			text += fmt.Sprintf(", %s %s", goroutinePaths[field], value)
		}
	}
	return text
}
