package testsched

import (
	"fmt"
	"slices"
	"strings"
)

// text describes an exploration without a new finding.
func (r *Result) text() string {
	text := r.counts()
	if r.recurred() {
		text = strings.Replace(text, "no finding", "no new finding", 1)
	}
	return text
}

func (r *Result) counts() string {
	rate := float64(r.Schedules) / max(r.Elapsed.Seconds(), 1e-6)
	if r.Complete != nil && r.Missing == "" {
		return fmt.Sprintf("macemc: %v (%.0f/s), no finding", r.Complete, rate)
	}
	if r.Exhaustive {
		text := fmt.Sprintf("macemc: %s (%.0f/s), no finding; not complete: %s", plural(r.Schedules, "schedule", "schedules"), rate, r.Missing)
		if r.Complete != nil {
			text = fmt.Sprintf("macemc: %v (%.0f/s), no finding; stopped there because %s", r.Complete, rate, r.Missing)
		}
		return text
	}
	if r.Orders == 1 {
		return fmt.Sprintf("macemc: %s, no finding; all have the same order of goroutines", plural(r.Schedules, "schedule", "schedules"))
	}
	orders, seen := r.estimate()
	text := fmt.Sprintf("macemc: %s (%.0f/s), no finding; about %d distinct orders of goroutines, estimated coverage %.0f %%",
		plural(r.Schedules, "schedule", "schedules"), rate, orders, 100*seen)
	if r.Complete != nil {
		text += "; " + r.Complete.String()
	}
	if r.Ended {
		text += "; stopped because -timeout is near"
	}
	if r.TooLong > 0 {
		text += fmt.Sprintf("; %d did not end within the limit of scheduling points", r.TooLong)
	}
	return text
}

func (c *Coverage) String() string {
	text := fmt.Sprintf("complete: all %d schedules", c.Schedules)
	switch {
	case c.Reduced:
		text = fmt.Sprintf("complete: all orders, by %s with sleep sets", plural(c.Schedules, "schedule", "schedules"))
	case c.Schedules == 1:
		text = "complete: the only schedule"
	}
	if c.Preemptions < Unbounded {
		text += " with at most " + plural(c.Preemptions, "preemption", "preemptions")
	}
	var conditions []string
	if !c.Race && (c.Schedules > 1 || c.Preemptions < Unbounded) {
		conditions = append(conditions, "there is no data race")
	}
	if c.Delays {
		conditions = append(conditions, "no delay exceeds 1 ms")
	}
	if len(conditions) > 0 {
		text += ", if " + strings.Join(conditions, " and ")
	}
	return text
}

// Certainty describes what the critical step of a finding relies on.
func Certainty() string {
	return fmt.Sprintf("sampled: before this step a random continuation passed, after it none of %d did", continuations)
}

// explain describes a finding in at most 25 lines.
func (s *Settings) explain(c *Config, m *Minimized, how, file string) string {
	o := m.Outcome
	lines := append(headline(o), how+differs(m.Schedule.Switches))
	lines = append(lines, m.differences()...)
	if k := m.Critical; k > 0 && k <= len(o.Trace) {
		lines = append(lines, fmt.Sprintf("until step %d of %d the test could still pass (%d of %d random continuations did); after the next step none of %d did:", k-1, len(o.Trace), m.Passing, m.Tried, continuations),
			"  step "+fmt.Sprint(k)+": "+o.Trace[k-1].String())
	}
	if file != "" {
		lines = append(lines, s.replayLines(c, file))
	}
	return strings.Join(lines, "\n") + "\n"
}

// headline returns the title of a finding and its first details.
func headline(o *Outcome) []string {
	lines := []string{"macemc: " + o.Title()}
	for i, d := range o.Details {
		if i == 12 {
			return append(lines, fmt.Sprintf("  and %d more", len(o.Details)-i))
		}
		lines = append(lines, "  "+d)
	}
	return lines
}

// describe describes a finding without a schedule that leads to it.
func describe(o *Outcome, how, why string) string {
	return strings.Join(append(headline(o), how, why), "\n") + "\n"
}

// differs summarizes the differences between a schedule and the default order.
func differs(list []Switch) string {
	var switches, preemptions, cases, timers, waits int
	for _, s := range list {
		switch {
		case s.Case():
			cases++
		case s.Timer():
			timers++
		case s.Pauses():
			waits++
		default:
			switches++
			if s.Preempts() {
				preemptions++
			}
		}
	}
	var parts []string
	if switches > 0 {
		parts = append(parts, plural(switches, "context switch", "context switches"))
	}
	if waits > 0 {
		parts = append(parts, plural(waits, "pause", "pauses"))
	}
	if cases > 0 {
		parts = append(parts, plural(cases, "case of a select", "cases of selects"))
	}
	if timers > 0 {
		parts = append(parts, plural(timers, "timer", "timers"))
	}
	if len(parts) == 0 {
		return ""
	}
	text, verb := strings.Join(parts, " and "), " differ"
	if len(list) == 1 {
		verb = " differs"
	}
	text = "; " + text + verb + " from the default order"
	if switches > 0 {
		text += " (" + plural(preemptions, "preemption", "preemptions") + ")"
	}
	return text
}

// differences describes the differences between the schedule and the default order if they are few, else the one without which the test
// passes.
func (m *Minimized) differences() (lines []string) {
	for i := range m.Schedule.Switches {
		s := &m.Schedule.Switches[i]
		needed := m.Removed != nil && *m.Removed == *s
		if text := s.describe(m.Outcome.Trace); text != "" && (needed || len(m.Schedule.Switches) <= fewSwitches) {
			if needed {
				text += "; the test passes without that"
			}
			lines = append(lines, "  "+text)
		}
	}
	return lines
}

// describe returns an empty string if the operation at which the goroutine yields is not in the trace.
func (s *Switch) describe(trace []Event) string {
	at := slices.IndexFunc(trace, func(e Event) bool { return e.Who == s.Who && e.Place == s.Place&placeMask })
	if at < 0 {
		return ""
	}
	e := trace[at]
	step := fmt.Sprintf("step %d (%s)", at+1, e.operation())
	if s.Case() {
		return fmt.Sprintf("goroutine %d takes case %d in %s", e.Number, s.To-1, step)
	}
	before := "before " + step
	if s.Place&blockedBit != 0 {
		before = "after " + step
	}
	switch {
	case s.Timer() && s.Preempts():
		return fmt.Sprintf("a timer fires %s, while goroutine %d can run", before, e.Number)
	case s.Timer():
		return fmt.Sprintf("another timer fires first %s", before)
	case s.Pauses():
		return fmt.Sprintf("goroutine %d pauses %s until all others wait", e.Number, before)
	}
	to := slices.IndexFunc(trace, func(e Event) bool { return e.Who == s.To })
	if to < 0 {
		return ""
	}
	return fmt.Sprintf("goroutine %d continues in place of goroutine %d %s", trace[to].Number, e.Number, before)
}
