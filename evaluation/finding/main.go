// Command finding compares the cost at which two builds of macemc find the known bugs of the bundled systems.
//
//	finding [-seeds N] [-time TIME] [-bugs ID,...] [-skip ID,...] [-markdown] OLD NEW [FLAG...]
//
// It searches for each bug with the seeds 1 to N, alternating between the programs OLD and NEW, with one worker. NEW
// also gets the flags of "macemc search" that follow. For each bug it prints the numbers of seeds with which each found
// it, the median and the 95th percentile of CPU time (of the process, including its report), the medians of events and
// paths, their ratios, and the schedules that found it. At the end it prints the geometric means of the ratios, and for
// each program the longest CPU time and the largest ratio of the 95th percentile to the median. Events and paths do not depend on the
// load of the machine. Bugs unknown to OLD are skipped and listed.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/test/papers"
)

// options are the command-line options.
type options struct {
	seeds      int
	time       time.Duration
	bugs, skip string
	markdown   bool
	programs   [2]string
	flags      []string // of NEW
}

func main() {
	var o options
	flag.IntVar(&o.seeds, "seeds", 3, "search with the seeds 1 to `N`")
	flag.DurationVar(&o.time, "time", time.Minute, "search at most this `TIME` with each seed")
	flag.StringVar(&o.bugs, "bugs", "", "only these bugs, `ID,...`")
	flag.StringVar(&o.skip, "skip", "", "not these bugs, `ID,...`")
	flag.BoolVar(&o.markdown, "markdown", false, "print a page for the folder evaluation")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "finding: say which two programs are compared")
		os.Exit(2)
	}
	o.programs, o.flags = [2]string{flag.Arg(0), flag.Arg(1)}, flag.Args()[2:]
	if err := o.compare(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "finding:", err)
		os.Exit(1)
	}
}

