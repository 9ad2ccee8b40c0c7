//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/macemc/macemc/internal/words"
)

// table prints rows in Markdown. Of several runs it shows the medians.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| proposers | checker | workers | runs | states | transitions | seconds | states/s | transitions/s | peak memory | bytes/state | handler executions |\n")
	b.WriteString("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		seconds := median(r.samples, func(s sample) float64 { return s.seconds })
		peak := median(r.samples, func(s sample) int { return s.peak })
		handlers := ""
		if r.counts.handlers > 0 {
			handlers = words.Number(r.counts.handlers)
		}
		fmt.Fprintf(&b, "| %d | %s | %d | %d | %s | %s | %.2f | %s | %s | %s MB | %.1f | %s |\n",
			r.proposers, r.checker, r.workers, len(r.samples), words.Number(r.counts.states), words.Number(r.counts.transitions), seconds,
			words.Number(int(float64(r.counts.states)/seconds)), words.Number(int(float64(r.counts.transitions)/seconds)),
			words.Number(peak>>20), float64(peak)/float64(r.counts.states), handlers)
	}
	return b.String()
}

// machine tells what was measured and on what.
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

// processor is the name of the processor, as far as the system tells it.
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
