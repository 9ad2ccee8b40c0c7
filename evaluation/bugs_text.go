package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
)

// text writes the tables for a terminal.
func (h *bugHunt) text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "system\tbug\texpected\tfound as\tseeds\tseconds\tCPU s\t"+
		"paths\tstates\tdepth\tsteps\tnodes\tfaults\tprefix\tcritical step")
	for i := range h.rows {
		r := &h.rows[i]
		s := r.shown()
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d/%d\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n", r.System, r.Bug, r.Expected, r.verdict(),
			r.FoundRuns, len(r.Runs), r.seconds(), secondsText(r.CPU), textfmt.Number(r.Paths), textfmt.Number(r.States), r.Depth, r.Steps, s.Nodes,
			task.LimitsText(s.Limits), s.Prefixes, s.Critical)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, h.conclusion())
	if len(h.compared) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "bug\tflags\tfound as\tseeds\tseconds\tCPU s\tpaths\tstates\tdepth\tevents\tcritical step\toriginal")
	for i := range h.compared {
		r := &h.compared[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%d/%d\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", r.Bug, r.flags(), r.verdict(),
			r.FoundRuns, len(r.Runs), r.seconds(), secondsText(r.CPU), textfmt.Number(r.Paths), textfmt.Number(r.States), r.Depth,
			textfmt.Number(r.Events), r.shown().Critical, r.Original)
	}
	return t.Flush()
}

// seconds returns minimum, median and maximum, or the only value.
func (r *bugRow) seconds() string {
	if len(r.Runs) == 1 {
		return secondsText(r.Seconds.Median)
	}
	return secondsText(r.Seconds.Min) + " / " + secondsText(r.Seconds.Median) + " / " + secondsText(r.Seconds.Max)
}

// secondsText formats seconds with two significant digits or a tenth.
func secondsText(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.2f", s)
	}
	return fmt.Sprintf("%.1f", s)
}

// String is empty for a search from the initial state.
func (p *prefixRun) String() string {
	switch {
	case p == nil:
		return ""
	case p.MinSteps == p.MaxSteps:
		return fmt.Sprintf("%d live states, %d steps", p.Count, p.MinSteps)
	}
	return fmt.Sprintf("%d live states, %d to %d steps", p.Count, p.MinSteps, p.MaxSteps)
}

// String is empty for findings without a critical transition.
func (c *criticalRun) String() string {
	if c == nil {
		return ""
	}
	s := fmt.Sprintf("%d: %s", c.Step, c.Event)
	if c.Step == 0 {
		s = "dead from the start (" + c.Case + ")"
	}
	if c.Choice != "" {
		s += "; by choice " + c.Choice
	}
	return s
}

// conclusion counts the bugs found.
func (h *bugHunt) conclusion() string {
	found, slowest := 0, 0
	for i := range h.rows {
		if h.rows[i].asKnown() {
			found++
		}
		if h.rows[i].Seconds.Median > h.rows[slowest].Seconds.Median {
			slowest = i
		}
	}
	s := fmt.Sprintf("%d of %d found as known", found, len(h.rows))
	if len(h.seeds) > 1 {
		s += fmt.Sprintf(" with each of %d seeds", len(h.seeds))
	}
	if len(h.rows) > 0 {
		s += fmt.Sprintf("; longest median %s s (%s)", secondsText(h.rows[slowest].Seconds.Median), h.rows[slowest].Bug)
	}
	return s
}

// bugsMark identifies a file that this command wrote.
const bugsMark = "<!-- Written by go run ./evaluation bugs --markdown; changes are lost. -->"

