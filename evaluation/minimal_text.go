package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/macemc/macemc/critical"
)

// Goals of minimizing: the ratio of a minimized run to the smallest known run, median and maximum, and the CPU seconds
// that minimizing may take even if the search took less.
const (
	medianRatio, maxRatio = 1.1, 1.5
	freeSeconds           = 5
)

// violation returns the kind and the property of a run, and for a dead run the source file of the handler of its critical
// step. Runs with different violations are not compared: minimizing does not replace the handler, because another one may
// show another defect.
func (r *minimalRun) violation() string {
	return strings.TrimSpace(r.anyHandler() + " " + r.Handler)
}

// anyHandler returns the violation of a run without its handler.
func (r *minimalRun) anyHandler() string { return strings.TrimSpace(string(r.Kind) + " " + r.Property) }

// best returns the number of steps of the smallest known run with the same violation, including those of the row.
func (r *minimalRow) best(like *minimalRun) int {
	known := smallestKnown[r.bug]
	best := cmp.Or(known[like.violation()], known[like.anyHandler()], like.Steps)
	for i := range r.runs {
		if run := &r.runs[i]; r.judged(run) && run.violation() == like.violation() {
			best = min(best, run.Steps)
		}
	}
	return best
}

// judged reports whether a run shows the bug and has a size.
func (r *minimalRow) judged(run *minimalRun) bool { return r.accepts(run.Kind) && run.Steps > 0 }

// ratios returns the ratios of the judged runs of the row to the smallest known run.
func (r *minimalRow) ratios() []float64 {
	var out []float64
	for i := range r.runs {
		if r.judged(&r.runs[i]) {
			out = append(out, float64(r.runs[i].Steps)/float64(r.best(&r.runs[i])))
		}
	}
	slices.Sort(out)
	return out
}

