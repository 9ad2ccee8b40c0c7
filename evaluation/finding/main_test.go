package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// searchVar makes the test binary a compared program, which simulates a search with the given result.
const searchVar = "MACEMC_TEST_SEARCH"

func TestMain(m *testing.M) {
	if os.Getenv(searchVar) == "" {
		os.Exit(m.Run())
	}
	seed := os.Args[slices.Index(os.Args, "--seed")+1]
	switch {
	case slices.Contains(os.Args, "BT2"):
		fmt.Fprintln(os.Stderr, "no such bug")
		os.Exit(2)
	case slices.Contains(os.Args, "RT3"):
		fmt.Fprintln(os.Stderr, "it crashed")
		os.Exit(1)
	case slices.Contains(os.Args, "--quick"): // the new one: half of the events, and not found with seed 2
		verdict := "violation"
		if seed == "2" {
			verdict = "ok"
		}
		fmt.Printf(`{"verdict": %q, "schedule": "pos", "paths": 30, "events": 50}`, verdict)
	default:
		fmt.Printf(`{"verdict": "violation", "schedule": "", "paths": 30, "events": %s00}`, seed)
	}
	os.Exit(1)
}

// Two programs are compared by their reports, the second with its own flags.
func TestCompare(t *testing.T) {
	t.Setenv(searchVar, "yes")
	o := options{seeds: 3, time: time.Second, bugs: "RT13", programs: [2]string{os.Args[0], os.Args[0]}, flags: []string{"--quick"}}
	var b strings.Builder
	if err := o.compare(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	fields := strings.Fields(strings.ReplaceAll(lines[0], "/", " "))
	// Found with 3 of 3 seeds and 2 of 3; medians of events 200 and 50, of paths 30 and 30.
	for at, want := range map[int]string{0: "RT13", 1: "3", 2: "3", 6: "200", 7: "30", 8: "2", 9: "3", 13: "50", 14: "30",
		16: "0.25", 17: "1.00", 18: "pos", 19: "3"} {
		if at >= len(fields) || fields[at] != want {
			t.Errorf("word %d is not %s in %q", at, want, lines[0])
		}
	}
	if !strings.HasPrefix(lines[1], "geometric means of the ratios of 1 bugs:") || !strings.HasSuffix(lines[1], " events 0.250 paths 1.000") {
		t.Errorf("%q", lines[1])
	}
}

// A page has a row for each bug, with medians and 95th percentiles, and names the bugs that were skipped.
func TestPage(t *testing.T) {
	t.Setenv(searchVar, "yes")
	o := options{seeds: 3, time: time.Second, bugs: "RT13,BT2", markdown: true, programs: [2]string{os.Args[0], os.Args[0]},
		flags: []string{"--quick"}}
	var b strings.Builder
	if err := o.compare(&b); err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| RT13 \| 3 of 3 \| [0-9.]+ \| [0-9.]+ \| 200 \| 300 \| 2 of 3 \| [0-9.]+ \| [0-9.]+ \| 50 \| 50 \|$`)
	for _, want := range []string{"-markdown -seeds 3 -time 1s -bugs RT13,BT2 OLD NEW", "does not know them: BT2.",
		"\nold: the longest search took", "\nnew: the longest search took"} {
		if !strings.Contains(b.String(), want) || !row.MatchString(b.String()) {
			t.Errorf("no %q, or no row, in\n%s", want, b.String())
		}
	}
}

// The 95th percentile of 20 values is the 19th, and of fewer values the last. The worst bug is named.
func TestQuantile(t *testing.T) {
	var c column
	for i := range 20 {
		c = append(c, run{Events: 20 - i, cpu: float64(20 - i)})
	}
	if a, b, all := c.quantile(0.95, run.events), c[1:].quantile(0.95, run.events),
		c.quantile(1, run.events); a != 19 || b != 19 || all != 20 {
		t.Errorf("got %v, %v, %v; want 19, 19, 20", a, b, all)
	}
	var s spread
	s.add("RT1", c[19:])
	s.add("RT2", c)
	s.add("RT3", c[:1])
	if s.slow != "RT2" || s.uneven != "RT2" || s.longest != 20 || s.ratio != 19.0/11 {
		t.Errorf("got %+v, want RT2 slowest and most uneven, 20 longest, ratio 19/11", s)
	}
}

// A bug unknown to the first program is skipped and named. Other failures of a program are reported with its output.
func TestCompareFails(t *testing.T) {
	t.Setenv(searchVar, "yes")
	o := options{seeds: 1, time: time.Second, bugs: "BT1,BT2", programs: [2]string{os.Args[0], os.Args[0]}}
	var b strings.Builder
	if err := o.compare(&b); err != nil || !strings.Contains(b.String(), "BT2   skipped: "+os.Args[0]+" reports no report: no such bug") ||
		!strings.Contains(b.String(), "ratios of 1 bugs") {
		t.Errorf("%v, %s", err, b.String())
	}
	o.bugs = "RT3"
	if err := o.compare(new(strings.Builder)); err == nil || !strings.Contains(err.Error(), "RT3, seed 1: no report: it crashed") {
		t.Errorf("%v", err)
	}
}
