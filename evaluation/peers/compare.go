//go:build unix

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// row is a checker's line in the table.
type row struct {
	checker            string
	proposers, workers int
	counts             counts
	samples            []sample
}

// sample is the cost of one run.
type sample struct {
	seconds float64
	cpu     float64 // processor seconds, of all its processes
	peak    int     // resident set of the largest process, in bytes
}

// compare runs everything. times is the number of runs of each checker, with an empty name for the others.
func compare(dir string, checkers []checker, sizes, threads []int, times map[string]int) ([]row, error) {
	for _, c := range checkers {
		if _, err := c.version(); err != nil {
			return nil, err
		}
	}
	var rows []row
	var commands []command
	for _, p := range sizes {
		for _, w := range threads {
			for _, c := range checkers {
				sub := filepath.Join(dir, fmt.Sprintf("%s-%d-%d-%d", c.name(), len(rows), p, w))
				if err := os.Mkdir(sub, 0o755); err != nil {
					return nil, err
				}
				run, err := c.prepare(sub, p, w)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", c.name(), err)
				}
				rows = append(rows, row{checker: c.label(), proposers: p, workers: w})
				commands = append(commands, run)
			}
		}
	}
	for round := range slices.Max(slices.Collect(maps.Values(times))) {
		for i := range rows {
			c := checkers[i%len(checkers)]
			n, ok := times[c.name()]
			if !ok {
				n = times[""]
			}
			if round >= n {
				continue
			}
			if err := rows[i].add(c, commands[i]); err != nil {
				return nil, fmt.Errorf("%s, %d proposers, %d workers: %w", c.name(), rows[i].proposers, rows[i].workers, err)
			}
		}
	}
	return rows, nil
}

// add measures one run.
func (r *row) add(c checker, run command) error {
	out, s, err := measure(run)
	if err != nil {
		return err
	}
	n, err := c.counts(out)
	if err != nil {
		return fmt.Errorf("%w; it printed\n%s", err, out)
	}
	fmt.Fprintf(os.Stderr, "%s, %d proposers, %d workers: %d states, %d transitions, %.2f s, CPU %.2f s, %d MB\n",
		r.checker, r.proposers, r.workers, n.states, n.transitions, s.seconds, s.cpu, s.peak>>20)
	if len(r.samples) > 0 && (n.states != r.counts.states || n.transitions != r.counts.transitions) {
		return fmt.Errorf("%+v after %+v", n, r.counts)
	}
	r.counts, r.samples = n, append(r.samples, s)
	return nil
}

// measure runs a command and returns its standard output.
func measure(run command) (string, sample, error) {
	cmd := exec.Command(run.args[0], run.args[1:]...)
	cmd.Dir = run.dir
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return "", sample{}, fmt.Errorf("%s: %w\n%s%s", strings.Join(run.args, " "), err, problems.Bytes(), out.Bytes())
	}
	s := sample{seconds: time.Since(start).Seconds(), cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.peak = int(usage.Maxrss) << 10 // Linux counts in kilobytes
	}
	return out.String(), s, nil
}

// agree returns an error for rows with other counts than the others of their size.
func agree(rows []row) error {
	first := map[int]row{}
	for _, r := range rows {
		f, ok := first[r.proposers]
		if !ok {
			first[r.proposers] = r
		} else if f.counts.states != r.counts.states || f.counts.transitions != r.counts.transitions {
			return fmt.Errorf("%d proposers: %s has %d states and %d transitions, %s has %d and %d", r.proposers,
				f.checker, f.counts.states, f.counts.transitions, r.checker, r.counts.states, r.counts.transitions)
		}
	}
	return nil
}

// median returns the median of a figure of the samples, the higher one of two.
func median[T cmp.Ordered](samples []sample, take func(sample) T) T {
	values := make([]T, len(samples))
	for i, s := range samples {
		values[i] = take(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
