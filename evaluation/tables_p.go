package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/textfmt"
)

func (e *evaluator) pCommand() *cobra.Command {
	return e.tableCommand(pTable(pSettings), &cobra.Command{
		Use:   "p",
		Short: "Protocols of the paper on P, with and without abstractions",
		Long: `Visits all states of the bundled protocols of "Building Reliable Distributed Systems With
P" (UCB/EECS-2015-198), unchanged and with an abstraction in place of a part of them,
without reduction and with --reduce full. A search has 2 MB of memory with the
abstraction, and ten times as much without it. Each search has one worker and a separate
process. All of it takes about half a minute.

It prints a table in Markdown, with lines and known bugs beside those of the paper, states,
transitions, seconds and memory. --markdown replaces the part of a page between the lines
<!-- p --> and <!-- end of p -->.

All must hold. Other verdicts are marked, and the exit status is 1. It is 3 if a search
with an abstraction did not complete; searches without one are not expected to. When
interrupted, it prints the results so far.`,
		Example: `  go run ./evaluation tables p
  go run ./evaluation tables p --time 10s --json
  go run ./evaluation tables p --markdown`,
	})
}

// pSetting is a protocol of the paper on P. One without lines has only a row for its states.
type pSetting struct {
	name, system  string
	concrete, abs []string // flags of its searches
	property      string   // checked alone with reduction, which does not preserve fair runs; may be empty
	lines         int      // of ours, without tests, comments and blanks
	bugs          int      // number of bundled bugs
	// Figures of the paper: lines of implementation, specification, abstraction and drivers; bugs that took more than a
	// minute, by kind; and the time in which all states were visited, with abstractions. Empty if not in the paper.
	published, found, took string
}

var pSettings = []pSetting{
	{
		name: "Network layer", system: "channel", concrete: []string{"--set", "part=implementation"},
		abs: []string{"--set", "part=abstraction"}, property: "all is sent",
		lines: 214, bugs: 4, published: "75 + 25 + 30 + 21", found: "2 unhandled, 1 safety", took: "0 h 22, 3 nodes",
	},
	{
		name: "Leader election", system: "election", concrete: []string{"--set", "part=implementation"},
		abs:   []string{"--set", "part=abstraction"},
		lines: 261, bugs: 5, published: "89 + 10 + 45 + 24", found: "9 unhandled", took: "0 h 43, 5 nodes",
	},
	{
		name: "Basic Paxos", system: "basicpaxos", concrete: []string{"--set", "part=implementation"},
		abs: []string{"--set", "part=abstraction"}, property: "all are told",
		lines: 372, bugs: 6, published: "168 + 95 + 20 + 19", found: "6 unhandled, 6 safety", took: "3 h 48, 7 nodes",
	},
	{
		name: "Multi-Paxos", system: "multipaxos", concrete: []string{"--set", "smr=paxos"}, abs: []string{"--set", "smr=single"},
		property: "every client comes to an end",
		lines:    503, bugs: 7, published: "410 + 160 + 140 + 120", found: "10 unhandled, 22 safety, 3 liveness", took: "10 h 39, 7 nodes",
	},
	{
		name: "Chain replication", system: "chain", concrete: []string{"--set", "smr=chain"}, abs: []string{"--set", "smr=single"},
		property: "every client comes to an end",
		lines:    398, bugs: 8, published: "360 + 220 + 90 + 130", found: "26 unhandled, 10 safety, 7 liveness", took: "4 h 02, 7 nodes",
	},
	{
		name: "Dispatcher", system: "hashtable", concrete: []string{"--set", "smr=spread"}, abs: []string{"--set", "smr=single"},
		property: "every client comes to an end",
		lines:    293, bugs: 6, published: "138 + 65 + 48 + 37", found: "10 unhandled, 8 safety, 1 liveness", took: "0 h 20, 3 nodes",
	},
	{
		name: "Hash table over replicas", system: "hashtable", concrete: []string{"--set", "member=chain"},
		abs:      []string{"--set", "member=single"},
		property: "every client comes to an end",
	},
	{
		name: "Two-phase commit over chains", system: "ftcommit", concrete: []string{"--set", "smr=chain"},
		abs: []string{"--set", "smr=single"}, property: "atomicity",
		lines: 267, bugs: 3, published: "230 + 90 + 88 + 30", found: "20 unhandled, 15 safety, 4 liveness", took: "5 h 03, 5 nodes",
	},
	{
		name: "Two-phase commit over Multi-Paxos", system: "ftcommit", concrete: []string{"--nodes", "12", "--set", "smr=paxos"},
		abs: []string{"--nodes", "12", "--set", "smr=single"}, property: "atomicity",
	},
}

