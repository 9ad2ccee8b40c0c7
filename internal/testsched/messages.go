package testsched

import "time"

// Call is what a process of a test binary asks the explorer.
type Call struct {
	What Calling
	Unit
	Race     bool
	Deadline int64    // of package testing, in nanoseconds since 1970; 0 means none
	Later    []string // tests that the next stage executes; empty means all tests of this one
	All      bool     // Later is empty because it means all
	Quiet    bool     // the next stage shows its output only if it fails
	Status   int
	Left     time.Duration // rest of -timeout; 0 means no limit
	Base     int64         // address of a function of the process
	// Processor is the processor time of the process before, for Explores.
	Processor time.Duration
}

// Calling is the kind of a call.
type Calling int

const (
	Explores  Calling = iota // how the test behaves under schedules; Requests follow until one has a Verdict
	TimesOut                 // the report of a test that -timeout ends; a Verdict follows
	Continues                // the process ends, and the next stage follows; there is no answer
	Connects                 // the first call; there is no answer
)

// Request is what the explorer asks the process of a test.
type Request struct {
	What Requesting
	Part string // subtest whose runner answers; empty means the whole test

	Schedules []*Schedule // for Run
	Traced    bool
	Debugged  bool // a debugger stops before the run
	Repeats   bool // with Debugged: the run before had the outcome of the first one
	Executed  int  // number of the first of these runs, in the exploration
	Dies      Dying
	Weights   []Weight // if not empty, in place of those of earlier requests

	Places []uintptr // for Located

	Only    string // see Runner
	Without []string
	Shown   bool

	Verdict Verdict
}

// Requesting is the kind of a request.
type Requesting int

const (
	Run       Requesting = iota // the first outcomes, up to one that does not pass
	Changed                     // see Runner
	Subtests                    // see Runner
	Located                     // the positions of program counters
	Select                      // see Runner
	Specs                       // see Runner
	Concludes                   // Verdict is the answer to the call
)

// Dying has the parts of a text for a panic outside the test: before and after the number of the run. Without an end, there is
// no number.
type Dying struct{ Before, After string }

// Verdict is what package testing does about a test.
type Verdict struct {
	Unexplored bool   // it executes the test as go test does
	Long       bool   // a test that is unexplored because it takes long
	Finding    string // empty means none
	Known      string // the only findings are known; empty means none
	Note       string
	Quiet      bool     // the first run has a known finding, and its output is not shown
	Failing    []string // subtests with findings
	Rest       []string // subtests that are executed as go test does
}

// Response is the answer to a request, other than one with a verdict.
type Response struct {
	Outcomes  []*Outcome // of the first schedules
	Weights   []Weight   // that runs have changed since the last response
	Effects   bool       // the process has changed files that others may use
	Names     []string   // for Changed, Located and Specs
	Subtests  []Subtest
	Processor time.Duration // processor time of the process
}

// Encode encodes an outcome for a file.
func Encode(o *Outcome) []byte {
	c := &coder{}
	c.message(o)
	return c.bytes
}

// Decode decodes the result of Encode. It returns nil if it is damaged.
func Decode(b []byte) *Outcome {
	c, o := &coder{decodes: true, bytes: b}, new(Outcome)
	if c.message(o); c.failed || len(c.bytes) > 0 {
		return nil
	}
	return o
}
