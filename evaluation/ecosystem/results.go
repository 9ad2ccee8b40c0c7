package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// result is what macemc test reports about a test, with its subtests.
type result struct {
	passed    bool
	failed    bool
	schedules int    // explored without a finding
	sampled   bool   // there may be more of them
	found     int    // number of the schedule that found something, or 0
	finding   string // its kind
	reason    string // why it was not explored, or ""
	output    string
}

// event is one of those that go test -json prints.
type event struct{ Action, Package, Test, Output string }

var (
	schedulesLine = regexp.MustCompile(`macemc: (?:\S+: )?(\d+) schedules?(?: \(|, )`)
	completeLine  = regexp.MustCompile(`macemc: (?:\S+: )?complete[^:]*: (.*?) \(\d+/s\)`)
	byLine        = regexp.MustCompile(`(?:by|all) (\d+) schedules?`)
	foundLine     = regexp.MustCompile(`found by schedule (\d+)`)
	findingLine   = regexp.MustCompile(`macemc: (?:\S+: )?([A-Z][A-Z ]+):`)
	reasonLine    = regexp.MustCompile(`(?m)^macemc: (\S+) (\S+): (not explored: .*)$`)
)

// parse reads the events of go test -json. It returns the results by folder and test, and what is part of no test.
func parse(r io.Reader) (found map[string]*result, rest string, err error) {
	found = map[string]*result{}
	for d := json.NewDecoder(r); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			return found, rest, nil
		} else if err != nil {
			return nil, "", fmt.Errorf("the output is not that of go test -json: %w", err)
		}
		if e.Test == "" {
			rest += e.Output
			continue
		}
		name := key(e.Package, e.Test)
		if found[name] == nil {
			found[name] = &result{}
		}
		found[name].add(e, strings.Contains(e.Test, "/"))
	}
}

// add adds an event of a test, or of one of its subtests.
func (r *result) add(e event, sub bool) {
	switch e.Action {
	case "pass":
		r.passed = r.passed || !sub
	case "fail":
		r.failed = true
	case "skip":
		r.reason = "skipped"
	}
	r.output += e.Output
	if m := schedulesLine.FindStringSubmatch(e.Output); m != nil {
		r.schedules += number(m[1])
		r.sampled = true
	} else if m := completeLine.FindStringSubmatch(e.Output); m != nil {
		n := 1
		if by := byLine.FindStringSubmatch(m[1]); by != nil {
			n = number(by[1])
		}
		r.schedules += n
		r.sampled = r.sampled || strings.Contains(m[1], "with at most")
	}
	if m := foundLine.FindStringSubmatch(e.Output); m != nil && r.found == 0 {
		r.found = number(m[1])
	}
	if m := findingLine.FindStringSubmatch(e.Output); m != nil && r.finding == "" {
		r.finding = strings.ToLower(m[1])
	}
}

// reasons adds why tests were not explored. The program prints that at the end.
func reasons(notes string, found map[string]*result) {
	for _, m := range reasonLine.FindAllStringSubmatch(notes, -1) {
		if r := found[key(m[1], m[2])]; r != nil {
			r.reason = m[3]
		}
	}
}

// key returns the folder of a package and the test function of a test or subtest.
func key(path, test string) string {
	top, _, _ := strings.Cut(test, "/")
	return strings.TrimPrefix(path, module+"/") + " " + top
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // the text is one of digits
	}
	return n
}
