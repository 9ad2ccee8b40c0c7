package minimize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// Differs summarizes the differences between a schedule and the default order.
func Differs(list []testsched.Switch) string {
	var switches, preemptions, cases, values, timers, waits int
	for _, s := range list {
		switch {
		case s.Case():
			cases++
		case s.Value():
			values++
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
	var more, other []string
	add := func(list *[]string, n int, one, many string) {
		if n > 0 {
			*list = append(*list, program.Plural(n, one, many))
		}
	}
	text, from, verb, differing := "", " from the default order", " differ", cases+values+timers
	if switches == preemptions {
		add(&more, switches, "switch", "switches")
	} else {
		add(&other, switches, "switch", "switches")
		differing += switches
	}
	add(&more, waits, "pause", "pauses")
	add(&other, cases, "case of a select", "cases of selects")
	add(&other, values, "value of a pool", "values of pools")
	add(&other, timers, "timer", "timers")
	if len(more) > 0 {
		text, from = "; "+strings.Join(more, " and ")+" more than the default order", " from it"
	}
	if switches == preemptions {
		text += preempting(switches, preemptions)
	}
	if differing == 1 {
		verb = " differs"
	}
	if differing > 0 {
		text += "; " + strings.Join(other, " and ") + verb + from
	}
	if switches > preemptions {
		text += preempting(switches, preemptions)
	}
	return text
}

// preempting describes how many of the switches are preemptions.
func preempting(switches, preemptions int) string {
	switch {
	case preemptions == 0:
		return ""
	case switches == 1:
		return ", a preemption"
	case switches == preemptions:
		return ", all preemptions"
	}
	return ", " + program.Plural(preemptions, "preemption", "preemptions") + " among the switches"
}

// Differences describes the differences between the schedule and the default order, in the order of their steps, if they are few, else the
// one without which the test passes.
func (m *Result) Differences() (lines []string) {
	few := len(m.Schedule.Switches) <= schedulefile.FewSwitches
	var shown []testsched.Switch
	for _, s := range m.Schedule.Switches {
		if few || m.Removed != nil && *m.Removed == s {
			shown = append(shown, s)
		}
	}
	slices.SortStableFunc(shown, func(a, b testsched.Switch) int {
		return cmp.Compare(a.StepIn(m.Outcome.Trace), b.StepIn(m.Outcome.Trace))
	})
	for i := range shown {
		s := &shown[i]
		needed := m.Removed != nil && *m.Removed == *s
		if text := s.Describe(m.Outcome.Trace, m.Schedule.Switches); text != "" {
			if needed {
				text += "; the test passes without that"
			}
			lines = append(lines, "  "+text)
		}
	}
	if o := m.Outcome; o.Untraced+o.Later > 0 && len(lines) < len(shown) {
		lines = append(lines, fmt.Sprintf("  %s elsewhere: %s", program.Plural(len(shown)-len(lines), "difference lies", "differences lie"), o.Window()))
	}
	return lines
}

// Certainty describes what a critical step relies on.
func Certainty() string {
	return fmt.Sprintf("sampled: a random continuation passed before this step, 0 of %d after it", Continuations)
}
