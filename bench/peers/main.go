//go:build unix

// Command peers compares model checkers on single-decree Paxos: SPIN and rumur check a model, macemc
// checks the services of systems/paxos. All three explore the same states and transitions; other counts
// than those of the first run are an error. It prints a table in Markdown, or writes it into a page.
//
// Spin, rumur and gcc must be installed, in Debian by
//
//	apt-get install spin rumur gcc
//
// Runs of different checkers alternate, so that a change of the machine's speed hits all. With three
// proposers there are 47 million states, for which SPIN needs 5 GB of memory and rumur 2 GB. From the
// root of the repository:
//
//	go run ./bench/peers -proposers 3 -workers 1,2 -runs 3,rumur=1 -write docs/performance.md
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/task"
)

// ownCommand is how macemc is run; {proposers}, {workers} and {visited} are replaced.
const ownCommand = "bin/macemc search paxos --set proposers={proposers} --property agreement" +
	" --strategy bfs --reduce none --visited {visited} --workers {workers} --time 1h --json"

// section of a page is where the table stands.
const section = "bench-peers"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	proposers := flag.String("proposers", "2", "numbers of proposers, each 2 or 3, separated by commas")
	workers := flag.String("workers", "1", "numbers of workers, each 1 or more, separated by commas")
	runs := flag.String("runs", "1", "runs of each checker, of which the table shows medians; checkers may have their own, as in 3,rumur=1")
	visited := flag.String("visited", "64", "how macemc keeps visited states, of exact, 64 and 128, separated by commas")
	only := flag.String("only", "", "checkers to run, of macemc, spin and rumur, separated by commas; empty: all")
	page := flag.String("write", "", "write the table into this page, between its lines <!-- "+section+" --> and <!-- end of "+section+" -->")
	command := flag.String("macemc", ownCommand, "command that runs macemc")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
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
	var all []checker
	for kind := range strings.SplitSeq(*visited, ",") {
		if !slices.Contains([]string{"exact", "64", "128"}, kind) {
			return fmt.Errorf("-visited: %q is none of exact, 64, 128", kind)
		}
		all = append(all, own{*command, kind})
	}
	checkers, err := choose(append(all, spin{}, rumur{}), *only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if *page != "" {
		if err := (task.Section{File: *page, Name: section}).Check(); err != nil { // better now than after an hour
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
	text := machine(checkers) + "\n\n" + table(rows)
	if *page != "" {
		return task.Section{File: *page, Name: section}.Write(text)
	}
	fmt.Print(text)
	return nil
}

// repetitions parses how often each checker runs: the number for those that are not named is that for "".
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

// choose returns the checkers whose names are listed; all if the list is empty.
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
