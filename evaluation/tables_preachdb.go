package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
)

func (e *evaluator) preachdbCommand() *cobra.Command {
	var f tablesFlags
	var depth int
	cmd := &cobra.Command{
		Use:   "preachdb",
		Short: "Durable searches, and distributed searches with killed processes",
		Long: `Visits the states of Paxos with three proposers up to a depth: by one process,
without and with --durable, and by three workers, with one server and with three. The
demonstrations of Ishida, "Fault Tolerance for Distributed Explicit-State Model Checking"
(2014), which presents PReachDB, follow, with three workers and three servers: all processes
are killed and restarted; one worker and one server fail permanently with all their data; a
worker is killed while a spare one is running. All of it runs on this machine, at addresses
of 127.0.0.1, and takes some minutes.

It prints a table in Markdown: seconds, and the CPU time and memory of processes by role.
--markdown replaces the part of a page between the lines <!-- preachdb --> and <!-- end of
preachdb -->.

All must reach the same states and transitions. Other results are marked, and the exit
status is 1.`,
		Example: `  go run ./evaluation tables preachdb
  go run ./evaluation tables preachdb --depth 21 --json
  go run ./evaluation tables preachdb --markdown`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.preachdb(cmd.Context(), &f, depth, preachdbRows) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.IntVar(&depth, "depth", 19, "visit states up to depth `N`")
	f.add(fl)
	return cmd
}

// preachdbRow is a row of the table.
type preachdbRow struct {
	Search      string          `json:"search"`
	Published   string          `json:"published,omitempty"` // result in the thesis
	States      int             `json:"states"`
	Transitions int             `json:"transitions"`
	Seconds     float64         `json:"seconds"`
	Processes   []preachdbUsage `json:"processes"`
	Why         string          `json:"why,omitempty"` // reason of a failure
	Exact       bool            `json:"exact"`         // same result as the first row

	flags                    []string // of the search
	workers, servers, spares int
	strike                   func(*preachdbRun) // called after an eighth of all states; may be nil
}

// preachdbRows are the rows. The first one defines the expected result of all others.
var preachdbRows = []preachdbRow{
	{Search: "one process", flags: []string{"--reduce", "none", "--workers", "1", "--time", "0"}},
	{Search: "one process, --durable", flags: []string{"--workers", "1", "--durable", "kept"},
		Published: "with a database, one twentieth of the speed"},
	{Search: "three workers, one server", workers: 3, servers: 1},
	{Search: "three workers, three servers", workers: 3, servers: 3},
	{Search: "all are killed and restarted", workers: 3, servers: 3, strike: (*preachdbRun).again, Published: "demonstrated"},
	{Search: "a worker and a server fail with all their data", workers: 3, servers: 3, strike: (*preachdbRun).lose, Published: "demonstrated"},
	{Search: "a worker is killed, with a spare one", workers: 3, servers: 3, spares: 1, strike: (*preachdbRun).killWorker,
		Published: "demonstrated"},
}

// preachdb makes the table.
func (e *evaluator) preachdb(ctx context.Context, f *tablesFlags, depth int, rows []preachdbRow) error {
	if depth < 1 {
		return fmt.Errorf("--depth is %d, must be at least 1", depth)
	}
	page := outfile.Section{File: f.markdown, Name: "preachdb"}
	if f.markdown != "" {
		if err := page.Check(); err != nil {
			return fmt.Errorf("--markdown: %w", err)
		}
	}
	temp, err := scratch.New("")
	if err != nil {
		return err
	}
	defer temp.Remove()
	rows = slices.Clone(rows)
	status := exitcode.OK
	for i := range rows {
		r := &rows[i]
		limited, cancel := context.WithTimeout(ctx, f.time)
		err := e.preachdbRow(limited, r, temp.Path, i, depth, rows[0].States/8)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.Why = err.Error()
		}
		if r.Exact = err == nil && r.States == rows[0].States && r.Transitions == rows[0].Transitions; !r.Exact {
			status = exitcode.Violation
		}
		fmt.Fprintf(e.Stderr, "%d of %d  %s: %s\n", i+1, len(rows), r.Search, r.outcome())
	}
	machine := fmt.Sprintf("%s on %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	switch {
	case f.json:
		err = task.WriteJSON(e.Stdout, map[string]any{"machine": machine, "depth": depth, "rows": rows})
	case f.markdown != "":
		err = page.Write(preachdbMarkdown(rows, depth, machine))
	default:
		_, err = fmt.Fprint(e.Stdout, preachdbMarkdown(rows, depth, machine))
	}
	if err == nil && status != exitcode.OK {
		err = task.Exit(status)
	}
	return err
}

// outcome returns the result of a row as text.
func (r *preachdbRow) outcome() string {
	text := fmt.Sprintf("%s states, %s transitions", textfmt.Number(r.States), textfmt.Number(r.Transitions))
	switch {
	case r.Why != "":
		return "FAILED: " + r.Why
	case !r.Exact:
		return "NOT EXACT: " + text
	}
	return text
}

// cost returns the cost of the processes with a role, or an empty string if none completed.
func (r *preachdbRow) cost(role string) string {
	for _, u := range r.Processes {
		if u.Role == role {
			return strings.TrimSpace(fmt.Sprintf("%d: %.1f s, %d MB %s", u.Processes, u.CPU, u.MB, u.killed()))
		}
	}
	return ""
}

func preachdbMarkdown(rows []preachdbRow, depth int, machine string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n`go run ./evaluation tables preachdb --markdown`"+
		` writes this part, on one machine (%s): Paxos with three proposers to depth %d, by bfs and fingerprints of 128 bits. For searching processes,
workers and servers it shows their number, total CPU time, and the maximum memory of one process, without killed processes, for which these are unknown.

| search | result | seconds | searching process | workers | servers | PReachDB |
|---|---|--:|--:|--:|--:|---|
`, machine, depth)
	for i := range rows {
		r := &rows[i]
		row(&b, r.Search, r.outcome(), fmt.Sprintf("%.1f", r.Seconds), r.cost(searching), r.cost(working), r.cost(serving),
			cmp.Or(r.Published, "not at hand"))
	}
	b.WriteString("\nLimits of the comparison: PReachDB searches models in Murphi, with Erlang and Mnesia. Only the figures " +
		"above are known.\n")
	return b.String()
}
