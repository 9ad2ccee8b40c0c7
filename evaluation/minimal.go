package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// minimalFlags are the flags of minimal.
type minimalFlags struct {
	run      string
	time     time.Duration
	seeds    string
	log      string
	markdown string
}

// minimalMarkdown is the file of --markdown if none is given.
const minimalMarkdown = "evaluation/minimal.md"

func (e *evaluator) minimalCommand() *cobra.Command {
	var f minimalFlags
	cmd := &cobra.Command{
		Use:   "minimal",
		Short: "Compare minimized runs of every known bug with the smallest known ones",
		Long: `Runs "macemc search SYSTEM --bug ID" for each known bug and each seed, with and without
--no-shrink, in separate processes with one worker. It prints the number of steps of the
run as found and minimized, and of the smallest known run that violates the same property.
It also prints the CPU seconds of the search and of minimizing. Steps of a dead run count
up to its critical step.

--log appends each result to a file. Results of this build in the file are not
measured again, so an interrupted measurement can be resumed. --markdown writes
the table into a file. It overwrites only files that it wrote.`,
		Example: `  go run ./evaluation minimal --run '^RT' --seeds 1
  go run ./evaluation minimal --seeds 1-5 --log minimal.log --markdown`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := e.measurement(&f)
			if err != nil {
				return err
			}
			return m.run(cmd.Context())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.run, "run", "", "only bugs whose ID matches `REGEXP`")
	fl.DurationVar(&f.time, "time", defaultTime, "search for each bug at most this `TIME` with each seed")
	fl.StringVar(&f.seeds, "seeds", "1", "`SEEDS` of the random walks, each at least 1, as 1-5 or 1,3,7")
	fl.StringVar(&f.log, "log", "", "append results to `FILE`, and skip those already in it")
	fl.StringVar(&f.markdown, "markdown", "", "write the table into `FILE`, as --markdown=FILE")
	fl.Lookup("markdown").NoOptDefVal = minimalMarkdown
	return cmd
}

// measurement is the set of requested minimized runs.
type measurement struct {
	*evaluator
	flags *minimalFlags
	seeds []uint64
	file  outfile.Generated // of --markdown
	build string            // sum of the executable: only its results are taken from a log
	known int               // number of bugs, regardless of --run
	rows  []minimalRow
}

// minimalRow holds the minimized runs of one bug.
type minimalRow struct {
	system, bug string
	accepts     func(sim.FindingKind) bool
	runs        []minimalRun // by seed
}

// minimalRun is one run, as found and minimized. Steps of a dead run count up to its critical step.
type minimalRun struct {
	Build    string          `json:"build"`
	Bug      string          `json:"bug"`
	Seed     uint64          `json:"seed"`
	Kind     sim.FindingKind `json:"kind"` // empty if nothing was found
	Property string          `json:"property,omitempty"`
	Handler  string          `json:"handler,omitempty"` // source file of the handler of the critical step
	Found    int             `json:"found"`
	Steps    int             `json:"steps"`
	Minimal  bool            `json:"minimal"`
	Case     critical.Case   `json:"case,omitempty"` // empty if the run is not dead
	Search   float64         `json:"search_cpu_seconds"`
	Shrink   float64         `json:"shrink_cpu_seconds"`
}

func (e *evaluator) measurement(f *minimalFlags) (*measurement, error) {
	seeds, err := parseSeeds(f.seeds)
	if err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile(f.run)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--run: %w", err)
	case f.time <= 0:
		return nil, fmt.Errorf("--time is %v, must be positive", f.time)
	}
	m := &measurement{evaluator: e, flags: f, seeds: seeds, file: outfile.Generated{Name: f.markdown, Mark: minimalMark}}
	if f.markdown != "" {
		if err := m.file.Check(); err != nil {
			return nil, fmt.Errorf("--markdown: %w", err)
		}
	}
	for i := range e.Systems {
		for k := range e.Systems[i].Bugs {
			b := &e.Systems[i].Bugs[k]
			if m.known++; pattern.MatchString(b.ID) {
				m.rows = append(m.rows, minimalRow{system: e.Systems[i].Name, bug: b.ID, accepts: b.Accepts})
			}
		}
	}
	if len(m.rows) == 0 {
		return nil, fmt.Errorf("--run: no bug matches %s", f.run)
	}
	m.build, err = sumOf(e.Respawn().Path)
	return m, err
}

