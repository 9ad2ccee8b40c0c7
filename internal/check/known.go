package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/identity"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// accepted is a known finding: that of a path file with a line "known REASON". It does not end a search.
type accepted struct {
	report.Known
	like   []identity.Identity // its own, and those of violations before they were shrunk to it
	others map[string]int      // violations with another identity that count as it, by their step
}

// Regressions is the folder, beside a test, for paths of regression tests.
const Regressions = "testdata/regress"

// KnownFiles returns the path files in [Regressions] of a package's folder that accept a finding of a test, or of a test that the package
// does not have.
func KnownFiles(dir, test string) (files []string, err error) {
	folder := filepath.Join(dir, filepath.FromSlash(Regressions))
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	has := testsIn(dir)
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".path" {
			continue
		}
		name := filepath.Join(folder, entry.Name())
		text, e := OpenSource(nil, name)
		if e != nil {
			err = errors.Join(err, e)
		} else if h := &text.file.Header; h.Known != "" && (h.Test == test || h.Test != "" && !has(h.Test)) {
			files = append(files, name)
		}
	}
	return files, err
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w*)\(`)

// testsIn returns whether a package has a test. Without the source of the tests, it has all.
func testsIn(dir string) (has func(test string) bool) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	functions := map[string]bool{}
	for _, file := range files {
		text, _ := infile.Read(file)
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			functions[string(m[1])] = true
		}
	}
	return func(test string) bool {
		function, _, _ := strings.Cut(test, "/")
		return len(functions) == 0 || functions[function]
	}
}

// accept executes the path files of known findings, in at most half of the time.
func (c *checker) accept(ctx context.Context) (list []*accepted, err error) {
	began := budget.Now()
	if c.Search.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = budget.WithDeadline(ctx, began+c.Search.Time/2)
		defer cancel()
	}
	for _, name := range c.Known {
		text, err := OpenSource(nil, name)
		if err != nil {
			return nil, err
		}
		h := &text.file.Header
		a := &accepted{others: map[string]int{}, Known: report.Known{File: name, Reason: h.Known, Kind: sim.FindingKind(h.Finding),
			Property: h.Property, Status: report.Unused}}
		if a.Why = c.unlike(h); a.Why == "" {
			c.tell("executing " + name)
			a.examine(ctx, c)
		}
		list = append(list, a)
	}
	if c.Search.Time > 0 {
		c.Search.Time = max(1, c.Search.Time-(budget.Now()-began))
	}
	return list, nil
}

// unlike returns why the finding of a path file cannot be a finding of this search. An empty string means that it can.
func (c *checker) unlike(h *pathfile.Header) string {
	params, _, _ := SplitParams(h)
	switch {
	case h.Test != c.Header.Test && c.Header.Test != "":
		names := `line "test"`
		if h.System != c.Search.System.Name {
			names = `lines "test" and "system"`
		}
		return fmt.Sprintf("test %s does not exist; correct the %s", h.Test, names)
	case h.System != c.Search.System.Name:
		return fmt.Sprintf("its system is %q, and this one is %q", h.System, c.Search.System.Name)
	case h.Finding == "":
		return "it records no finding"
	case h.Finding == string(sim.Nondeterminism):
		return "nondeterminism cannot be accepted, because other findings are unreliable then"
	case c.Search.Property != "" && c.Search.Property != h.Property:
		return fmt.Sprintf("the search checks only %s", c.Search.Property)
	case !slices.Equal(params, c.Header.Params):
		return "the path has other parameters"
	case !slices.Equal(h.Bugs, c.Header.Bugs):
		return "the path has other bugs"
	}
	return ""
}

// examine executes the run of the file on the system of the search.
func (a *accepted) examine(ctx context.Context, c *checker) {
	l, err := LoadFor(ctx, a.File, &c.sys, c.Respawn)
	if err != nil {
		a.Why = strings.TrimPrefix(err.Error(), a.File+": ")
		return
	}
	if a.Kind != sim.Liveness && a.Kind != sim.Deadlock && a.Kind != sim.Starvation && l.Unsafe == nil {
		t, err := l.Trace(-1)
		if err != nil {
			a.Why = err.Error()
			return
		}
		if t.Finding == nil {
			a.Status = report.Fixed
			return
		}
		if t.FoundAt < l.Steps {
			a.Status, a.Why = report.Changed, fmt.Sprintf("a violation after step %d of %d: %v", t.FoundAt, l.Steps, t.Finding)
			return
		}
	}
	s := &c.Search
	w := WalkOptions{Walks: s.Walks, WalkSteps: s.WalkSteps, Seed: s.Seed, Workers: s.Workers}
	r, err := Describe(ctx, l, a.File, CriticalOptions{WalkOptions: w, PathBuffers: s.PathBuffers}) // Describe adds those that confirm
	switch {
	case errors.Is(err, ErrNoViolation) && l.Unsafe == nil:
		a.Status = report.Fixed
	case err != nil:
		a.Why = err.Error()
	case r.Verdict != search.Violation:
		a.Why = "it is undecided whether its run recovers"
	case !identity.AsRecorded(&l.Header, r):
		a.Status, a.Why = report.Changed, document.FindingLine(r)
	default:
		id := identity.Of(r)
		a.Status, a.Step, a.Of, a.like = report.Recurs, id.Step(), r, []identity.Identity{id}
	}
}

// acceptedLike returns the known finding that a violation counts as; nil means none. They have the same identity. A dead run
// without a proven critical step counts as any of its kind and property.
func (k *keeper) acceptedLike(r *report.Report) *accepted {
	id := identity.Of(r)
	for _, a := range k.accepted {
		if slices.Contains(a.like, id) {
			return a
		}
	}
	if c := r.Critical; c == nil || c.Sure() {
		return nil
	}
	for _, a := range k.accepted {
		if a.Status == report.Recurs && a.Kind == id.Kind && a.Property == id.Property {
			return a
		}
	}
	return nil
}

// countsAgain counts a violation of a known finding if another one was executed again. A fresh process for each would take
// most of the time.
func (k *keeper) countsAgain(res *search.Result) bool {
	f := res.Finding
	if f.Kind != sim.Safety && f.Kind != sim.Panic || f.Late || res.Detail != nil || res.Last != "" ||
		!slices.ContainsFunc(k.accepted, func(a *accepted) bool { return a.Runs > 0 }) {
		return false
	}
	r := k.c.report(res)
	if _, err := k.c.describe(r, res); err != nil {
		return false
	}
	a := k.acceptedLike(r)
	if a == nil || a.Runs == 0 {
		return false
	}
	k.last, k.ended = f, ""
	k.count(a, r, res)
	return true
}

// count counts a violation as the known finding.
func (k *keeper) count(a *accepted, r *report.Report, res *search.Result) {
	a.Runs++
	if id := identity.Of(r); id != a.like[0] {
		a.others[id.Step()]++
	}
	a.AllOf = k.c.Search.Strategy.Can(strategy.VisitsStates) && res.Last == ""
	res.Accepted = true
	k.c.suspectFile.release(res.Finding, true)
}

// addKnown adds the known findings to the report of a search, and reserves its verdict.
func (k *keeper) addKnown(r *report.Report) {
	for _, a := range k.accepted {
		for _, by := range slices.Sorted(maps.Keys(a.others)) {
			a.Others = append(a.Others, report.Unsure{Handler: by, Count: a.others[by]})
		}
		r.Known = append(r.Known, a.Known)
	}
	met := r.Accepted()
	if r.Count(report.Recurs) > 0 { // states after them were not visited
		r.Coverage.Complete, r.Coverage.Recovers = false, false
		if r.Stopped == stats.StoppedComplete || r.Stopped == stats.StoppedFound && k.ended != "" {
			r.Stopped = stats.StoppedKnown
		}
		if slices.ContainsFunc(k.accepted, func(a *accepted) bool { return a.Runs > 0 && a.Kind == sim.Starvation }) {
			r.Coverage.StarvedBefore()
		}
	}
	if len(k.findings) > 0 {
		return
	}
	switch {
	case met > 0 && k.ended != "":
		r.Hidden = "the search stopped at it: " + k.ended
	case met > 0 && met >= r.Paths && r.Transitions == 0:
		r.Hidden = "no run passes it"
	}
	if r.Verdict == search.OK && (r.Hidden != "" || r.Count(report.Changed) > 0) {
		r.Verdict = search.Inconclusive
	}
}
