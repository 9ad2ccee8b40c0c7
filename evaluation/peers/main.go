//go:build unix

// Command peers compares model checkers on single-decree Paxos. SPIN and rumur check a model; macemc checks the
// services of systems/paxos. It prints a table in Markdown, or writes it into a page. There are two comparisons. In the
// comparison of states all three explore the same states and transitions; a count that differs from the first run is an
// error. In the comparison of verdicts SPIN and macemc apply their reductions.
//
// Spin, rumur and gcc must be installed, in Debian by
//
//	apt-get install spin rumur gcc
//
// Runs of different checkers alternate, so that a change of the machine's speed affects all. With three proposers there
// are 47 million states, for which SPIN needs 5 GB of memory and rumur 2 GB. From the root of the repository:
//
//	go run ./evaluation/peers -proposers 3 -workers 1,2 -runs 3,rumur=1 -write evaluation/performance.md
//	go run ./evaluation/peers -compare verdicts -proposers 3 -visited exact -runs 5,spin=1 -write evaluation/performance.md
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/outfile"
)

// ownCommand is the command line of macemc; {proposers}, {workers}, {visited} and {reduction} are replaced.
const ownCommand = "bin/macemc search paxos --set proposers={proposers} --property agreement" +
	" --strategy bfs {reduction} --visited {visited} --workers {workers} --time 1h --json"

// comparison is a table of rows, the section of a page that contains it, and its checkers.
type comparison struct {
	section  string
	table    func([]row) string
	same     bool  // all must have the same counts
	own      []own // one for each state store; the command is added
	checkers []checker
}

// base is the checker with which verdicts of others are compared.
var base = spin{reduced: true}

// comparisons maps the values of -compare.
var comparisons = map[string]comparison{
	"states": {"bench-peers", table, true, []own{{}}, []checker{spin{}, rumur{}}},
	"verdicts": {"bench-verdicts", verdicts, false,
		[]own{{reduction: "full"}, {reduction: "full", symmetry: true}}, []checker{base}},
}

// all returns the checkers of a comparison.
func (c comparison) all(command string, visited []string) []checker {
	var all []checker
	for _, kind := range visited {
		for _, o := range c.own {
			o.command, o.visited = command, kind
			all = append(all, o)
		}
	}
	return append(all, c.checkers...)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	what := flag.String("compare", "states", "comparison: states, which all visit, or verdicts, with the reductions of each")
	proposers := flag.String("proposers", "2", "numbers of proposers, each 2 or 3, separated by commas")
	workers := flag.String("workers", "1", "numbers of workers, each 1 or more, separated by commas")
	runs := flag.String("runs", "1", "runs of each checker, for medians; also for single checkers, as in 3,rumur=1")
	visited := flag.String("visited", "64", "state stores of macemc: exact, 64 and 128, separated by commas")
	only := flag.String("only", "", "checkers to run: macemc, spin and rumur, separated by commas (default all)")
	page := flag.String("write", "", "write the table into this page, between its lines <!-- bench-peers --> and <!-- end of "+
		"bench-peers -->; that of verdicts: bench-verdicts")
	command := flag.String("macemc", ownCommand, "command that runs macemc")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	comparison, ok := comparisons[*what]
	if !ok {
		return fmt.Errorf("-compare: %q is neither states nor verdicts", *what)
	}
	sizes, err := numbers(*proposers, 2, 3)
	if err != nil {
		return fmt.Errorf("-proposers: %w", err)
	}
	threads, err := numbers(*workers, 1, 64)
	if err != nil {
		return fmt.Errorf("-workers: %w", err)
	}
	times, err := repetitions(*runs)
	if err != nil {
		return fmt.Errorf("-runs: %w", err)
	}
	kinds := strings.Split(*visited, ",")
	for _, kind := range kinds {
		if !slices.Contains([]string{"exact", "64", "128"}, kind) {
			return fmt.Errorf("-visited: %q is none of exact, 64, 128", kind)
		}
	}
	checkers, err := choose(comparison.all(*command, kinds), *only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	section := outfile.Section{File: *page, Name: comparison.section}
	if *page != "" {
		if err := section.Check(); err != nil { // rather than after an hour
			return err
		}
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rows, err := compare(dir, checkers, sizes, threads, times)
	if err != nil {
		return err
	}
	if comparison.same {
		if err := agree(rows); err != nil {
			return err
		}
	}
	text := machine(checkers) + "\n\n" + comparison.table(rows)
	if *page != "" {
		return section.Write(text)
	}
	fmt.Print(text)
	return nil
}

// repetitions parses the numbers of runs of the checkers. The number of unnamed checkers has an empty name.
func repetitions(list string) (map[string]int, error) {
	times := map[string]int{"": 1}
	for field := range strings.SplitSeq(list, ",") {
		name, number, named := strings.Cut(field, "=")
		if !named {
			name, number = "", field
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number from 1", number)
		}
		times[name] = n
	}
	return times, nil
}

// numbers parses a list of numbers from low to high.
func numbers(list string, low, high int) ([]int, error) {
	var all []int
	for field := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < low || n > high {
			return nil, fmt.Errorf("%q is not a number from %d to %d", field, low, high)
		}
		all = append(all, n)
	}
	return all, nil
}

// choose returns the listed checkers, or all if the list is empty.
func choose(all []checker, list string) ([]checker, error) {
	if list == "" {
		return all, nil
	}
	var chosen []checker
	for name := range strings.SplitSeq(list, ",") {
		n := len(chosen)
		for _, c := range all {
			if c.name() == name {
				chosen = append(chosen, c)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("no checker %q", name)
		}
	}
	return chosen, nil
}
