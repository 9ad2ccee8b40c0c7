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
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
)

func (e *evaluator) preachdbCommand() *cobra.Command {
	var f tablesFlags
	var depth int
	cmd := &cobra.Command{
		Use:   "preachdb",
		Short: "Searches that are kept, and searches by several processes that are killed",
		Long: `Visits the states of Paxos with three proposers up to a depth: by one process, without
keeping them and with --durable, and by three workers, with one server and with three. Then
come the demonstrations of Ishida, "Fault Tolerance for Distributed Explicit-State Model
Checking" (2014), which presents PReachDB, by three workers and three servers: all processes
are killed, and started again; one worker and one server are lost with all that they had; a
worker is killed while a spare one is there. All of it runs on this machine, at addresses of
127.0.0.1, and takes some minutes.

It prints a table in Markdown: seconds, and the CPU time and memory of processes by what they
do. --markdown writes it into a page, between the lines <!-- preachdb --> and <!-- end of
preachdb -->, and nothing else of the page.

All must come to the same states and transitions. A search that does not is shown as that,
and the exit status is 1.`,
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
	Published   string          `json:"published,omitempty"` // what the thesis has
	States      int             `json:"states"`
	Transitions int             `json:"transitions"`
	Seconds     float64         `json:"seconds"`
	Processes   []preachdbUsage `json:"processes"`
	Why         string          `json:"why,omitempty"` // it came to nothing
	Exact       bool            `json:"exact"`         // it came to what the first row did

	flags                    []string // of the search
	workers, servers, spares int
	strike                   func(*preachdbRun) // when an eighth of all states are found; nil: nothing happens
}

// preachdbRows are the rows, the first of which says what all others are to come to.
var preachdbRows = []preachdbRow{
	{Search: "one process", flags: []string{"--reduce", "none", "--workers", "1", "--time", "0"}},
	{Search: "one process, --durable", flags: []string{"--workers", "1", "--durable", "kept"}, Published: "with a database, one twentieth of the speed"},
	{Search: "three workers, one server", workers: 3, servers: 1},
	{Search: "three workers, three servers", workers: 3, servers: 3},
	{Search: "all are killed, and started again", workers: 3, servers: 3, strike: (*preachdbRun).again, Published: "demonstrated"},
	{Search: "a worker and a server are lost with all that they had", workers: 3, servers: 3, strike: (*preachdbRun).lose, Published: "demonstrated"},
	{Search: "a worker is killed, a spare one is there", workers: 3, servers: 3, spares: 1, strike: (*preachdbRun).killWorker, Published: "demonstrated"},
}

// preachdb makes the table.
func (e *evaluator) preachdb(ctx context.Context, f *tablesFlags, depth int, rows []preachdbRow) error {
	if depth < 1 {
		return fmt.Errorf("--depth is %d, must be at least 1", depth)
	}
	page := task.Section{File: f.markdown, Name: "preachdb"}
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

// outcome says what a row came to.
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

// cost says what processes that do one thing took; "": there was none that came to its end.
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
	fmt.Fprintf(&b, "\n`go run ./evaluation tables preachdb --markdown`"+` writes this part, on one machine (%s): Paxos with three proposers to depth %d, by bfs and fingerprints of 128 bits. Of the processes that
search, of workers and of servers it has how many there were, the CPU time of all, and the most memory that one had, as far as they were not killed: what these took is not known.

| search | came to | seconds | that searches | workers | servers | PReachDB |
|---|---|--:|--:|--:|--:|---|
`, machine, depth)
	for i := range rows {
		r := &rows[i]
		row(&b, r.Search, r.outcome(), fmt.Sprintf("%.1f", r.Seconds), r.cost(searching), r.cost(working), r.cost(serving), cmp.Or(r.Published, "not at hand"))
	}
	b.WriteString("\nWhat does not compare: PReachDB searches models in Murphi, by Erlang and Mnesia. Of its figures only those above are known to us.\n")
	return b.String()
}