// cells returns the row's columns except the first, the bug.
func (r *minimalRow) cells() []string {
	var kinds, sizes, bests []string
	var found []int
	var searches, shrinks []float64
	for i := range r.runs {
		run := &r.runs[i]
		kind := string(run.Kind)
		switch {
		case kind == "":
			kind = notFound
		case !r.accepts(run.Kind):
			kind += " (UNEXPECTED)"
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		size := fmt.Sprint(run.Steps)
		switch {
		case run.unlocated():
			size = "unknown"
		case run.Steps == 0:
			size = "none"
		case !run.Minimal:
			size += "*"
		}
		sizes = append(sizes, size)
		if r.judged(run) {
			bests = append(bests, fmt.Sprint(r.best(run)))
		}
		found = append(found, run.Found)
		searches, shrinks = append(searches, run.Search), append(shrinks, run.Shrink)
	}
	slices.Sort(found)
	slices.Sort(searches)
	slices.Sort(shrinks)
	worst := ""
	if ratios := r.ratios(); len(ratios) > 0 {
		worst = fmt.Sprintf("%.2f", ratios[len(ratios)-1])
	}
	if len(slices.Compact(slices.Clone(bests))) == 1 {
		bests = bests[:1]
	}
	spread := fmt.Sprintf("%d / %d / %d", found[0], middle(found), found[len(found)-1])
	if len(found) == 1 {
		spread = fmt.Sprint(found[0])
	}
	return []string{
		strings.Join(kinds, ", "), spread, strings.Join(sizes, " "), strings.Join(bests, " "), worst, secondsText(middle(searches)),
		secondsText(middle(shrinks)), secondsText(shrinks[len(shrinks)-1]),
	}
}

// unlocated reports whether the run is dead and its critical step is unknown.
func (r *minimalRun) unlocated() bool {
	return r.Case != "" && r.Case != critical.Located && r.Case != critical.DeadFromStart
}

// slow reports whether minimizing exceeded its time.
func (r *minimalRun) slow() bool { return r.Shrink > max(r.Search, freeSeconds) }

// conclusion compares the rows with the goals.
func (m *measurement) conclusion() string {
	var ratios []float64
	var large, unlocated, slow, unexpected, unsure []string
	runs, bugs := 0, 0
	for i := range m.rows {
		row := &m.rows[i]
		if len(row.runs) > 0 {
			bugs++
		}
		ratios = append(ratios, row.ratios()...)
		for k := range row.runs {
			run := &row.runs[k]
			runs++
			note := func(list *[]string, is bool) {
				if is {
					*list = append(*list, fmt.Sprintf("%s seed %d", run.Bug, run.Seed))
				}
			}
			note(&large, row.judged(run) && float64(run.Steps) > maxRatio*float64(row.best(run)))
			note(&unlocated, run.unlocated())
			note(&slow, run.slow())
			note(&unexpected, !row.accepts(run.Kind))
			note(&unsure, run.Steps > 0 && !run.Minimal && run.Case != critical.DeadFromStart)
		}
	}
	slices.Sort(ratios)
	median := 1.0
	if len(ratios) > 0 {
		median = middle(ratios)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs of %d of %d known bugs. The median is %.2f times the smallest known run (goal: %.1f).\n", runs, bugs,
		m.known, median, medianRatio)
	for _, l := range []struct {
		what string
		list []string
	}{
		{fmt.Sprintf("larger than %.1f times the smallest known run", maxRatio), large},
		{"dead, with unknown critical step", unlocated},
		{fmt.Sprintf("minimized in more CPU time than the search took, and more than %d s", freeSeconds), slow},
		{"not shown to be minimal (*)", unsure},
		{"not found as known", unexpected},
	} {
		fmt.Fprintf(&b, "- %s: %d", l.what, len(l.list))
		if len(l.list) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(l.list, ", "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

var minimalColumns = []string{"bug", "found as", "steps found", "steps minimized", "smallest known", "worst ratio", "CPU s search",
	"CPU s minimizing", "most"}

// text writes the table for a terminal.
func (m *measurement) text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(minimalColumns, "\t"))
	for i := range m.rows {
		if r := &m.rows[i]; len(r.runs) > 0 {
			fmt.Fprintln(t, r.bug+"\t"+strings.Join(r.cells(), "\t"))
		}
	}
	t.Flush()
	fmt.Fprintln(w)
	io.WriteString(w, m.conclusion())
}

// minimalMark identifies a file that this command wrote.
const minimalMark = "<!-- Written by go run ./evaluation minimal --markdown; changes are lost. -->"

// markdown returns the whole file.
func (m *measurement) markdown() []byte {
	var b bytes.Buffer
	command := name + " minimal"
	if m.flags.run != "" {
		command += " --run '" + m.flags.run + "'"
	}
	fmt.Fprintf(&b, `%s

# Minimized runs, and the smallest known ones

`+"`%s --seeds %s --markdown`"+`: each bug is searched for and its run minimized, once for each seed, by one worker.
Steps of a dead run count up to its critical step. A run that is dead from its first state has none.

%s
Steps found: minimum / median / maximum over the seeds. Steps minimized: in the order of the seeds. Smallest known: with the same violation, by
any seed or by hand (`+"`evaluation/smallest.go`"+`), in the same order where violations differ. Dead runs are
compared if the handlers of their critical steps are in one source file. Worst ratio: largest minimized run to smallest known run. CPU seconds are those of
`+"`macemc search --no-shrink`"+` and the additional ones of minimizing: medians, and the maximum.
`, minimalMark, command, m.flags.seeds, m.conclusion())
	system := ""
	for i := range m.rows {
		r := &m.rows[i]
		if len(r.runs) == 0 {
			continue
		}
		if r.system != system {
			system = r.system
			fmt.Fprintf(&b, "\n## %s\n\n| %s |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n", system, strings.Join(minimalColumns, " | "))
		}
		row(&b, append([]string{r.bug}, r.cells()...)...)
	}
	return b.Bytes()
}
