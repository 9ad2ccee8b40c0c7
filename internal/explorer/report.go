package explorer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// text describes an exploration without a new finding.
func (r *Result) text() string {
	text, delays := r.counts(), ""
	if r.Delays > 0 && (r.Complete == nil || r.Missing != "") {
		delays = fmt.Sprintf("delays above %v are not tried (raise -explore-delay, as to %v)", r.Delays, summary.LongerDelay(r.Delays))
	}
	if text = summary.Joined(text, delays, r.Saved.String()); r.recurred() {
		text = strings.Replace(text, "no finding", "no new finding", 1)
	}
	return text
}

func (r *Result) counts() string {
	rate := float64(r.Schedules) / max(r.Elapsed.Seconds(), 1e-6)
	if r.Exhaustive || r.Complete != nil && r.Missing == "" {
		text := program.Plural(r.Schedules, "schedule", "schedules")
		if r.Complete != nil {
			text = r.Complete.String()
		}
		sampled := ""
		if r.Exhaustive && r.sampled > 0 {
			sampled = fmt.Sprintf("%d of all %d schedules were sampled", r.sampled, r.Schedules)
		}
		return summary.Joined(fmt.Sprintf("macemc: %s (%.0f/s), no finding", text, rate), sampled, r.incomplete())
	}
	if r.Orders == 1 {
		return fmt.Sprintf("macemc: %s, no finding; all have the same order of goroutines", program.Plural(r.Schedules, "schedule",
			"schedules"))
	}
	text := fmt.Sprintf("macemc: %s (%.0f/s), no finding; %s of goroutines", program.Plural(r.Schedules, "schedule", "schedules"), rate,
		program.Plural(r.Orders, "order", "orders"))
	if r.Orders >= maxOrders {
		text = strings.Replace(text, "; ", "; at least ", 1)
	}
	if known := r.knownShare(); known < fewNewOrders {
		text += fmt.Sprintf(", a new one in about %.0f %% of further runs (raise %s)", 100*(1-known), cmp.Or(r.raise, "-explore-time"))
	} else {
		text += ", new ones are rare"
	}
	complete, ended, long := "", "", ""
	if r.Complete != nil {
		complete = r.Complete.String()
	}
	if r.Ended {
		ended = nearTimeout
	}
	if r.TooLong > 0 {
		long = fmt.Sprintf("%d did not end within the limit of scheduling points", r.TooLong)
	}
	return summary.Joined(text, r.slow, complete, ended, long)
}

// nearTimeout is why an exploration ends at Config.End.
const nearTimeout = "stopped because -timeout is near"

// fewNewOrders is the share of further runs with a known order from which on new ones are rare.
const fewNewOrders = 0.95

// incomplete describes why an exhaustive exploration ended before it had covered what was requested. An empty string means that it has not.
func (r *Result) incomplete() string {
	switch {
	case !r.Exhaustive || r.Missing == "":
		return ""
	case r.Complete != nil:
		return "stopped there because " + r.Missing
	}
	return "not complete: " + r.Missing
}

// explain describes a finding in about 25 lines.
func (s *Settings) explain(c *Config, m *minimize.Result, how, file string) string {
	o := m.Outcome
	head := headline(o)
	lines := append(m.Differences(), predictedLines(m.By, s.runs.places)...)
	if k := o.Closing(); k > 0 {
		lines = append(lines, fmt.Sprintf("the channel was closed in step %d: %v", k, &o.Trace[k-1]))
	}
	if k := m.Critical; k > 0 && k <= len(o.Trace) {
		lines = append(lines, fmt.Sprintf("critical step: %d of %d; before it the test could still pass, "+
			"after it 0 of %d random continuations passed", k, len(o.Trace), minimize.Continuations))
		if before := o.Rival(k); before > 0 && !o.Trace[k-1].Op.Locks() { // others have used a lock before
			lines = append(lines, fmt.Sprintf("  step %d: %v", before, &o.Trace[before-1]))
		}
		lines = append(lines, fmt.Sprintf("> step %d: %v", k, &o.Trace[k-1]))
	} else if m.Unknown != "" && !o.HasRace() { // see minimize.Run
		lines = append(lines, strings.Split("no critical step is known: "+m.Unknown, "\n")...)
	}
	cause := append([]string{how + minimize.Differs(m.Schedule.Switches)}, delayLines(m.Schedule.Delay)...)
	lines = slices.Concat(head, o.Identities(c.Test, head, lines), cause, lines)
	lines = append(lines, o.Printed.Last(lines)...)
	switch {
	case file != "":
		lines = append(lines, s.replayLines(c, file))
	case s.unstored != nil:
		lines = append(lines, "the schedule could not be stored: "+s.unstored.Error())
	}
	return strings.Join(lines, "\n") + "\n"
}

// headline returns the title of a finding and its first details.
func headline(o *testsched.Outcome) []string {
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
func describe(o *testsched.Outcome, how, why string) string {
	lines := headline(o)
	return strings.Join(slices.Concat(lines, []string{how, why}, o.Printed.Last(lines)), "\n") + "\n"
}