// markdown returns the whole file.
func (h *bugHunt) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `%s

# Known bugs, and how they are found

`+"`%s`"+`: each bug is reintroduced alone into the corrected code. A search for it uses the
system's ordinary driver and properties, with the settings that `+"`macemc systems SYSTEM`"+` lists, in a process of its own.
%s.

Seconds are for the whole process, including the critical transition and the report: minimum / median / maximum over the seeds
%s, %s. CPU seconds, which depend less on the load of the machine, paths, states, depth (of the
exhaustive part) and steps (of the violating run) are medians. The critical step, after which the run can never become live,
is shown for the first seed that found the bug, with the choice within the step if the choice decides. Findings other than liveness
end at the violating step and have no critical step. At most %v are spent per search.

Prefix: the search starts from live states instead of the initial state. It computes them itself, by %d random walks without faults
that end when the system becomes live, and starts from each in turn. (`+"`macemc search SYSTEM --prefixes N`"+`
does the same with N walks, and `+"`--from FILE`"+` starts from the end of a path.)

Original: figures of Killian, Anderson, Jhala and Vahdat, "Life, Death, and the Critical Transition: Finding Liveness Bugs
in Systems Code" (NSDI 2007, extended version), if any, on a machine of 2006. Prefixes of IDs: RT RandTree, MT transport, P Pastry,
BT BrokenTree, OV Overcast.
`, bugsMark, h.command(), h.conclusion(), h.flags.seeds, h.machine, h.flags.time, task.PrefixRuns)
	system := ""
	for i := range h.rows {
		r := &h.rows[i]
		if r.System != system {
			system = r.System
			fmt.Fprintf(&b, `
## %s

| bug | defect | found as | seeds | seconds | CPU s | paths | states | depth | steps | nodes | faults | prefix | critical step | original |
|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|---|---|
`, system)
		}
		s := r.shown()
		row(&b, r.Bug, r.Summary, r.verdict(), fmt.Sprintf("%d of %d", r.FoundRuns, len(r.Runs)), r.seconds(), secondsText(r.CPU),
			textfmt.Number(r.Paths), textfmt.Number(r.States), fmt.Sprint(r.Depth), fmt.Sprint(r.Steps), fmt.Sprint(s.Nodes),
			task.LimitsText(s.Limits), s.Prefixes.String(), s.Critical.String(), r.Original)
	}
	if len(h.compared) == 0 {
		return b.Bytes()
	}
	b.WriteString(`
## Searches as in the paper

If another property detects a bug before that of the paper, a search with the paper's property alone (` + "`--property`" + `) reproduces the paper's
finding. For BT2 the paper compares searches.

Bounded search explores every alternative up to a depth, likely ones first, and then increases the depth, by one or as
` + "`--deepen-by`" + ` says; ` + "`--alone`" + ` disables the alternation with walks. With a visited set a state is explored once. A short fingerprint
may identify different states and then omits successors: the column "lost a state" bounds the probability of that.
"Not found" means within the time limit or, if all states were explored, at all. Timers may fire at any moment here,
which leaves too many orders to explore without a visited set; if they wait for messages (` + "`--timing Prompt`" + `) fewer
remain. Two original figures are those of two variants of the search.

| bug | search | flags | found as | seeds | seconds | CPU s | paths | states | depth | events | critical step | lost a state | original |
|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|---|---|---|
`)
	for i := range h.compared {
		r := &h.compared[i]
		s := r.shown()
		lost := ""
		if s.Omission != nil {
			lost = fmt.Sprintf("≤ %.0e", *s.Omission)
			if *s.Omission == 1 {
				lost = "≤ 1"
			}
		}
		verdict := r.verdict()
		if verdict == notFound {
			verdict += ", stopped: " + s.Stopped
		}
		row(&b, r.Bug, r.How, r.flags(), verdict, fmt.Sprintf("%d of %d", r.FoundRuns, len(r.Runs)), r.seconds(), secondsText(r.CPU),
			textfmt.Number(r.Paths), textfmt.Number(r.States), fmt.Sprint(r.Depth), textfmt.Number(r.Events),
			s.Critical.String(), lost, r.Original)
	}
	return b.Bytes()
}

// flags returns the flags of the search.
func (r *bugRow) flags() string {
	var words []string
	for _, f := range r.Flags {
		words = append(words, task.ShellWord(f))
	}
	return strings.Join(words, " ")
}

// command returns the command line that repeats the measurement.
func (h *bugHunt) command() string {
	words := append(append(strings.Fields(name), "bugs"), h.names...)
	words = append(words, "--seeds", h.flags.seeds)
	if h.flags.time != defaultTime {
		words = append(words, "--time", h.flags.time.String())
	}
	if h.flags.compare {
		words = append(words, "--compare")
	}
	return strings.Join(append(words, "--markdown"), " ")
}

// row writes a row of a Markdown table.
func row(b *bytes.Buffer, cells ...string) {
	for _, c := range cells {
		fmt.Fprintf(b, "| %s ", cellEscapes.Replace(c))
	}
	b.WriteString("|\n")
}

var cellEscapes = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "\n", " ")
