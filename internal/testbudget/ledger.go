package testbudget

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Ledger records what the tests of a plan have used. Several processes append to its file.
type Ledger struct {
	plan     Plan
	file     string
	read     int64         // length of the part of the file that was read
	spent    time.Duration // by tests that have ended
	granted  map[int]time.Duration
	ended    map[int]int // number of executions
	all      int         // number of executions that have ended
	spenders int         // number of these that used most of their time
	now      int         // test of this process in progress
}

// Limits of a share.
const (
	ByTotal   = "-explore-total"
	ByTimeout = "-timeout"
	// least is the time of a test for which nothing is left. It suffices for the few schedules of a test without concurrency.
	least = 10 * time.Millisecond
)

// Share is the exploration time of a test.
type Share struct {
	Time time.Duration // 0 means no limit
	Full time.Duration // what it would be if nothing else limited it
	By   string        // what limits it; empty if Time is Full
}

// Open opens the plan in a folder. The result is nil if there is none.
func Open(dir string) *Ledger {
	text, err := os.ReadFile(planFile(dir))
	l := &Ledger{file: filepath.Join(dir, "ledger"), granted: map[int]time.Duration{}, ended: map[int]int{}, now: -1}
	if err != nil || json.Unmarshal(text, &l.plan) != nil {
		return nil
	}
	return l
}

// Begin returns the share of a test that begins. left is the time until its package must end; 0 means no limit.
func (l *Ledger) Begin(pkg, name string, left time.Duration) Share {
	l.now = slices.IndexFunc(l.plan.Tests, func(t Test) bool { return t.Package == pkg && t.Name == name })
	if l.now < 0 {
		l.now = len(l.plan.Tests)
		l.plan.Tests = append(l.plan.Tests, Test{Package: pkg, Name: name, Weight: 1, Need: l.plan.Each})
	}
	return l.Divide(1, left)
}

// Divide returns the share of each part of the test in progress, which is explored as several tests.
func (l *Ledger) Divide(parts int, left time.Duration) Share {
	l.update()
	delete(l.granted, l.now)
	s := l.share(time.Duration(parts), left)
	l.granted[l.now] = s.Time * time.Duration(parts)
	l.append("begin", l.granted[l.now])
	return s
}

// End records what the test in progress has used.
func (l *Ledger) End(used time.Duration) { l.append("end", used) }

// share computes the share of each of some parts of the test in progress.
func (l *Ledger) share(parts, left time.Duration) Share {
	s := Share{Time: l.plan.Each, Full: l.plan.Each}
	limit := func(left time.Duration, tests []Test, by string) {
		weight := l.plan.Tests[l.now].Weight
		perWeight, enough := fill(left, append(tests, Test{Weight: weight, Need: s.Full * parts}))
		part := max(least, time.Duration(perWeight*weight)/parts)
		if !enough && (s.Time == 0 || part < s.Time) {
			s.Time, s.By = part, by
		}
	}
	if l.plan.Total > 0 {
		tests, rest := l.rivals()
		if s.Full == 0 {
			s.Full = rest // one test may use all
		}
		limit(rest, tests, ByTotal)
	}
	if left > 0 && l.plan.Each > 0 {
		limit(left, l.others(func(t Test) bool { return t.Package == l.plan.Tests[l.now].Package }), ByTimeout)
	}
	return s
}

// rivals returns the other tests of the rank of the test in progress that have not begun, and what those with a lower rank leave to them.
func (l *Ledger) rivals() (tests []Test, rest time.Duration) {
	rest = l.plan.Total - l.spent
	for _, t := range l.granted {
		rest -= t
	}
	rank := l.plan.Tests[l.now].Rank
	for _, t := range l.others(func(t Test) bool { return t.Rank < rank }) {
		rest -= t.Need
	}
	return l.others(func(t Test) bool { return t.Rank == rank }), rest
}

// others returns the tests with a property that have not begun. Of those about which nothing is known, some will need hardly any time, as
// did tests that have ended.
func (l *Ledger) others(which func(Test) bool) (tests []Test) {
	const prior = 10 // assumed number of tests that used all
	part := float64(l.spenders+prior) / float64(l.all+prior)
	for i, t := range l.plan.Tests {
		if _, running := l.granted[i]; i != l.now && !running && l.ended[i] == 0 && which(t) {
			if t.Guess {
				t.Weight *= part
				t.Need = time.Duration(part * float64(t.Need))
			}
			tests = append(tests, t)
		}
	}
	return tests
}

// append adds a line about the test in progress.
func (l *Ledger) append(what string, time time.Duration) {
	if f, err := os.OpenFile(l.file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
		fmt.Fprintf(f, "%s %d %d\n", what, l.now, time)
		f.Close()
	}
}

// update reads what was appended.
func (l *Ledger) update() {
	f, err := os.Open(l.file)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= l.read {
		return
	}
	text := make([]byte, info.Size()-l.read)
	n, _ := f.ReadAt(text, l.read)
	complete := strings.LastIndexByte(string(text[:n]), '\n') + 1
	l.read += int64(complete)
	for line := range strings.Lines(string(text[:complete])) {
		var what string
		var test int
		var time time.Duration
		if _, err := fmt.Sscan(line, &what, &test, (*int64)(&time)); err != nil {
			continue
		}
		if what == "begin" {
			l.granted[test] = time
			continue
		}
		if l.all++; time > l.granted[test]/2 {
			l.spenders++
		}
		delete(l.granted, test)
		l.ended[test]++
		l.spent += time
	}
}
