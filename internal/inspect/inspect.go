// Package inspect is the protocol between the program and macemc-debug, which executes the schedule of a test in a debugger and reads its
// variables. Each message is a line of JSON on a Unix socket.
package inspect

// Program is the name of the program that has the debugger.
const Program = "macemc-debug"

// VariableNodes, if not empty, means that the debugger executes the run of a system. An operation is then a state of the run, from 1 on,
// and goroutines are those of nodes' programs.
const VariableNodes = "MACEMC_DEBUG_NODES"

// nodeShift separates the node of a goroutine from the number in its program.
const nodeShift = 20

// OfNode returns the number in requests and replies of the goroutine n of a node's program. 0 means that it is of no node.
func OfNode(node, n int) int {
	if node < 0 {
		return 0
	}
	return (node+1)<<nodeShift | n
}

// NodeOf is the inverse of OfNode.
func NodeOf(goroutine int) (node, n int) {
	return goroutine>>nodeShift - 1, goroutine & (1<<nodeShift - 1)
}

// Actions of a [Request].
const (
	Move       = "move"       // to the operation Operation
	Enter      = "enter"      // into the handler of the step after the state Operation, whose place is the only one of Breakpoints: How
	Line       = "line"       // to another line: How
	Continue   = "continue"   // to the next breakpoint before the operation Operation; 0 means the end of the run
	Verify     = "verify"     // each of Breakpoints: Reply.Errs
	Goroutines = "goroutines" // of the test
	Frames     = "frames"     // of Goroutine
	Variables  = "variables"  // of a frame: arguments, or locals
	Evaluate   = "evaluate"   // Expression in a frame
	Members    = "members"    // of the value of Expression in a frame
)

// Values of Request.How.
const (
	Over      = "over"
	Into      = "into"
	Out       = "out"
	Arguments = "arguments"
	Locals    = "locals"
	Begin     = "begin" // the first line that handles the step
	End       = "end"   // where the function that contains this line returns or panics
)

// Request is a request to the debugger.
type Request struct {
	Action      string
	Once        bool         `json:",omitempty"` // only the first run of a process follows the schedule
	How         string       `json:",omitempty"`
	Operation   uint64       `json:",omitempty"` // number of an operation of the run, from 1 on
	Goroutine   int          `json:",omitempty"` // number in the test; 0 means the one that stops
	Frame       int          `json:",omitempty"` // 0 is the innermost frame outside the standard library, -1 the one inside of it
	Function    string       `json:",omitempty"` // if not empty, the innermost frame of this function is used in place of Frame
	Expression  string       `json:",omitempty"`
	Breakpoints []Breakpoint `json:",omitempty"` // of Continue and Line
}

// Breakpoint is a line of source at which runs stop.
type Breakpoint struct {
	File      string
	Line      int
	Condition string `json:",omitempty"` // expression
}

// Reply is the answer to a [Request].
type Reply struct {
	Err        string      `json:",omitempty"`
	Again      bool        `json:",omitempty"` // the debugger ends, and another one with a new process connects
	Errs       []string    `json:",omitempty"` // why breakpoints cannot be set; empty texts mean that they can
	Stop       Stop        // after the request
	Goroutines []Goroutine `json:",omitempty"`
	Frames     []Frame     `json:",omitempty"`
	Values     []Value     `json:",omitempty"`
}

// Stop describes where the debugger has stopped.
type Stop struct {
	Operation uint64 // number of operations that have been executed, including the one that is about to execute
	Goroutine int    // in the test; 0 means none
	Reason    Reason
}

// Reason is the reason of a [Stop].
type Reason string

// Reasons of stops.
const (
	AtOperation  Reason = "operation"
	AtLine       Reason = "line"
	AtBreakpoint Reason = "breakpoint"
	AtEnd        Reason = "end" // of the run, while its goroutines exist
)

// Goroutine is a goroutine of the test, or of a node's program.
type Goroutine struct {
	Number int
	At     Frame
	Held   bool `json:",omitempty"` // the schedule holds it back
}

// Own reports whether At belongs to code outside the standard library.
func (g *Goroutine) Own() bool { return g.At.Function != "" && !g.At.Standard }

// Frame is a function call of a goroutine.
type Frame struct {
	Number   int // see Request.Frame
	Function string
	File     string
	Line     int
	Standard bool `json:",omitempty"` // the function belongs to the standard library
}

// Value is a variable or the value of an expression.
type Value struct {
	Name, Type, Text string
	Expression       string // that evaluates to it; empty means none
	Members          int    // number of its fields, elements or other parts
	Frame            int    `json:",omitempty"` // frame that has it, if it is not that of the request
}