func (o *options) compare(w io.Writer) error {
	var ratios [3]float64 // sums of logarithms
	var worst [2]spread
	var unknowns []string // bugs that OLD does not know
	bugs := 0
	if o.markdown {
		o.heading(w)
	}
	for _, e := range append(program.Systems(), papers.Entries()...) {
	next:
		for _, b := range e.Bugs {
			if o.bugs != "" && !listed(o.bugs, b.ID) || listed(o.skip, b.ID) {
				continue
			}
			var c [2]column
			for seed := 1; seed <= o.seeds; seed++ {
				for i := range c {
					r, err := o.search(i, e.Name, b.ID, seed)
					if unknown := (*unknownError)(nil); i == 0 && errors.As(err, &unknown) {
						if unknowns = append(unknowns, b.ID); !o.markdown {
							fmt.Fprintf(w, "%-5s skipped: %s reports %v\n", b.ID, o.programs[0], err)
						}
						continue next
					}
					if err != nil {
						return fmt.Errorf("%s, seed %d: %w", b.ID, seed, err)
					}
					c[i] = append(c[i], *r)
				}
			}
			bugs++
			for i := range c {
				worst[i].add(b.ID, c[i])
			}
			if o.markdown {
				fmt.Fprintf(w, "| %s | %s | %s |\n", b.ID, c[0].cells(), c[1].cells())
			} else {
				fmt.Fprintf(w, "%-5s %s  %s ", b.ID, c[0], c[1])
			}
			for i, of := range []func(run) float64{run.processor, run.events, run.paths} {
				ratio := c[1].median(of) / max(c[0].median(of), 1e-3)
				ratios[i] += math.Log(ratio)
				if !o.markdown {
					fmt.Fprintf(w, " %6.2f", ratio)
				}
			}
			if !o.markdown {
				fmt.Fprintf(w, "  %s\n", c[1].schedules())
			}
		}
	}
	if o.markdown {
		fmt.Fprintln(w)
		if len(unknowns) > 0 {
			fmt.Fprintf(w, "Skipped, because the old program does not know them: %s.\n\n", strings.Join(unknowns, ", "))
		}
	}
	fmt.Fprintf(w, "geometric means of the ratios of %d bugs:", bugs)
	for i, what := range []string{"CPU time", "events", "paths"} {
		fmt.Fprintf(w, " %s %.3f", what, math.Exp(ratios[i]/float64(max(1, bugs))))
	}
	fmt.Fprintln(w)
	for i, name := range []string{"old", "new"} {
		if o.markdown {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", name, &worst[i])
	}
	return nil
}

// heading writes the beginning of a page.
func (o *options) heading(w io.Writer) {
	command := fmt.Sprintf("go run ./evaluation/finding -markdown -seeds %d -time %v", o.seeds, o.time)
	if o.bugs != "" {
		command += " -bugs " + o.bugs
	}
	if o.skip != "" {
		command += " -skip " + o.skip
	}
	fmt.Fprintf(w, `<!-- Written by %s OLD NEW; changes are lost. -->

# Cost of the first finding

`+"`%[1]s OLD NEW`"+`: searches for each known bug with the seeds 1 to %d, with
one worker and the settings that `+"`macemc systems SYSTEM`"+` lists. CPU seconds are those of the whole process, including
its report; they depend on the load of the machine. Events do not. Of fewer than 20 seeds, the 95th percentile is the maximum.
If a search consists of independent runs, it finds a bug after a geometrically distributed number of them, whose 95th percentile
is ln 20 / ln 2 = 4.3 times the median.

| bug | old: found | median s | 95 %% s | median events | 95 %% events | new: found | median s | 95 %% s | median events | 95 %% events |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
`, command, o.seeds)
}

// spread is the worst of the results of a program.
type spread struct {
	longest, ratio float64
	slow, uneven   string // the bugs
}

func (s *spread) add(bug string, c column) {
	if t := c.quantile(1, run.processor); t > s.longest {
		s.longest, s.slow = t, bug
	}
	if r := c.quantile(0.95, run.processor) / max(c.median(run.processor), 1e-3); r > s.ratio {
		s.ratio, s.uneven = r, bug
	}
}

func (s *spread) String() string {
	return fmt.Sprintf("the longest search took %.1f CPU seconds (%s); the 95th percentile is at most %.1f times the median (%s)",
		s.longest, s.slow, s.ratio, s.uneven)
}

func listed(list, id string) bool { return slices.Contains(strings.Split(list, ","), id) }

// run holds the relevant fields of a search's report, and its CPU seconds.
type run struct {
	Verdict  string
	Schedule string
	Paths    int
	Events   int

	cpu float64
}

func (r run) paths() float64     { return float64(r.Paths) }
func (r run) events() float64    { return float64(max(1, r.Events)) }
func (r run) processor() float64 { return r.cpu }

// unknownError reports that a program does not accept the flags that name a bug.
type unknownError struct{ text string }

func (e *unknownError) Error() string { return e.text }

// statusUsage is the exit status of a program that rejects its command line.
const statusUsage = 2

// search executes one search in a separate process.
func (o *options) search(program int, system, bug string, seed int) (*run, error) {
	temp, err := scratch.New("")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	args := []string{"search", system, "--bug", bug, "--json", "--no-shrink", "--time", o.time.String(), "--workers", "1",
		"--seed", strconv.Itoa(seed), "--out", filepath.Join(temp.Path, "out")}
	if program == 1 {
		args = append(args, o.flags...)
	}
	out, err := child.Run(context.Background(), exec.Command(o.programs[program], args...), 0)
	if err != nil {
		return nil, err
	}
	var r run
	if err := json.Unmarshal([]byte(out.Stdout), &r); err != nil {
		text := fmt.Sprintf("no report: %s", strings.TrimSpace(out.Stderr))
		if out.Status == statusUsage {
			return nil, &unknownError{text}
		}
		return nil, errors.New(text)
	}
	r.cpu = out.Processor.Seconds()
	return &r, nil
}

// column holds the searches for a bug by one program.
type column []run

func (c column) sorted(of func(run) float64) []float64 {
	var values []float64
	for _, r := range c {
		values = append(values, of(r))
	}
	slices.Sort(values)
	return values
}

func (c column) median(of func(run) float64) float64 { return c.sorted(of)[len(c)/2] }

// quantile returns the smallest value that at least a share of q does not exceed.
func (c column) quantile(q float64, of func(run) float64) float64 {
	return c.sorted(of)[int(math.Ceil(q*float64(len(c))))-1]
}

// found returns the number of seeds with which the bug was found.
func (c column) found() (n int) {
	for _, r := range c {
		if r.Verdict == "violation" {
			n++
		}
	}
	return n
}

// cells returns the cells of a table.
func (c column) cells() string {
	return fmt.Sprintf("%d of %d | %.2f | %.2f | %.0f | %.0f", c.found(), len(c), c.median(run.processor), c.quantile(0.95, run.processor),
		c.median(run.events), c.quantile(0.95, run.events))
}

// String returns the number of seeds with which the bug was found, the median and 95th percentile of CPU seconds, and
// the medians of events and paths.
func (c column) String() string {
	return fmt.Sprintf("%d/%d %6.3f %6.3f s %7.0f %6.0f", c.found(), len(c), c.median(run.processor), c.quantile(0.95, run.processor),
		c.median(run.events), c.median(run.paths))
}

// schedules counts the schedules that found the bug.
func (c column) schedules() string {
	count := map[string]int{}
	var names []string
	for _, r := range c {
		name := cmp.Or(r.Schedule, "none")
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, count[name])
	}
	return strings.Join(names, ", ")
}
