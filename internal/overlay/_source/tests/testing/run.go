// Types that must match those of package runtime, field by field.

package testing

import (
	predict "internal/syscall"
	testsched "testing/internal"
)

// macemcRun must match the type in package runtime, field by field.
type macemcRun struct {
	draws  uint64
	seed   uint64
	policy uint32
	every  uint32
	drops  [8]uint64
	ops    uint32
	passes uint32
	within int64
	limit  uint64
	macemcManner
	weights        *macemcWeight
	weightsLen     uint32
	replayed       *testsched.Switch
	replayedLen    uint32
	until          uint64
	pointCounts    *macemcWeight
	pointCountsLen uint32
	record         *testsched.Switch
	recordLen      uint32
	n              uint32
	trace          *macemcEvent
	traceLen       uint32
	ntrace         uint32
	states         *macemcGState
	statesLen      uint32
	nstates        uint32
	origins        *macemcOrigin
	originsLen     uint32
	norigins       uint32
	plan           *uint32
	planLen        uint32
	reduce         bool
	asleep         [64]uint64
	nasleep        uint32
	decided        *macemcDecision
	decidedLen     uint32
	ndecided       uint32
	options        *testsched.Option
	optionsLen     uint32
	noptions       uint32

	cut            bool
	long           bool
	sampled        uint32
	delays         bool
	leftOut        uint32 // see macemcLeavesOut
	points         uint64
	executed       uint64
	choices        uint64
	followed       uint32
	hash           uint64
	noEnd          bool
	over           bool
	exited         bool
	code           int
	ender          uint64
	outside        bool
	refused        string
	refusedOutside string
	died           bool
	fatal          string
	panicked       any
	number         uint64
	stack          [64]uintptr
	nstack         int
	ended          [64]uintptr
	nended         uint32
	printing       string
}

type macemcOutput struct {
	muted         bool
	records       *byte
	len, recorded uint32
}

// macemcManner must match the type in package runtime, field by field.
type macemcManner struct {
	memory, unfair, hurried, traced bool
	output                          macemcOutput
	macemcDirection
}

type macemcEvent struct {
	who    uint64
	number uint64
	place  uint64
	op     uint64
	obj    uintptr
	count  uint64
	by     uint64
	byAt   uint64
	takes  uint64
	nth    uint64
	ready  uint64
	stack  [16]uintptr
}

type macemcGState struct {
	who, number, after, kind, why, other uint64
	stack                                [16]uintptr
}

type macemcOrigin struct {
	number, timer, by, byAt uint64
	stack                   [16]uintptr
}

type macemcDecision struct{ kind, taken, first, n uint32 }

type macemcWeight struct{ who, points uint64 }

type macemcVariable struct {
	from, to uintptr
	kind     uintptr
}

type macemcGoroutine struct {
	who       uint64
	number    uint64
	start     uintptr
	from      uintptr
	why       string
	holder    uint64
	unwakable bool
	op        uint64
	obj       uintptr
	stack     [64]uintptr
	n         int
}

// Selections of goroutines, as in package runtime.
const (
	macemcAnyActive = iota
	macemcActingActive
	macemcIOActive
)

// macemcOptions must match the type in package runtime, field by field.
type macemcOptions struct {
	percent int32
	limit   int64
}

// macemcDirection must match the type in package runtime.
type macemcDirection struct {
	operations    *predict.Event
	operationsLen uint32
	noperations   uint32
	holds         *predict.Hold
	holdsLen      uint32
	directed      bool
}