// sumOf returns some digits of a file's hash.
func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

func (m *measurement) run(ctx context.Context) error {
	temp, err := scratch.New("")
	if err != nil {
		return err
	}
	defer temp.Remove()
	logged, err := m.logged()
	if err != nil {
		return err
	}
	done, total := 0, len(m.rows)*len(m.seeds)
	for i := range m.rows {
		row := &m.rows[i]
		for _, seed := range m.seeds {
			done++
			at := slices.IndexFunc(logged, func(r minimalRun) bool { return r.Build == m.build && r.Bug == row.bug && r.Seed == seed })
			if at >= 0 {
				row.runs = append(row.runs, logged[at])
				continue
			}
			run, err := m.measure(ctx, row, seed, filepath.Join(temp.Path, strconv.Itoa(done)))
			if ctx.Err() != nil {
				m.text(m.Stdout)
				return ctx.Err()
			}
			if err == nil {
				err = m.note(run)
			}
			if err != nil {
				return fmt.Errorf("%s, seed %d: %w", row.bug, seed, err)
			}
			row.runs = append(row.runs, *run)
			fmt.Fprintf(m.Stderr, "%d of %d  %s, seed %d: %s\n", done, total, row.bug, seed, run)
		}
	}
	m.text(m.Stdout)
	if m.file.Name == "" {
		return nil
	}
	return m.file.Write(m.markdown())
}

// measure searches with and without minimizing.
func (m *measurement) measure(ctx context.Context, row *minimalRow, seed uint64, out string) (*minimalRun, error) {
	args := []string{"search", row.system, "--bug", row.bug, "--json", "--workers", "1", "--time", m.flags.time.String(),
		"--seed", strconv.FormatUint(seed, 10), "--out", out}
	found, search, err := m.searchReport(ctx, append(args, "--no-shrink"))
	if err != nil {
		return nil, err
	}
	small, both, err := m.searchReport(ctx, args)
	if err != nil {
		return nil, err
	}
	if small.Kind != found.Kind {
		return nil, fmt.Errorf("found as %q, and as %q without minimizing", small.Kind, found.Kind)
	}
	run := &minimalRun{
		Build: m.build, Bug: row.bug, Seed: seed, Kind: small.Kind, Property: small.Property, Found: causeSteps(found), Steps: causeSteps(small),
		Search: search.Seconds(), Shrink: max(0, both-search).Seconds(),
	}
	if s := small.Shrunk; s != nil {
		run.Minimal = s.Minimal
	}
	if c := small.Critical; c != nil {
		run.Case = c.Case
		run.Handler, _, _ = strings.Cut(small.Handler, ":")
	}
	return run, nil
}

// causeSteps returns the number of steps of a run up to its critical one, if it has one.
func causeSteps(r *report.Report) int {
	if r.Critical != nil && r.Verdict == search.Violation {
		return r.Critical.Step
	}
	return r.Steps
}

// logged returns the results in the log, including those of other builds.
func (m *measurement) logged() ([]minimalRun, error) {
	if m.flags.log == "" {
		return nil, nil
	}
	f, err := os.Open(m.flags.log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var runs []minimalRun
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r minimalRun
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", m.flags.log, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// note appends a result to the log.
func (m *measurement) note(run *minimalRun) error {
	if m.flags.log == "" {
		return nil
	}
	line, err := json.Marshal(run)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(m.flags.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

func (r *minimalRun) String() string {
	if r.Kind == "" {
		return "nothing found"
	}
	return fmt.Sprintf("%s, %d to %d steps, CPU %s + %s s", r.Kind, r.Found, r.Steps, secondsText(r.Search), secondsText(r.Shrink))
}
