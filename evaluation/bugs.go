package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/spec"
)

// bugsFlags are the flags of bugs.
type bugsFlags struct {
	time     time.Duration
	seeds    string
	workers  int
	compare  bool
	json     bool
	markdown string
}

// defaultMarkdown is the file of --markdown if none is given.
const defaultMarkdown = "evaluation/bugs.md"

// defaultTime is the default of --time.
const defaultTime = time.Minute

func (e *evaluator) bugsCommand() *cobra.Command {
	var f bugsFlags
	cmd := &cobra.Command{
		Use:   "bugs [SYSTEM...]",
		Short: "Search for every known bug of the bundled systems",
		Long: `Runs "macemc search SYSTEM --bug ID --no-shrink" for each known bug of the given
systems (default: all), once for each seed, in a separate process. It prints a table: the
number of seeds that found the bug, minimum, median and maximum seconds, median
paths, states and depth, nodes, faults, and the critical step of the first seed that
found it. Searches for bugs far from the initial state start from live states, which
the search computes itself by random walks without faults (column "prefix").

Bugs that are not found, or found as an unexpected kind, are marked, and the exit status
is 1. When interrupted, it prints the results so far.

--compare also searches as the MaceMC paper did: with its property alone for bugs that
another property detects first, and for BT2 by bounded search with and without a visited
set and by random walks. --markdown writes the results into a file, beside the figures of
the paper. It overwrites only files that it wrote.`,
		Example: `  go run ./evaluation bugs
  go run ./evaluation bugs randtree transport --time 20s --seeds 3
  go run ./evaluation bugs pastry --json
  go run ./evaluation bugs --seeds 1-5 --compare --markdown`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := e.bugHunt(&f, args)
			if err != nil {
				return err
			}
			return b.run(cmd.Context())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.DurationVar(&f.time, "time", defaultTime, "search for each bug at most this `TIME` with each seed")
	fl.StringVar(&f.seeds, "seeds", "1", "`SEEDS` of the random walks, each at least 1, as 1-5 or 1,3,7")
	fl.IntVar(&f.workers, "workers", 0, "execute `N` runs of a search at a time (default: all cores)")
	fl.BoolVar(&f.compare, "compare", false, "also search as the paper does, which takes longer")
	fl.BoolVar(&f.json, "json", false, "print one JSON object")
	fl.StringVar(&f.markdown, "markdown", "", "write the tables into `FILE`, as --markdown=FILE")
	fl.Lookup("markdown").NoOptDefVal = defaultMarkdown
	return cmd
}

// maxSeeds is the maximum number of seeds.
const maxSeeds = 1000

// parseSeeds parses a list such as "1-3,7".
func parseSeeds(text string) ([]uint64, error) {
	var seeds []uint64
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.ParseUint(low, 10, 64)
		last := first
		if err == nil && isRange {
			last, err = strconv.ParseUint(high, 10, 64)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("--seeds: %q is neither a number nor a range like 1-5", part)
		case first == 0:
			return nil, fmt.Errorf("--seeds: %q has seed 0, must be at least 1", part)
		case last < first:
			return nil, fmt.Errorf("--seeds: %q ends before it begins", part)
		case last-first >= maxSeeds || len(seeds)+int(last-first) >= maxSeeds:
			return nil, fmt.Errorf("--seeds: more than %d seeds", maxSeeds)
		}
		for s := first; ; s++ {
			if slices.Contains(seeds, s) {
				return nil, fmt.Errorf("--seeds: %d is given twice", s)
			}
			if seeds = append(seeds, s); s == last {
				break
			}
		}
	}
	return seeds, nil
}

// bugHunt is the set of requested searches for known bugs.
type bugHunt struct {
	*evaluator
	flags *bugsFlags
	names []string // of the requested systems; none means all
	seeds []uint64
	file  outfile.Generated // of --markdown
	// machine describes the machine of the searches.
	machine string
	rows    []bugRow // one for each bug
	// compared holds the rows of variants.
	compared []bugRow
}

