package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
)

// Verdicts.
const (
	holds    = "holds"
	violated = "violated"
)

// paperSetting is a setting of a paper.
type paperSetting struct {
	name   string
	system string
	flags  []string // of its search
	// expected is the verdict, holds or violated.
	expected string
	// Figures of the paper, with single messages and with quorums; empty if unknown.
	single, quorums string
}

// mpbasset are the settings of Bokor, Kinder, Serafini, Suri, "Efficient Model Checking of Fault-Tolerant Distributed Protocols"
// (DSN-DCCS 2011).
var mpbasset = []paperSetting{
	{
		name: "Paxos (2,3,1)", system: "synod", expected: holds,
		single:  "6,247,530 in 23 h",
		quorums: "2,822,764 in 9 h 37 min; combined split: 548,061 in 3 h 30 min",
	},
	{name: "Faulty Paxos (2,3,1)", system: "synod", flags: []string{"--bug", "SY1"}, expected: violated},
	{name: "Echo Multicast (3,0,1,1)", system: "echo", flags: []string{"--set", "initiators=0"}, expected: holds},
	{name: "Echo Multicast (2,1,0,1)", system: "echo", flags: []string{"--set", "receivers=2", "--set", "byzantine-receivers=0"},
		expected: holds},
	{name: "Echo Multicast (3,1,1,1)", system: "echo", expected: holds},
	{name: "Echo Multicast (2,1,2,1), wrong agreement", system: "echo",
		flags: []string{"--set", "receivers=2", "--set", "byzantine-receivers=2"}, expected: violated},
	{name: "Regular Storage (3,1)", system: "register", expected: holds},
	{name: "Regular Storage (3,2)", system: "register", flags: []string{"--set", "readers=2", "--set", "writes=1", "--set", "reads=1"},
		expected: holds},
	{
		name: "Regular Storage (3,2), wrong regularity", system: "register",
		flags: []string{"--set", "readers=2", "--set", "writes=1", "--set", "reads=1", "--set", "spec=wrong"}, expected: violated,
	},
}

// mpbassetColumns are the searches of a row.
var mpbassetColumns = []tableColumn{
	{"none", []string{"--reduce", "none"}},
	{"drop", []string{"--reduce", "drop"}},
	{"full", []string{"--reduce", "full"}},
	{"symmetry", []string{"--reduce", "full", "--symmetry"}},
}

// mpbassetTable returns the table for some settings.
func mpbassetTable(settings []paperSetting) *paperTable {
	return &paperTable{name: "mpbasset", columns: mpbassetColumns, rows: tableRows(settings), markdown: mpbassetMarkdown}
}

// tableRow is a setting, searched in one way.
type tableRow struct {
	Setting   string   `json:"setting"`
	System    string   `json:"system"`
	Flags     []string `json:"flags"`
	Variant   string   `json:"variant"`
	Quorums   bool     `json:"quorums"`
	Expected  string   `json:"expected"`
	Published string   `json:"published,omitempty"`
	// Bounded means that the row shows searches that are not expected to complete.
	Bounded bool        `json:"bounded,omitempty"`
	Cells   []tableCell `json:"cells"`
}

// tableCell is the result of a search.
type tableCell struct {
	Column   string  `json:"column"`
	States   int     `json:"states"`
	Seconds  float64 `json:"seconds"`
	CPU      float64 `json:"cpu_seconds"` // of the process
	Complete bool    `json:"complete"`
	Verdict  string  `json:"verdict"` // holds or violated; empty if undecided
	Stopped  string  `json:"stopped"`
	Why      string  `json:"why,omitempty"` // reason for less reduction than requested

	Transitions int `json:"transitions"`
	Bytes       int `json:"bytes"`              // of the set of states
	Compared    int `json:"compared,omitempty"` // states of abstractions and their implementations
}

// cell returns the text of a column's cell, or an empty string.
func (r *tableRow) cell(column string) string {
	if i := slices.IndexFunc(r.Cells, func(c tableCell) bool { return c.Column == column }); i >= 0 {
		return r.Cells[i].String()
	}
	return ""
}

// verdict returns the verdict of all searches, if they agree with the expected one.
func (r *tableRow) verdict() string {
	for _, c := range r.Cells {
		switch c.Verdict {
		case "":
			if r.Bounded {
				return "does not complete"
			}
			return "NOT FOUND OUT (" + c.Column + ")"
		case r.Expected:
		default:
			return "UNEXPECTED: " + c.Verdict + " (" + c.Column + ")"
		}
	}
	return r.Expected
}

// tableStatus returns the exit status for the results, or nil if they are as expected.
func tableStatus(rows []*tableRow) error {
	status := exitcode.OK
	for _, r := range rows {
		for _, c := range r.Cells {
			switch {
			case c.Verdict == "" && r.Bounded:
			case c.Verdict == "" && status == exitcode.OK:
				status = exitcode.Inconclusive
			case c.Verdict != "" && c.Verdict != r.Expected:
				status = exitcode.Violation
			}
		}
	}
	if status == exitcode.OK {
		return nil
	}
	return task.Exit(status)
}

// String returns the text of the cell.
func (c tableCell) String() string {
	s := fmt.Sprintf("%s in %s s", textfmt.Number(c.States), secondsText(c.CPU))
	if c.Verdict == "" {
		s = "stopped (" + c.Stopped + ") at " + s
	}
	if c.Why != "" {
		s += ", " + c.Why
	}
	return s
}

// mpbassetMarkdown returns the table with its explanation.
func mpbassetMarkdown(rows []*tableRow, machine string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n`go run ./evaluation tables mpbasset --markdown`"+
		` writes this part, by bfs with one worker, %s: stored states, and the CPU seconds of the
whole process. If the verdict is "violated", a search ends at the first violation, and its states show its progress,
not their total number. Paxos (proposers, acceptors, learners), Echo Multicast (honest receivers, honest initiators, Byzantine receivers, Byzantine
initiators), Regular Storage (base objects, readers).

| setting | messages | verdict | MP-Basset | `+"`none` | `drop` | `full` | `full`, `--symmetry`"+` |
|---|---|---|--:|--:|--:|--:|--:|
`, machine)
	for _, r := range rows {
		cells := []string{r.Setting, r.Variant, r.verdict(), r.Published}
		for _, c := range mpbassetColumns {
			cells = append(cells, r.cell(c.name))
		}
		row(&b, cells...)
	}
	b.WriteString(`
Limits of the comparison: MP-Basset's states are those of a Java virtual machine, its times those of the paper's machine. The sources
of its models are not available, so the models here follow the paper. Counts compare in trend only. In MP-Basset transitions are annotated and split
by hand; here an event is a quorum with the set that it takes, so one row corresponds to each split.
Empty cells in the column of MP-Basset: the figures are unknown. The driver makes two writes and two reads for storage (3,1), and one write and one
read by each reader for (3,2).
`)
	return b.String()
}
