package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/search"
)

// tablesFlags are the flags of the subcommands of tables.
type tablesFlags struct {
	time     time.Duration
	json     bool
	markdown string
}

// tablesPage is the page of --markdown if none is given.
const tablesPage = "evaluation/tables.md"

func (e *evaluator) tablesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "Regenerate tables of papers, with columns of this checker",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(e.mpbassetCommand(), e.crashCommand(), e.pCommand(), e.preachdbCommand())
	return cmd
}

func (e *evaluator) mpbassetCommand() *cobra.Command {
	return e.tableCommand(mpbassetTable(mpbasset), &cobra.Command{
		Use:   "mpbasset",
		Short: "Paxos, echo multicast and regular storage in the settings of MP-Basset",
		Long: `Visits all states of the protocols in the settings of Bokor, Kinder, Serafini and Suri,
"Efficient Model Checking of Fault-Tolerant Distributed Protocols" (DSN-DCCS 2011), which
presents MP-Basset: with single messages and with quorums, each without reduction, with
--reduce drop and full, and with full and --symmetry. Each search has one worker and a
separate process. All of it takes some seconds.

It prints a table in Markdown, with states, seconds, and the known figures of MP-Basset.
--markdown replaces the part of a page between the lines <!-- mpbasset --> and
<!-- end of mpbasset -->.

Faulty variants and wrong specifications must be violated, all others hold. Other verdicts
are marked, and the exit status is 1. It is 3 if a search did not complete in its time.
When interrupted, it prints the results so far.`,
		Example: `  go run ./evaluation tables mpbasset
  go run ./evaluation tables mpbasset --time 10s --json
  go run ./evaluation tables mpbasset --markdown`,
	})
}

// paperTable is a regenerated table of a paper.
type paperTable struct {
	name     string // of the command, and of the part of a page
	columns  []tableColumn
	rows     []*tableRow // without cells
	markdown func(rows []*tableRow, machine string) string
	// picture draws the rows for a file beside the page; nil means no picture.
	picture func(rows []*tableRow) string
}

// tableColumn describes the searches of a column.
type tableColumn struct {
	name  string
	flags []string
}

// tableCommand completes a command that makes a table.
func (e *evaluator) tableCommand(t *paperTable, cmd *cobra.Command) *cobra.Command {
	var f tablesFlags
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return e.tabulate(cmd.Context(), &f, t) }
	cmd.Flags().SortFlags = false
	f.add(cmd.Flags())
	return cmd
}

// add adds the flags to those of a command.
func (f *tablesFlags) add(fl *pflag.FlagSet) {
	fl.DurationVar(&f.time, "time", 10*time.Minute, "spend at most this `TIME` on each search")
	fl.BoolVar(&f.json, "json", false, "print one JSON object")
	fl.StringVar(&f.markdown, "markdown", "", "write the table into the page `FILE`, as --markdown=FILE")
	fl.Lookup("markdown").NoOptDefVal = tablesPage
}

// tabulate executes the searches, and prints or writes the table.
func (e *evaluator) tabulate(ctx context.Context, f *tablesFlags, t *paperTable) error {
	if f.time <= 0 {
		return fmt.Errorf("--time is %v, must be positive", f.time)
	}
	page := outfile.Section{File: f.markdown, Name: t.name}
	picture := outfile.Generated{Name: filepath.Join(filepath.Dir(f.markdown), tablePicture(t.name)), Mark: tablesMark}
	if f.markdown != "" {
		err := page.Check()
		if err == nil && t.picture != nil {
			err = picture.Check()
		}
		if err != nil {
			return fmt.Errorf("--markdown: %w", err)
		}
	}
	rows := t.rows
	temp, err := scratch.New("")
	if err != nil {
		return err
	}
	defer temp.Remove()
	total := len(rows)
	for i, r := range rows {
		if err = e.fillRow(ctx, t.columns, r, f.time, filepath.Join(temp.Path, strconv.Itoa(i))); err != nil {
			rows = rows[:i]
			break // the results so far are still reported
		}
		fmt.Fprintf(e.Stderr, "%d of %d  %s, %s: %s\n", i+1, total, r.Setting, r.Variant, r.verdict())
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	machine := fmt.Sprintf("%s on %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if f.json {
		err = task.WriteJSON(e.Stdout, map[string]any{"machine": machine, "time": f.time.String(), "rows": rows})
	} else if f.markdown == "" || ctx.Err() != nil {
		_, err = fmt.Fprint(e.Stdout, t.markdown(rows, machine))
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		if f.markdown != "" {
			fmt.Fprintf(e.Stderr, "macemc: not all searches were made; %s is unchanged\n", f.markdown)
		}
		return ctx.Err()
	}
	if f.markdown != "" {
		if t.picture != nil {
			if err := picture.Write([]byte(t.picture(rows))); err != nil {
				return err
			}
		}
		if err := page.Write(t.markdown(rows, machine)); err != nil {
			return err
		}
	}
	return tableStatus(rows)
}

// tablesMark identifies a picture that these commands wrote.
const tablesMark = "<!-- Written by go run ./evaluation tables. -->"

// tablePicture returns the path of a table's picture, relative to its page.
func tablePicture(name string) string { return "pictures/" + name + ".svg" }

// tableRows returns the rows of settings, two for each, without cells: with single messages and with quorums.
func tableRows(settings []paperSetting) (rows []*tableRow) {
	for _, s := range settings {
		for _, quorum := range []bool{false, true} {
			r := &tableRow{Setting: s.name, System: s.system, Flags: s.flags, Variant: "single messages", Quorums: quorum, Expected: s.expected}
			if r.Published = s.single; quorum {
				r.Published, r.Variant = s.quorums, "quorums"
				r.Flags = append(r.Flags[:len(r.Flags):len(r.Flags)], "--set", "quorum=true")
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// fillRow executes the searches of a row.
func (e *evaluator) fillRow(ctx context.Context, columns []tableColumn, row *tableRow, limit time.Duration, out string) error {
	for _, c := range columns {
		args := slices.Concat([]string{"search", row.System, "--strategy", "bfs", "--workers", "1", "--json", "--no-shrink",
			"--time", limit.String(), "--out", filepath.Join(out, c.name)}, row.Flags, c.flags)
		r, cpu, err := e.searchReport(ctx, args)
		if err != nil {
			if ctx.Err() == nil {
				err = fmt.Errorf("%s, %s: %w", row.Setting, c.name, err)
			}
			return err
		}
		cell := tableCell{Column: c.name, States: r.States, Seconds: r.Seconds, CPU: cpu.Seconds(), Complete: r.Coverage.Complete,
			Stopped: r.Stopped}
		switch {
		case r.Verdict == search.Violation:
			cell.Verdict = violated
		case r.Verdict == search.OK && cell.Complete:
			cell.Verdict = holds
		}
		cell.Transitions, cell.Bytes = r.Transitions, r.Bytes
		for _, as := range r.Coverage.Assumed {
			cell.Compared += as.States + as.Abstract
		}
		if d := r.Coverage.Reduced; d != nil {
			cell.Why = d.Why + d.Asymmetry
		}
		row.Cells = append(row.Cells, cell)
	}
	return nil
}
