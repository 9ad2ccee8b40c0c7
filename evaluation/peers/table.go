//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

// table formats rows in Markdown, with the medians of several runs.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| proposers | checker | workers | runs | states | transitions | seconds | states/s | transitions/s " +
		"| peak memory | bytes/state | handler executions |\n")
	b.WriteString("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		seconds := median(r.samples, func(s sample) float64 { return s.seconds })
		peak := median(r.samples, func(s sample) int { return s.peak })
		handlers := ""
		if r.counts.handlers > 0 {
			handlers = textfmt.Number(r.counts.handlers)
		}
		fmt.Fprintf(&b, "| %d | %s | %d | %d | %s | %s | %.2f | %s | %s | %s MB | %.1f | %s |\n",
			r.proposers, r.checker, r.workers, len(r.samples), textfmt.Number(r.counts.states), textfmt.Number(r.counts.transitions), seconds,
			textfmt.Number(int(float64(r.counts.states)/seconds)), textfmt.Number(int(float64(r.counts.transitions)/seconds)),
			textfmt.Number(peak>>20), float64(peak)/float64(r.counts.states), handlers)
	}
	return b.String()
}

// verdicts formats rows of checkers with reductions in Markdown: the time until the verdict, with the medians of
// several runs. A speed-up is the time of [base] divided by the checker's.
func verdicts(rows []row) string {
	var b strings.Builder
	b.WriteString("| proposers | checker | workers | runs | states | transitions | seconds | speed-up | CPU seconds " +
		"| CPU speed-up | peak memory |\n")
	b.WriteString("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	wall, cpu := func(s sample) float64 { return s.seconds }, func(s sample) float64 { return s.cpu }
	for _, r := range rows {
		var faster, less string
		for _, o := range rows {
			if o.checker == base.label() && o.proposers == r.proposers && o.workers == r.workers && o.checker != r.checker {
				faster, less = ratio(median(o.samples, wall), median(r.samples, wall)), ratio(median(o.samples, cpu), median(r.samples, cpu))
			}
		}
		fmt.Fprintf(&b, "| %d | %s | %d | %d | %s | %s | %.2f | %s | %.2f | %s | %s MB |\n",
			r.proposers, r.checker, r.workers, len(r.samples), textfmt.Number(r.counts.states), textfmt.Number(r.counts.transitions),
			median(r.samples, wall), faster, median(r.samples, cpu), less,
			textfmt.Number(median(r.samples, func(s sample) int { return s.peak })>>20))
	}
	return b.String()
}

// ratio returns a/b in whole numbers, rounded down, or an empty string if b was too small to measure.
func ratio(a, b float64) string {
	if b == 0 {
		return ""
	}
	return textfmt.Number(int(a / b))
}

// machine describes the measured programs and the machine.
func machine(checkers []checker) string {
	parts := []string{fmt.Sprintf("%s, %d cores, %s", processor(), runtime.NumCPU(), runtime.Version())}
	for _, c := range checkers {
		if _, ours := c.(own); ours {
			continue
		}
		if v, err := c.version(); err == nil {
			parts = append(parts, fmt.Sprintf("%s: %s", c.name(), v))
		}
	}
	return strings.Join(parts, "; ")
}

// processor returns the name of the processor if the operating system provides it.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}
