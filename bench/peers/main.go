//go:build unix

// Command peers compares model checkers on single-decree Paxos: SPIN and rumur check a model, macemc
// checks the services of systems/paxos. All three explore the same states and transitions; other counts
// than those of the first run are an error. It prints a table in Markdown.
//
// Spin, rumur and gcc must be installed, in Debian by
//
//	apt-get install spin rumur gcc
//
// Runs of different checkers alternate, so that a change of the machine's speed hits all. With three
// proposers there are 47 million states, for which SPIN needs 5 GB of memory and rumur 2 GB. From the
// root of the repository:
//
//	go run ./bench/peers -proposers 2,3 -workers 1,2 -runs 3
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ownCommand is how macemc is run; {proposers} and {workers} are replaced.
const ownCommand = "bin/macemc search paxos --set proposers={proposers} --property agreement" +
	" --strategy bfs --visited 64 --workers {workers} --time 1h --json"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	proposers := flag.String("proposers", "2", "numbers of proposers, each 2 or 3, separated by commas")
	workers := flag.String("workers", "1", "numbers of workers, each 1 or more, separated by commas")
	runs := flag.Int("runs", 1, "runs of each checker; the table shows medians")
	only := flag.String("only", "", "checkers to run, of macemc, spin and rumur, separated by commas; empty: all")
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
	if *runs < 1 {
		return fmt.Errorf("-runs is %d, must be at least 1", *runs)
	}
	checkers, err := choose([]checker{own{*command}, spin{}, rumur{}}, *only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rows, err := compare(dir, checkers, sizes, threads, *runs)
	if err != nil {
		return err
	}
	fmt.Println(machine(checkers))
	fmt.Println()
	fmt.Print(table(rows))
	return nil
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
		i := slices.IndexFunc(all, func(c checker) bool { return c.name() == name })
		if i < 0 {
			return nil, fmt.Errorf("no checker %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
