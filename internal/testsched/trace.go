package testsched

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Window describes which part of a long run the trace has.
func (o *Outcome) Window() string {
	return fmt.Sprintf("the steps are operations %d to %d of %d (shorten the test, to see all)", o.Untraced+1, o.Untraced+len(o.Trace),
		o.Untraced+len(o.Trace)+o.Later)
}

// Rival returns the last step before a step in which another goroutine used the same object; 0 means none.
func (o *Outcome) Rival(step int) int {
	of := &o.Trace[step-1]
	for k := step - 1; k > 0 && of.Object != ""; k-- {
		if e := &o.Trace[k-1]; e.Who != of.Who && e.Object == of.Object {
			return k
		}
	}
	return 0
}

// Closing returns the step that closed the channel that a panic's operation closes or sends to; 0 means none.
func (o *Outcome) Closing() int {
	if o.Kind != Panic || !strings.Contains(o.Message, "closed channel") {
		return 0
	}
	for k, last := range slices.Backward(o.Trace) { // deferred functions may have steps after it
		if last.At == o.Where && (last.Op == program.OpClose || last.Op == program.OpSend || last.Takes == program.OpSend) {
			return 1 + slices.IndexFunc(o.Trace[:k], func(e Event) bool { return e.Op == program.OpClose && e.Object == last.Object })
		}
	}
	return 0
}

// Decisive returns the number of the step whose source reports show: the critical one, or else the last one at the place of the finding. 0
// means unknown.
func Decisive(o *Outcome, critical int) int {
	if 0 < critical && critical <= len(o.Trace) {
		return critical
	}
	for i, e := range slices.Backward(o.Trace) {
		if len(o.Details) == 0 || e.At == "" {
			continue
		}
		_, rest, found := strings.Cut(o.Details[0], " at "+e.At)
		if found && strings.IndexAny(rest, "0123456789") != 0 { // a longer number is another line
			return i + 1
		}
	}
	return 0
}

var goroutineName = regexp.MustCompile(`\bgoroutine (\d+)`)

// Identities describes the goroutines that the lines of a report name, except those that the headline describes.
func (o *Outcome) Identities(test string, head, rest []string) (lines []string) {
	described := map[string]bool{}
	for _, line := range head {
		if m := goroutineName.FindStringSubmatch(line); m != nil && (strings.Contains(line, ", started at ") ||
			m[1] == "1" && strings.Contains(line, " in "+test)) {
			described[m[1]] = true
		}
	}
	var texts []string
	of := map[string][]int{} // numbers by text
	for _, m := range goroutineName.FindAllStringSubmatch(strings.Join(slices.Concat(head, rest), "\n"), -1) {
		number, _ := strconv.Atoi(m[1])
		if text := o.Identity(test, number); text != "" && !described[m[1]] {
			if of[text] == nil {
				texts = append(texts, text)
			}
			of[text] = append(of[text], number)
		}
		described[m[1]] = true
	}
	for _, text := range texts {
		numbers := of[text]
		slices.Sort(numbers)
		who := fmt.Sprintf("goroutine %d", numbers[0])
		if last := len(numbers) - 1; last > 0 {
			list := strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers[:last]), " ", ", "), "[]")
			who = fmt.Sprintf("goroutines %s and %d", list, numbers[last])
		}
		lines = append(lines, "  "+who+": "+text)
	}
	return lines
}

// StepIn returns the index of the operation at which the goroutine yields, or -1 if it is not in the trace.
func (s *Switch) StepIn(trace []Event) int {
	return slices.IndexFunc(trace, func(e Event) bool { return e.Who == s.Who && e.Place == s.Place&placeMask })
}

// Describe describes one of the switches of a run. It returns an empty string if the operation at which the goroutine yields is not in the
// trace.
func (s *Switch) Describe(trace []Event, all []Switch) string {
	at := s.StepIn(trace)
	if at < 0 {
		return ""
	}
	e := trace[at]
	step := fmt.Sprintf("step %d (%s)", at+1, e.operation())
	switch {
	case s.Case():
		return fmt.Sprintf("goroutine %d takes another ready case in %s", e.Number, step)
	case s.Value() && s.To == NewValue:
		return fmt.Sprintf("goroutine %d gets a new value in %s, as if a garbage collection had emptied the pool", e.Number, step)
	case s.Value():
		return fmt.Sprintf("goroutine %d gets another value of the pool in %s", e.Number, step)
	}
	before := "before " + step
	paused := false // the goroutine has had no turn since its pause before the operation
	if s.Place&BlockedBit != 0 {
		paused = slices.ContainsFunc(all, func(p Switch) bool { return p.Pauses() && p.Who == s.Who && p.Place == s.Place&(PassedUnit-1) })
		if before = "after " + step; paused {
			before = fmt.Sprintf("after the pause of goroutine %d before %s", e.Number, step)
		}
	}
	switch {
	case s.Timer() && s.Preempts():
		return fmt.Sprintf("a timer fires %s, while goroutine %d can run", before, e.Number)
	case s.Timer():
		return fmt.Sprintf("%s, a timer fires before any goroutine continues", before)
	case s.Pauses():
		return fmt.Sprintf("goroutine %d pauses %s until all others wait", e.Number, before)
	}
	to := slices.IndexFunc(trace, func(e Event) bool { return e.Who == s.To })
	if to < 0 {
		return ""
	}
	if paused {
		return fmt.Sprintf("goroutine %d continues first %s", trace[to].Number, before)
	}
	if s.Place&BlockedBit != 0 {
		return fmt.Sprintf("goroutine %d runs next after goroutine %d's %s", trace[to].Number, e.Number, step)
	}
	return fmt.Sprintf("goroutine %d runs before goroutine %d's %s", trace[to].Number, e.Number, step)
}
