package testsched

import (
	"cmp"
	"time"

	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched/program"
)

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

func (m *Call) code(c *coder) {
	integers(c, &m.What)
	c.names(&m.Package, &m.Test)
	c.flags(&m.External, &m.Shared, &m.Race, &m.All, &m.Quiet)
	integers(c, &m.Deadline)
	c.textList(&m.Later)
	integers(c, &m.Status)
	integers(c, &m.Left)
	integers(c, &m.Base)
	integers(c, &m.Processor)
}

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

	Only    string // see Divisible
	Without []string
	Shown   bool

	Verdict Verdict
}

// Requesting is the kind of a request.
type Requesting int

const (
	Run       Requesting = iota // the first outcomes, up to one that does not pass
	Changed                     // see Runner
	Subtests                    // see Divisible
	Located                     // the positions of program counters
	Select                      // see Divisible
	Specs                       // see Divisible
	Concludes                   // Verdict is the answer to the call
)

func (c *coder) weight(w *Weight) {
	c.hash(&w.Who)
	c.number(&w.Points)
}

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

func (m *Request) code(c *coder) {
	integers(c, &m.What)
	c.names(&m.Part)
	switch m.What {
	case Run:
		list(c, &m.Schedules, func(s **Schedule) {
			if c.decodes {
				*s = new(Schedule)
			}
			(*s).code(c)
		})
		c.flags(&m.Traced, &m.Debugged, &m.Repeats)
		integers(c, &m.Executed)
		c.names(&m.Dies.Before, &m.Dies.After)
		list(c, &m.Weights, c.weight)
	case Located:
		c.addresses(&m.Places)
	case Select:
		c.names(&m.Only)
		c.textList(&m.Without)
		c.flags(&m.Shown)
	case Concludes:
		v := &m.Verdict
		c.flags(&v.Unexplored, &v.Long, &v.Quiet)
		text(c, &v.Finding)
		text(c, &v.Known)
		text(c, &v.Note)
		c.textList(&v.Failing)
		c.textList(&v.Rest)
	}
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

func (m *Response) code(c *coder) {
	list(c, &m.Outcomes, func(o **Outcome) {
		if c.decodes {
			*o = new(Outcome)
		}
		(*o).code(c)
	})
	c.textList(&m.Names)
	list(c, &m.Subtests, func(s *Subtest) {
		c.names(&s.Name)
		integers(c, &s.Parent)
		c.flags(&s.Leaf, &s.Parallel, &s.Ended, &s.Failed)
		c.numbersOf(&s.Choices, &s.Points)
	})
	list(c, &m.Weights, c.weight)
	c.flags(&m.Effects)
	integers(c, &m.Processor)
}

func (s *Schedule) code(c *coder) {
	c.hashes(&s.Seed, &s.Walk)
	c.numbersOf(&s.Instant, &s.Limit, &s.Until)
	integers(c, &s.Policy)
	integers(c, &s.Every, &s.Ops, &s.Passes)
	list(c, &s.Drops, func(v *uint64) { c.number(v) })
	integers(c, &s.Delay)
	list(c, &s.Switches, c.change)
	planned, directed := s.Plan != nil, s.Prediction != nil
	c.flags(&s.Memory, &s.Unfair, &s.Warm, &s.Brief, &s.Hurried, &s.Hasty, &s.States, &s.Recorded, &planned, &directed)
	c.nameList(&s.Ends)
	c.nameList(&s.Remain)
	integers(c, &s.Showing)
	text(c, &s.Record)
	if planned {
		s.Plan = cmp.Or(s.Plan, new(Plan))
		list(c, &s.Plan.Taken, func(v *uint32) { integers(c, v) })
		list(c, &s.Plan.Asleep, func(v *uint64) { c.hash(v) })
		c.flags(&s.Plan.Reduce)
	}
	if directed {
		s.Prediction = cmp.Or(s.Prediction, new(predict.Prediction))
		list(c, &s.Prediction.Holds, func(h *predict.Hold) {
			c.hashes(&h.Who, &h.Context)
			integers(c, &h.Op, &h.Nth, &h.Seen, &h.Order)
			integers(c, &h.Mode)
		})
	}
}

func (c *coder) change(s *Switch) { c.hashes(&s.Who, &s.Place, &s.To) }

func (o *Outcome) code(c *coder) {
	kind := string(o.Kind)
	c.names(&kind)
	o.Kind = Kind(kind)
	c.numbersOf(&o.Points, &o.Executed, &o.Choices)
	c.hash(&o.Hash)
	integers(c, &o.Followed)
	c.flags(&o.Incomplete, &o.Outside, &o.Patient, &o.OthersRemain, &o.Spins, &o.Cut, &o.Long, &o.Delays, &o.Skipped)
	integers(c, &o.Sampled)
	integers(c, &o.Advances, &o.Untraced, &o.Later)
	integers(c, &o.Clock)
	text(c, &o.Message)
	text(c, &o.Where)
	c.names(&o.LeftOut)
	for _, v := range []*[]string{&o.Shows, &o.Details, &o.Left, &o.LeftPlaces, &o.LeftAs} {
		c.nameList(v)
	}
	c.addresses(&o.LeftAt)
	c.addresses(&o.Ended)
	list(c, &o.Switches, c.change)
	list(c, &o.Decisions, func(d *Decision) {
		integers(c, &d.Kind, &d.Taken)
		list(c, &d.Options, func(v *Option) { c.hashes(&v.Who, &v.Mask) })
	})
	list(c, (*[]Printed)(&o.Printed), func(p *Printed) {
		integers(c, &p.After, &p.Number)
		text(c, &p.Text)
		c.flags(&p.Hidden)
	})
	list(c, &o.Trace, func(e *Event) { e.code(c) })
	integers(c, &o.Unrecorded)
	list(c, &o.Events, c.recorded)
	list(c, &o.Origins, func(g *Origin) {
		integers(c, &g.Number, &g.By)
		c.flags(&g.Test, &g.Timer)
		c.number(&g.ByPlace)
		c.names(&g.At, &g.Func, &g.Package, &g.Starter)
	})
	list(c, &o.States, func(s *State) {
		c.hash(&s.Who)
		integers(c, &s.After, &s.Number, &s.Other)
		integers(c, &s.Kind)
		c.names(&s.Waits, &s.Object, &s.At, &s.Func)
	})
}

func (c *coder) addresses(v *[]uintptr) {
	list(c, v, func(pc *uintptr) {
		n := uint64(*pc)
		c.number(&n)
		*pc = uintptr(n)
	})
}

func (e *Event) code(c *coder) {
	op, takes := uint64(e.Op), uint64(e.Takes)
	c.hash(&e.Who)
	c.numbersOf(&e.Place, &e.Count, &e.ByPlace, &op, &takes)
	e.Op, e.Takes = program.Op(op), program.Op(takes)
	integers(c, &e.Number, &e.Case, &e.Ready, &e.By)
	integers(c, &e.Returned)
	c.names(&e.Call, &e.Object, &e.At, &e.Func, &e.File)
	c.flags(&e.Direct)
}

func (c *coder) recorded(e *predict.Event) {
	op, method, flags := uint64(e.Op), uint64(e.Method), uint64(e.Flags)
	c.hashes(&e.Who, &e.Context)
	c.numbersOf(&e.Object, &e.Place, &op, &method, &flags)
	e.Op, e.Method, e.Flags = predict.Op(op), predict.Method(method), predict.Flags(flags)
	integers(c, &e.Time, &e.Due)
	integers(c, &e.Waker)
}

// Encode encodes an outcome for a file.
func Encode(o *Outcome) []byte {
	c := &coder{}
	o.code(c)
	return c.bytes
}

// Decode decodes the result of Encode. It returns nil if it is damaged.
func Decode(b []byte) *Outcome {
	c, o := &coder{decodes: true, bytes: b}, new(Outcome)
	if o.code(c); c.failed || len(c.bytes) > 0 {
		return nil
	}
	return o
}
