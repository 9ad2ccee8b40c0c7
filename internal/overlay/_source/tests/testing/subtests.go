// The subtests of a run, which are explored one by one.

package testing

import (
	program "internal/types"
	"slices"
	"strings"
	testsched "testing/internal"
)

// macemcSelection is the function of a test, with the subtests that its runs execute.
type macemcSelection struct {
	fn    func(*T)
	match *matcher
	part  string // the only subtest, in an exploration by subtests
	specs macemcSpecs
}

// macemcSelect returns the matcher for a subtest and those below it, without others. An empty name means all that the command selects.
func macemcSelect(t *T, only string, without []string) *matcher {
	patterns, skips := *match, *skip
	if only != "" {
		patterns = program.Pattern(only)
	}
	for _, name := range slices.Backward(slices.Sorted(slices.Values(without))) { // the first pattern that matches decides, also if longer names match it
		skips = strings.TrimSuffix(program.Pattern(name)+"|"+skips, "|")
	}
	return newMatcher(t.tstate.match.matchFunc, patterns, "-test.run", skips)
}

// macemcSubtests are the subtests of the run, in the order in which they started, and macemcChoices and macemcPassed the numbers of choices
// and of points before.
var (
	macemcSubtests []*T
	macemcChoices  []uint64
	macemcPassed   []uint64
)

// macemcIsSubtest records a subtest of a run, and reports whether it is one.
//
//go:norace
func macemcIsSubtest(t *T) bool {
	if macemcRunning == nil || t == macemcRunning || t.isSynctest || !macemcInRun() {
		return false
	}
	macemcSubtests = append(macemcSubtests, t)
	macemcChoices = append(macemcChoices, macemcTest.r.choices)
	macemcPassed = append(macemcPassed, macemcTest.r.points)
	return true
}

// macemcSubtestList describes the subtests of the latest run.
//
//go:norace
func macemcSubtestList() (list []testsched.Subtest) {
	for i, t := range macemcSubtests {
		end := macemcTest.r.choices + 2 // those at the end of another one are missing
		points := macemcTest.r.points
		if i+1 < len(macemcChoices) {
			end, points = macemcChoices[i+1], macemcPassed[i+1]
		}
		parent := slices.IndexFunc(macemcSubtests, func(p *T) bool { return &p.common == t.parent })
		list = append(list, testsched.Subtest{Name: t.name, Parent: parent, Leaf: !t.hasSub.Load(), Parallel: t.isParallel,
			Ended: t.done, Failed: t.failed, Choices: end - macemcChoices[i],
			Points: points - macemcPassed[i]})
	}
	return list
}

// macemcPart returns an explorer of a subtest, which shares the memory for runs, and whose output is not shown.
func macemcPart(x *macemcExplorer, test string) *macemcExplorer {
	y := new(macemcExplorer)
	*y = macemcExplorer{t: x.t, of: macemcSelection{x.of.fn, macemcSelect(x.t, test, nil), test, macemcSpec(test, nil)},
		first: x.first, last: x.last, before: x.before, showing: macemcShowing{records: x.showing.records},
		r: x.r, sw: x.sw, macemcBuffers: x.macemcBuffers}
	return y
}

// macemcOutsideParts are the subtests that use what packages or TestMain have started.
var macemcOutsideParts []string

// macemcRest executes subtests that could not be explored, unless a later stage does.
func macemcRest(t *T, x *macemcExplorer, names []string) {
	var here []string
	var specs macemcSpecs
	for _, name := range names {
		if macemcBegins || slices.Contains(macemcOutsideParts, name) && macemcMayPostpone() {
			macemcLater = append(macemcLater, name)
		} else {
			here, specs.only = append(here, program.Pattern(name)), append(specs.only, name)
		}
	}
	if len(here) == 0 {
		return
	}
	m := t.tstate.match
	m.mu.Lock()
	m.filter = macemcFilter{m.filter, t.name, newMatcher(m.matchFunc, strings.Join(here, "|"), "-test.run", "").filter}
	m.mu.Unlock()
	specs.set()
	macemcPlainly(t, x)(t)
}

// macemcFilter restricts the subtests of one test.
type macemcFilter struct {
	filterMatch
	test string
	only filterMatch
}

func (f macemcFilter) matches(name []string, matchString func(pat, str string) (bool, error)) (ok, partial bool) {
	if ok, partial = f.filterMatch.matches(name, matchString); ok && len(name) > 1 && name[0] == f.test {
		return f.only.matches(name, matchString)
	}
	return ok, partial
}
