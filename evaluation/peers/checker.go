//go:build unix

package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// checker is a model checker that can explore Paxos.
type checker interface {
	name() string
	// label returns the name of the checker in the table.
	label() string
	// version returns one line that identifies the measured program, or an error if the checker is not installed.
	version() (string, error)
	// prepare builds the required files in dir, which is empty, and returns the command to measure.
	prepare(dir string, proposers, workers int) (command, error)
	// counts parses the output of that command. The error reports a violation or missing output.
	counts(output string) (counts, error)
}

// command is a program with its arguments and its working directory.
type command struct {
	dir  string // empty means the current directory
	args []string
}

// counts holds the numbers of explored states and transitions.
type counts struct {
	states, transitions int
	// handlers is the number of executed handlers behind the transitions; 0 if the checker does not report it, or has
	// none.
	handlers int
}

//go:embed model/paxos.pml
var promela string

//go:embed model/paxos.m
var murphi string

// spin is SPIN, with its partial-order reduction or without.
type spin struct{ reduced bool }

func (spin) name() string { return "spin" }

func (s spin) label() string {
	if s.reduced {
		return "SPIN, its reduction"
	}
	return "SPIN"
}

func (spin) version() (string, error) { return firstLine("spin", "-V") }

func (s spin) prepare(dir string, proposers, workers int) (command, error) {
	if err := os.WriteFile(filepath.Join(dir, "paxos.pml"), []byte(promela), 0o644); err != nil {
		return command{}, err
	}
	if err := build(dir, "spin", "-a", fmt.Sprintf("-DPROPOSERS=%d", proposers), "paxos.pml"); err != nil {
		return command{}, err
	}
	slots, memory := "-w20", 1_000 // 2^20 slots for 10^5 states; megabytes for states
	if proposers == 3 {
		slots, memory = "-w27", 12_000
	}
	flags := []string{"-O3", "-DSAFETY", "-o", "pan", "pan.c"}
	if !s.reduced {
		flags = append(flags, "-DNOREDUCE")
	}
	// No run is longer than 13 steps for each proposer: its start, and four messages for each acceptor.
	run := command{dir, []string{"./pan", slots, "-m100"}}
	if workers > 1 {
		flags = append(flags, fmt.Sprintf("-DNCORE=%d", workers), fmt.Sprintf("-DMEMLIM=%d", memory))
		run.args = append(run.args, "-z5")
	}
	if err := printWhole(filepath.Join(dir, "pan.c")); err != nil {
		return command{}, err
	}
	return run, build(dir, "gcc", flags...)
}

// printWhole makes SPIN's program print all digits of its counts, which it stores as floating-point numbers and prints
// with eight digits.
func printWhole(file string) error {
	program, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	whole := bytes.ReplaceAll(program, []byte("%9.8g"), []byte("%.0f"))
	if bytes.Equal(whole, program) {
		return fmt.Errorf("%s does not print counts as expected", file)
	}
	return os.WriteFile(file, whole, 0o644)
}

// counts returns one transition less than SPIN prints: SPIN counts the initial state, too.
func (s spin) counts(output string) (counts, error) {
	if !strings.Contains(output, "errors: 0") || strings.Contains(output, "search depth too small") {
		return counts{}, errors.New("the search was not completed without errors")
	}
	if reduced := strings.Contains(output, "+ Partial Order Reduction"); reduced != s.reduced {
		return counts{}, fmt.Errorf("reduced: %v, which should be %v", reduced, s.reduced)
	}
	c, err := find(output, `(?m)^ *(\d+) states, stored`, `(?m)^ *(\d+) transitions`)
	c.transitions--
	return c, err
}

type rumur struct{}

func (rumur) name() string  { return "rumur" }
func (rumur) label() string { return "rumur" }

func (rumur) version() (string, error) { return firstLine("rumur", "--version") }

