package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

func (a *app) bugsCommand() *cobra.Command {
	var asJSON bool
	var limit time.Duration
	var seed uint64
	cmd := &cobra.Command{
		Use:   "bugs [SYSTEM...]",
		Short: "Search for every known bug of the bundled systems",
		Long: `Runs "macemc search SYSTEM --bug ID --no-shrink" for each known bug of the given
systems, of all if none is given, and prints a table of what was found. A bug that is
not found, or found as another kind than expected, is shown as that, and the exit
status is 1.
Interrupted, it prints what it has.`,
		Example: `  macemc bugs
  macemc bugs randtree transport --time 20s --seed 3
  macemc bugs pastry --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit <= 0 {
				return fmt.Errorf("--time is %v, must be positive", limit)
			}
			if seed == 0 {
				return errors.New("--seed is 0, must be at least 1")
			}
			return a.bugs(cmd.Context(), args, limit, seed, asJSON)
		},
	}
	fl := cmd.Flags()
	fl.DurationVar(&limit, "time", defaultTime, "search for each bug at most this `TIME`")
	fl.Uint64Var(&seed, "seed", 1, "`SEED` of the random walks, at least 1")
	fl.BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// bugRow is what came of the search for one bug.
type bugRow struct {
	System   string          `json:"system"`
	Bug      string          `json:"bug"`
	Expected sim.FindingKind `json:"expected"`
	Found    sim.FindingKind `json:"found"` // "": nothing
	AsKnown  bool            `json:"as_known"`
	Seconds  float64         `json:"seconds"` // of the process, confirmation included
	Paths    int             `json:"paths"`
	States   int             `json:"states"`
	Depth    int             `json:"depth"`
	Step     int             `json:"critical_step,omitempty"`
	Critical string          `json:"critical_event,omitempty"`
	Nodes    int             `json:"nodes"`
	Limits   sim.Limits      `json:"limits"`
}

func (a *app) bugs(ctx context.Context, names []string, limit time.Duration, seed uint64, asJSON bool) error {
	var entries []spec.Entry
	for _, name := range names {
		e, err := systems.Find(name)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if len(names) == 0 {
		entries = systems.All()
	}
	dir, err := os.MkdirTemp("", "macemc-bugs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var rows []bugRow
	missed := false
search:
	for _, e := range entries {
		for i := range e.Bugs {
			b := &e.Bugs[i]
			args := []string{"search", e.Name, "--bug", b.ID, "--json", "--time", limit.String(),
				"--seed", fmt.Sprint(seed), "--no-shrink", "--out", filepath.Join(dir, b.ID)}
			began := time.Now()
			r, err := a.searchReport(ctx, args)
			if ctx.Err() != nil {
				break search // what was found until now is still told
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", e.Name, b.ID, err)
			}
			row := bugRow{
				System: e.Name, Bug: b.ID, Expected: b.Kind, Found: r.Kind, Seconds: time.Since(began).Seconds(),
				Paths: r.Paths, States: r.States, Depth: r.Depth, Nodes: r.Nodes, Limits: r.Limits,
				AsKnown: r.Verdict == search.Violation && b.Accepts(r.Kind),
			}
			if c := r.Critical; c != nil {
				row.Step, row.Critical = c.Step, c.Event
			}
			rows = append(rows, row)
			missed = missed || !row.AsKnown
			fmt.Fprintf(a.stderr, "%s %s: %s in %.1fs\n", e.Name, b.ID, row.verdict(), row.Seconds)
		}
	}
	if asJSON {
		err = writeJSON(a.stdout, map[string]any{"seed": seed, "bugs": rows})
	} else {
		err = writeBugs(a.stdout, rows)
	}
	switch {
	case err != nil:
		return err
	case missed:
		return statusError(check.StatusViolation)
	}
	return ctx.Err()
}

// searchReport searches in a process of its own, so that no bug can spoil the search for another.
func (a *app) searchReport(ctx context.Context, args []string) (*report.Report, error) {
	var out, errs bytes.Buffer
	if a.respawn == nil {
		in := &app{stdout: &out, stderr: &errs, program: a.program}
		in.run(ctx, args)
	} else {
		cmd := a.respawn()
		child := exec.CommandContext(ctx, cmd.Path, args...)
		child.Stdout, child.Stderr = &out, &errs
		child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
		var exit *exec.ExitError
		if err := child.Run(); err != nil && !errors.As(err, &exit) {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var r report.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("the search gave no report: %s", bytes.TrimSpace(errs.Bytes()))
	}
	return &r, nil
}

// verdict says what was found.
func (r *bugRow) verdict() string {
	switch {
	case r.Found == "":
		return "NOT FOUND"
	case !r.AsKnown:
		return string(r.Found) + " (UNEXPECTED)"
	}
	return string(r.Found)
}

func writeBugs(w io.Writer, rows []bugRow) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "system\tbug\texpected\tfound\tseconds\tpaths\tstates\tdepth\tnodes\tcritical")
	found := 0
	for i := range rows {
		r := &rows[i]
		critical := ""
		if r.Step > 0 {
			critical = fmt.Sprintf("step %d: %s", r.Step, r.Critical)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.1f\t%s\t%s\t%d\t%d\t%s\n", r.System, r.Bug, r.Expected, r.verdict(), r.Seconds,
			grouped(r.Paths), grouped(r.States), r.Depth, r.Nodes, critical)
		if r.AsKnown {
			found++
		}
	}
	fmt.Fprintf(t, "%d of %d found as known\n", found, len(rows))
	return t.Flush()
}
