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
P" (UCB/EECS-2015-198), as they are and with the abstraction that stands for a part of
them, without reduction and with --reduce full. With the abstraction a search has 2 MB of
memory, without it ten times as much. Each search has one worker and a process of its own.
All of it takes about half a minute.

It prints a table in Markdown, with lines and known bugs beside those of the paper, states,
transitions, seconds and memory. --markdown writes it into a page, between the lines <!-- p --> and
<!-- end of p -->, and nothing else of the page.

All must hold. A search that tells otherwise is shown as that, and the exit status is 1. It
is 3 when a search with an abstraction did not come to an end; that one without does not
is what the table shows. Interrupted, it prints what it has.`,
		Example: `  go run ./evaluation tables p
  go run ./evaluation tables p --time 10s --json
  go run ./evaluation tables p --markdown`,
	})
}

// pSetting is a protocol of the paper on P. One without lines has a row for its states only.
type pSetting struct {
	name, system  string
	concrete, abs []string // flags of its searches
	property      string   // that is checked alone with reduction, which keeps no fair runs; "": there is none
	lines         int      // of ours, without tests, comments and blanks
	bugs          int      // that are bundled
	// What the paper has: lines of implementation, specification, abstraction and drivers; bugs that took more than a minute, by kind; and
	// the time in which all states were visited, with abstractions. "": not in the paper.
	published, found, took string
}

var pSettings = []pSetting{
	{
		name: "Network layer", system: "channel", concrete: []string{"--set", "part=implementation"}, abs: []string{"--set", "part=abstraction"}, property: "all is sent",
		lines: 211, bugs: 4, published: "75 + 25 + 30 + 21", found: "2 unhandled, 1 safety", took: "0 h 22, 3 nodes",
	},
	{
		name: "Leader election", system: "election", concrete: []string{"--set", "part=implementation"}, abs: []string{"--set", "part=abstraction"},
		lines: 259, bugs: 5, published: "89 + 10 + 45 + 24", found: "9 unhandled", took: "0 h 43, 5 nodes",
	},
	{
		name: "Basic Paxos", system: "basicpaxos", concrete: []string{"--set", "part=implementation"}, abs: []string{"--set", "part=abstraction"}, property: "all are told",
		lines: 369, bugs: 6, published: "168 + 95 + 20 + 19", found: "6 unhandled, 6 safety", took: "3 h 48, 7 nodes",
	},
	{
		name: "Multi-Paxos", system: "multipaxos", concrete: []string{"--set", "smr=paxos"}, abs: []string{"--set", "smr=single"}, property: "every client comes to an end",
		lines: 500, bugs: 7, published: "410 + 160 + 140 + 120", found: "10 unhandled, 22 safety, 3 liveness", took: "10 h 39, 7 nodes",
	},
	{
		name: "Chain replication", system: "chain", concrete: []string{"--set", "smr=chain"}, abs: []string{"--set", "smr=single"}, property: "every client comes to an end",
		lines: 394, bugs: 8, published: "360 + 220 + 90 + 130", found: "26 unhandled, 10 safety, 7 liveness", took: "4 h 02, 7 nodes",
	},
	{
		name: "Dispatcher", system: "hashtable", concrete: []string{"--set", "smr=spread"}, abs: []string{"--set", "smr=single"}, property: "every client comes to an end",
		lines: 291, bugs: 6, published: "138 + 65 + 48 + 37", found: "10 unhandled, 8 safety, 1 liveness", took: "0 h 20, 3 nodes",
	},
	{
		name: "Hash table over what is replicated", system: "hashtable", concrete: []string{"--set", "member=chain"}, abs: []string{"--set", "member=single"},
		property: "every client comes to an end",
	},
	{
		name: "Two-phase commit over chains", system: "ftcommit", concrete: []string{"--set", "smr=chain"}, abs: []string{"--set", "smr=single"}, property: "atomicity",
		lines: 263, bugs: 3, published: "230 + 90 + 88 + 30", found: "20 unhandled, 15 safety, 4 liveness", took: "5 h 03, 5 nodes",
	},
	{
		name: "Two-phase commit over Multi-Paxos", system: "ftcommit", concrete: []string{"--nodes", "12", "--set", "smr=paxos"}, abs: []string{"--nodes", "12", "--set", "smr=single"}, property: "atomicity",
	},
}

// pShared is how many lines there are of what the protocols share.
const pShared = 462

// What the paper has for all its protocols together.
const (
	pLines = "1470 + 665 + 461 + 381"
	pFound = "83 unhandled, 62 safety, 15 liveness"
)

// pColumn is the only column.
const pColumn = "states"

// pTable is the table of some settings.
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
				&tableRow{Setting: s.name, System: s.system, Variant: how.variant + ", with abstraction", Flags: slices.Concat(s.abs, how.flags, []string{"--memory", "2"}),
					Expected: holds, Published: s.took},
				&tableRow{Setting: s.name, System: s.system, Variant: how.variant + ", without", Flags: slices.Concat(s.concrete, how.flags, []string{"--memory", "20"}),
					Expected: holds, Bounded: true})
		}
	}
	t.markdown = func(rows []*tableRow, machine string) string { return pMarkdown(settings, rows, machine) }
	return t
}

// pMarkdown is the table with what is to be said of it.
func pMarkdown(settings []pSetting, rows []*tableRow, machine string) string {
	var b bytes.Buffer
	b.WriteString("\n| protocol | lines of P: implementation, specification, abstraction, drivers | lines here | bugs found in P's | bundled here |\n|---|--:|--:|---|--:|\n")
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
	fmt.Fprintf(&b, "\n`go run ./evaluation tables p --markdown`"+` writes this part, by bfs with one worker, %s: states that are kept, and the seconds of CPU time that the process
took, all of it, comparing the abstraction with what it stands for included. With the abstraction a search has 2 MB of memory for states and tables, without it 20 MB.
With reduction one property is checked that needs no fair runs, which reduction does not keep. Memory is that of the set of states; states compared are those of the abstraction and of
what it stands for, in the same search.

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
What does not compare: the drivers of the paper are not known, its searches had 24 threads and 160 GB, and without abstractions none of them came to an end within
24 hours. Lines here are those of the packages without tests, comments and blanks, with the description of the bundled system and its bugs; %d more are of what they
share, packages smr and group.
`, pShared)
	return b.String()
}