func (e *evaluator) bugHunt(f *bugsFlags, names []string) (*bugHunt, error) {
	seeds, err := parseSeeds(f.seeds)
	switch {
	case err != nil:
		return nil, err
	case f.time <= 0:
		return nil, fmt.Errorf("--time is %v, must be positive", f.time)
	case f.workers < 0:
		return nil, fmt.Errorf("--workers is %d, must not be negative", f.workers)
	case f.workers > runs.MaxWorkers:
		return nil, task.TooManyWorkers(f.workers)
	}
	h := &bugHunt{evaluator: e, flags: f, names: names, seeds: seeds, file: outfile.Generated{Name: f.markdown, Mark: bugsMark}}
	h.machine = fmt.Sprintf("%d workers, %s on %s/%s", cmp.Or(f.workers, runs.DefaultWorkers()),
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
	var entries []spec.Entry
	for i, name := range names {
		entry, err := e.Entry(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("system %q is given twice", name)
		}
		entries = append(entries, entry)
	}
	if len(names) == 0 {
		entries = e.Systems
	}
	if f.markdown != "" {
		if err := h.file.Check(); err != nil {
			return nil, fmt.Errorf("--markdown: %w", err)
		}
	}
	for i := range entries {
		entry := &entries[i]
		for k := range entry.Bugs {
			b := &entry.Bugs[k]
			row := bugRow{System: entry.Name, Bug: b.ID, Summary: b.Summary, Expected: b.Kind, Original: originals[b.ID], bug: b, seeds: seeds}
			h.rows = append(h.rows, row)
			if !f.compare {
				continue
			}
			others := variants
			if v, ok := propertyAlone(b); ok {
				others = append([]variant{v}, others...)
			}
			for _, v := range others {
				if v.bug != b.ID {
					continue
				}
				r := row
				r.How, r.Flags, r.Original = v.how, v.flags, v.original
				if v.fixed {
					r.seeds = seeds[:1]
				}
				h.compared = append(h.compared, r)
			}
		}
	}
	if len(h.rows) == 0 {
		return nil, fmt.Errorf("%s: no known bugs", strings.Join(names, ", "))
	}
	return h, nil
}

func (h *bugHunt) run(ctx context.Context) error {
	temp, err := scratch.New("")
	if err != nil {
		return err
	}
	defer temp.Remove()
	all := slices.Concat(pointers(h.rows), pointers(h.compared))
	total, done := 0, 0
	for _, r := range all {
		total += len(r.seeds)
	}
	fmt.Fprintf(h.Stderr, "%s, one after the other, of at most %v each: at most %v, usually far less, as each ends with its finding\n",
		map[bool]string{true: "1 search", false: fmt.Sprintf("%d searches", total)}[total == 1], h.flags.time, time.Duration(total)*h.flags.time)
search:
	for _, r := range all {
		for _, seed := range r.seeds {
			run, err := h.search(ctx, r, seed, filepath.Join(temp.Path, strconv.Itoa(done)))
			if ctx.Err() != nil {
				break search // the results so far are still reported
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", r.System, r.Bug, err)
			}
			done++
			r.Runs = append(r.Runs, *run)
			what := strings.Join(append([]string{r.System, r.Bug}, r.Flags...), " ")
			fmt.Fprintf(h.Stderr, "%d of %d  %s, seed %d: %s in %ss\n", done, total, what, seed, run.verdict(), secondsText(run.Seconds))
		}
	}
	for _, r := range all {
		r.summarise()
	}
	h.rows, h.compared = begun(h.rows), begun(h.compared)
	if h.flags.json {
		err = task.WriteJSON(h.Stdout, map[string]any{
			"seeds": h.seeds, "time": h.flags.time.String(), "bugs": h.rows, "comparison": h.compared,
		})
	} else {
		err = h.text(h.Stdout)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		if h.file.Name != "" {
			fmt.Fprintf(h.Stderr, "macemc: not all bugs were searched for; %s is unchanged\n", h.file.Name)
		}
		return ctx.Err()
	}
	if h.file.Name != "" {
		if err := h.file.Write(h.markdown()); err != nil {
			return err
		}
	}
	for i := range h.rows {
		if !h.rows[i].asKnown() {
			return task.Exit(exitcode.Violation)
		}
	}
	return nil
}

// search executes one search in a separate process, so that a bug cannot affect the search for another.
func (h *bugHunt) search(ctx context.Context, row *bugRow, seed uint64, out string) (*bugRun, error) {
	args := append([]string{"search", row.System, "--bug", row.Bug, "--json", "--no-shrink", "--time", h.flags.time.String(),
		"--seed", strconv.FormatUint(seed, 10), "--out", out}, row.Flags...)
	if h.flags.workers > 0 {
		args = append(args, "--workers", strconv.Itoa(h.flags.workers))
	}
	began := time.Now()
	r, cpu, err := h.searchReport(ctx, args)
	if err != nil {
		return nil, err
	}
	run := &bugRun{
		Seed: seed, Found: r.Kind, AsKnown: r.Verdict == search.Violation && row.bug.Accepts(r.Kind),
		Seconds: time.Since(began).Seconds(), CPU: cpu.Seconds(), Stopped: r.Stopped, Paths: r.Paths, States: r.States, Events: r.Events,
		Depth: r.Depth, Steps: r.Steps, Nodes: r.Nodes, Limits: r.Limits, Timing: r.Timing,
		Omission: r.Coverage.OmissionProbability,
	}
	if c := r.Critical; c != nil {
		run.Critical = &criticalRun{string(c.Case), c.Step, c.Event, c.Choice}
	}
	for _, p := range r.Phases {
		if p.Name == "prefixes" && p.Live > 0 {
			run.Prefixes = &prefixRun{p.Live, p.Steps.Min, p.Steps.Max}
		}
	}
	return run, nil
}

// searchReport runs a search and returns its report and processor time.
func (e *evaluator) searchReport(ctx context.Context, args []string) (*report.Report, time.Duration, error) {
	cmd := e.Respawn()
	cmd.Args = append([]string{cmd.Path}, args...)
	o, err := child.Run(ctx, cmd, time.Minute)
	if err != nil {
		return nil, 0, err
	}
	r, err := readReport(o)
	return r, o.Processor, err
}

// readReport returns the report that a search has printed, or its error.
func readReport(o child.Output) (*report.Report, error) {
	r := new(report.Report)
	if err := json.Unmarshal([]byte(o.Stdout), r); err != nil {
		return nil, fmt.Errorf("the search gave no report: %s", strings.TrimSpace(o.Stderr))
	}
	return r, nil
}