func (rumur) prepare(dir string, proposers, workers int) (command, error) {
	const size = "PROPOSERS: 2;"
	if strings.Count(murphi, size) != 1 {
		return command{}, fmt.Errorf("paxos.m does not say %q once", size)
	}
	model := strings.Replace(murphi, size, fmt.Sprintf("PROPOSERS: %d;", proposers), 1)
	if err := os.WriteFile(filepath.Join(dir, "paxos.m"), []byte(model), 0o644); err != nil {
		return command{}, err
	}
	capacity := 8 << 20 // bytes; a slot has 8
	if proposers == 3 {
		capacity = 1 << 30
	}
	if err := build(dir, "rumur", "--deadlock-detection", "off", "--symmetry-reduction", "off",
		"--threads", strconv.Itoa(workers), "--set-capacity", strconv.Itoa(capacity),
		"--output", "paxos.c", "paxos.m"); err != nil {
		return command{}, err
	}
	return command{dir, []string{"./paxos"}},
		build(dir, "gcc", "-std=c11", "-O3", "-march=native", "-mcx16", "-o", "paxos", "paxos.c", "-lpthread")
}

func (rumur) counts(output string) (counts, error) {
	if !strings.Contains(output, "No error found.") {
		return counts{}, errors.New("the search was not completed without errors")
	}
	return find(output, `(?m)^\t(\d+) states, `, `(?m)^\t\d+ states, (\d+) rules fired`)
}

// own is macemc, run by a command in which {proposers}, {workers}, {visited} and {reduction} are replaced.
type own struct {
	command, visited string
	reduction        string // empty means none
	symmetry         bool   // identifies states that differ only in names of nodes
}

func (own) name() string { return "macemc" }

func (o own) label() string {
	label := "macemc"
	if o.reduction != "" {
		label += ", `" + o.flags() + "`"
	}
	if o.visited == "exact" {
		return label + ", whole states"
	}
	return label + ", " + o.visited + "-bit fingerprints"
}

// flags returns the flags of the reduction.
func (o own) flags() string {
	flags := "--reduce " + cmp.Or(o.reduction, "none")
	if o.symmetry {
		flags += " --symmetry"
	}
	return flags
}

func (own) version() (string, error) { return "this repository", nil }

func (o own) prepare(_ string, proposers, workers int) (command, error) {
	r := strings.NewReplacer("{proposers}", strconv.Itoa(proposers), "{workers}", strconv.Itoa(workers),
		"{visited}", o.visited, "{reduction}", o.flags())
	return command{args: strings.Fields(r.Replace(o.command))}, nil
}

func (o own) counts(output string) (counts, error) {
	var report struct {
		Verdict                               string
		States, Transitions, Events, Handlers int
		Coverage                              struct {
			Complete bool
			Reduced  struct {
				Used         string
				Permutations int
			}
		}
	}
	if err := json.Unmarshal([]byte(output), &report); err != nil {
		return counts{}, err
	}
	if report.Verdict != "ok" || !report.Coverage.Complete {
		return counts{}, fmt.Errorf("verdict %q, complete: %v", report.Verdict, report.Coverage.Complete)
	}
	if r := report.Coverage.Reduced; cmp.Or(r.Used, "none") != cmp.Or(o.reduction, "none") || (r.Permutations > 0) != o.symmetry {
		return counts{}, fmt.Errorf("reduced by %q and %d permutations, which should be %s", r.Used, r.Permutations, o.flags())
	}
	if report.Transitions == 0 {
		report.Transitions = report.Events
	}
	return counts{report.States, report.Transitions, report.Handlers}, nil
}

// find extracts both counts by patterns with one group. The last match counts, because progress reports may precede it.
func find(output, states, transitions string) (counts, error) {
	var c counts
	for pattern, count := range map[string]*int{states: &c.states, transitions: &c.transitions} {
		all := regexp.MustCompile(pattern).FindAllStringSubmatch(output, -1)
		if len(all) == 0 {
			return counts{}, fmt.Errorf("the output does not match %q", pattern)
		}
		n, err := strconv.Atoi(all[len(all)-1][1])
		if err != nil {
			return counts{}, err
		}
		*count = n
	}
	return c, nil
}

// build runs a tool in dir.
func build(dir, tool string, args ...string) error {
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd, err, out)
	}
	return nil
}

func firstLine(tool string, args ...string) (string, error) {
	out, err := exec.Command(tool, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s is needed, in Debian by apt-get install %s: %w", tool, tool, err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), nil
}
