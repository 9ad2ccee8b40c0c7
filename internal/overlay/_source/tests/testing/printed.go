// The output of a run's goroutines, and the parts of it that are shown.

package testing

import (
	"bytes"
	testsched "testing/internal"
)

func macemcPrinted(text []byte, logged bool) (discarded bool)
func macemcUnscheduled(d int32, once uintptr)

// macemcShowing selects the output that an explorer shows.
type macemcShowing struct {
	muted   bool // the output of the first run is not shown live
	warmed  bool // a run preceded the first one
	records []byte
}

// mutes reports whether the output of a run is discarded. first is that of the first run; nil means that it has not ended.
func (x *macemcShowing) mutes(s *testsched.Schedule, first *T) bool {
	x.muted = x.muted || s.Showing == testsched.Muted
	x.warmed = x.warmed || s.Showing == testsched.Aside
	return first != nil || s.Showing != testsched.First
}

// first returns t if it is that of the first run, and otherwise nil.
func (x *macemcShowing) first(s *testsched.Schedule, t *T) *T {
	if s.Showing == testsched.Aside {
		return nil
	}
	return t
}

// logs reports whether the log of a failed run is shown apart from its outcome, because the first run fails.
func (x *macemcShowing) logs(first *T) bool {
	return !x.muted && (first == nil || first.failed) && !(x.warmed && testsched.Passes())
}

// Sizes of the records of a run's output. The end of longer output is recorded.
const (
	macemcPrintedMax    = 1 << 14
	macemcPrintedStates = 1 << 20 // for the debugger
)

// record makes a run record what it prints.
func (x *macemcShowing) record(s *testsched.Schedule, r *macemcRun) {
	if x.records == nil {
		n := macemcPrintedMax
		if s.States {
			n = macemcPrintedStates
		}
		x.records = make([]byte, n)
	}
	r.output.records = x.records
}

// printed adds the lines that a run of t has printed to an outcome, if it shows them.
func (x *macemcShowing) printed(o *testsched.Outcome, r *macemcRun, t *T, after macemcEventsAfter) {
	if o.Kind == testsched.Passed && len(r.states) == 0 {
		return
	}
	x.each(r, func(line []byte, field func(int) int) {
		logged := field(1)>>31 != 0
		if logged && macemcExample != nil { // the comparison of its output
			return
		}
		hidden := r.output.muted || logged && !bytes.Contains(t.output, line)
		o.Printed.Add(after.event(field(0)), field(1)&(1<<31-1)-macemcOwn, string(line), hidden)
	})
}

// each calls do for each text that a run has printed, with the fields of its record.
func (x *macemcShowing) each(r *macemcRun, do func(text []byte, field func(int) int)) {
	for text := x.records[:r.output.recorded]; len(text) > 0; {
		field := func(i int) int {
			b := text[4*i:]
			return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24
		}
		n := 12 + field(2)
		do(text[12:n], field)
		text = text[n:]
	}
}