// pShared is the number of lines of code that the protocols share.
const pShared = 469

// Figures of the paper for all its protocols together.
const (
	pLines = "1470 + 665 + 461 + 381"
	pFound = "83 unhandled, 62 safety, 15 liveness"
)

// pColumn is the only column.
const pColumn = "states"

// pTable returns the table for some settings.
func pTable(settings []pSetting) *paperTable {
	t := &paperTable{name: "p", columns: []tableColumn{{pColumn, nil}}}
	for _, s := range settings {
		for _, how := range []struct {
			variant string
			flags   []string
		}{{"none", []string{"--reduce", "none"}}, {"full", []string{"--reduce", "full", "--property", s.property}}} {
			if how.variant == "full" && s.property == "" {
				continue
			}
			t.rows = append(t.rows,
				&tableRow{Setting: s.name, System: s.system, Variant: how.variant + ", with abstraction",
					Flags: slices.Concat(s.abs, how.flags, []string{"--memory", "2"}), Expected: holds, Published: s.took},
				&tableRow{Setting: s.name, System: s.system, Variant: how.variant + ", without",
					Flags: slices.Concat(s.concrete, how.flags, []string{"--memory", "20"}), Expected: holds, Bounded: true})
		}
	}
	t.markdown = func(rows []*tableRow, machine string) string { return pMarkdown(settings, rows, machine) }
	return t
}

// pMarkdown returns the table with its explanation.
func pMarkdown(settings []pSetting, rows []*tableRow, machine string) string {
	var b bytes.Buffer
	b.WriteString("\n| protocol | lines of P: implementation, specification, abstraction, drivers | lines here " +
		"| bugs found in the P version | bundled here |\n|---|--:|--:|---|--:|\n")
	lines, bugs := 0, 0
	for _, s := range settings {
		if s.lines == 0 {
			continue
		}
		lines, bugs = lines+s.lines, bugs+s.bugs
		row(&b, s.name, s.published, fmt.Sprint(s.lines), s.found, fmt.Sprint(s.bugs))
	}
	if len(settings) == len(pSettings) {
		row(&b, "All of them", pLines, fmt.Sprint(lines), pFound, fmt.Sprint(bugs))
	}
	fmt.Fprintf(&b, "\n`go run ./evaluation tables p --markdown`"+
		` writes this part, by bfs with one worker, %s: stored states, and the CPU seconds of the whole process,
including the comparison of the abstraction with the implementation. A search has 2 MB of memory for states and tables with the abstraction, and 20 MB without it.
With reduction, which does not preserve fair runs, one property that does not need them is checked. Memory is that of the set of states. States compared are those of the abstraction and of
the implementation, in the same search.

| protocol | `+"`--reduce`"+` | P, with abstractions | verdict | states | transitions | memory | states compared |
|---|---|---|---|--:|--:|--:|--:|
`, machine)
	for _, r := range rows {
		transitions, memory, compared := "", "", ""
		for _, c := range r.Cells {
			transitions, memory = textfmt.Number(c.Transitions), fmt.Sprintf("%s kB", textfmt.Number((c.Bytes+999)/1000))
			if c.Compared > 0 {
				compared = textfmt.Number(c.Compared)
			}
		}
		row(&b, r.Setting, r.Variant, r.Published, r.verdict(), r.cell(pColumn), transitions, memory, compared)
	}
	fmt.Fprintf(&b, `
Limits of the comparison: the paper's drivers are unknown, its searches had 24 threads and 160 GB, and without abstractions none of them completed within
24 hours. Lines here are those of the packages without tests, comments and blanks, including the description of the bundled system and its bugs; %d more are in the shared
packages smr and group.
`, pShared)
	return b.String()
}
