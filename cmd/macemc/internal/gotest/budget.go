package gotest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testbudget"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/textfmt"
)

// budget limits the exploration of the tests of a command.
type budget struct {
	total     time.Duration // of all tests; 0 means no limit
	timed     bool          // the time of each test is given
	totaled   bool          // total is given
	planner   *testbudget.Planner
	unclaimed []string // lines about schedules that are not executed, as their tests do not exist
}

// Default exploration times.
const (
	exploreTime    = 2 * time.Second // of a test
	exhaustiveTime = time.Minute     // of a test
	// exploreTotal is the default for all tests, unless a limit for each is given. It is that of -timeout for the tests of a package.
	exploreTotal = 10 * time.Minute
)

// complete sets the default limits.
func complete(x *exploration) {
	c := &x.Config
	if c.Schedules > 0 || x.timed {
		return
	}
	if c.Time = exploreTime; c.Exhaustive {
		c.Time = exhaustiveTime
	} else if !x.totaled {
		x.total = exploreTotal
	}
}

// plan shares out the exploration time among the tests of those packages of a list that the arguments of go test name.
func plan(x *exploration, list, named []*testbudget.Package, args []string) error {
	if x.Schedule != "" {
		return nil
	}
	x.planner = &testbudget.Planner{Store: x.store, Each: x.Config.Time, Total: x.total,
		Settings: fmt.Sprint(x.settings(), x.race)}
	_, x.planner.Run, _ = takeFlag(args, "run")
	_, x.planner.Skip, _ = takeFlag(args, "skip")
	for _, p := range named {
		if x.pkg != "" {
			break
		}
		for _, dir := range p.Unclaimed(testflags.TestPath) {
			x.unclaimed = append(x.unclaimed,
				fmt.Sprintf("%s: the schedules in %s were not executed, as the package has no such test under these build tags", p.ImportPath, dir))
		}
	}
	return x.planner.Plan(list, func(p *testbudget.Package) bool { return slices.Contains(named, p) }).Write(x.Summaries)
}

// namedPackages returns those packages of a list that the arguments of go test name. Without any, it is that of the folder.
func namedPackages(x *exploration, list []*testbudget.Package, args []string) (named []*testbudget.Package) {
	paths := packageArguments(args)
	folder, _ := filepath.EvalSymlinks(x.folder)
	var here []*testbudget.Package
	for _, p := range list {
		if dir, _ := filepath.EvalSymlinks(p.Dir); dir == folder {
			here = append(here, p)
		}
		if p.ImportPath == x.pkg || x.pkg == "" && slices.ContainsFunc(p.Match, func(m string) bool { return slices.Contains(paths, m) }) {
			named = append(named, p)
		}
	}
	if named == nil {
		return here
	}
	return named
}

// packageArguments returns those arguments of go test that may name packages.
func packageArguments(args []string) (list []string) {
	args, _ = splitArgs(args)
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") && !strings.HasSuffix(arg, ".go") {
			list = append(list, arg)
		}
	}
	return list
}

// listPackages lists the packages of the module, and those that the arguments of go test name, with all that they import. Values of flags
// among the arguments are not packages, and -e makes the go command ignore them.
func listPackages(ctx context.Context, env []string, dir string, tags, args []string) []*testbudget.Package {
	packages := append([]string{"./..."}, packageArguments(args)...)
	for ; len(packages) > 0; packages = packages[:len(packages)-1] { // without an argument that cannot be the path of a package
		list := slices.Concat([]string{"list", "-e", "-deps", "-test"}, tags, []string{testbudget.Listed}, packages)
		if out, err := child.GoOutput(ctx, dir, env, list...); err == nil {
			parsed, _ := testbudget.ParsePackages(out)
			return parsed
		}
	}
	return nil
}

// shortened counts tests that had less than their full time.
type shortened struct {
	unvaried int // tests that had the default order only
	partly   int // others
	full     time.Duration
}

// shortBy are such counts, by what limits the time.
type shortBy map[string]shortened

// count counts a test; nil means that it had its full time.
func (s *shortBy) count(t *summary.Short) {
	if t == nil {
		return
	}
	if *s == nil {
		*s = shortBy{}
	}
	n := (*s)[t.By]
	if n.full = max(n.full, t.Full); t.Unvaried {
		n.unvaried++
	} else {
		n.partly++
	}
	(*s)[t.By] = n
}

// String names the tests that lack time.
func (n shortened) String() string {
	var parts []string
	if n.unvaried > 0 {
		parts = append(parts, textfmt.Plural(n.unvaried, "test")+" only in the default order")
	}
	if n.partly > 0 {
		parts = append(parts, fmt.Sprintf("%s with less than %s", textfmt.Plural(n.partly, "test"), short(n.full)))
	}
	return strings.Join(parts, " and ")
}

// short formats a duration without zero units.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// String returns the part of a package's line.
func (s shortBy) String() (text string) {
	for _, by := range []string{testbudget.ByTotal, testbudget.ByTimeout} {
		if n := s[by]; n.unvaried+n.partly > 0 {
			text += fmt.Sprintf("; %s left %v", by, n)
		}
	}
	if n := s[byTime]; n.unvaried+n.partly > 0 {
		text += fmt.Sprintf("; earlier subtests left %v (raise %s)", n, byTime)
	}
	return text
}

// shortNote describes what a test lacks. An empty string means nothing.
func shortNote(s *summary.Short) string {
	switch {
	case s == nil:
		return ""
	case s.Unvaried:
		return s.By + " left only the default order"
	case s.By == byTime:
		return fmt.Sprintf("earlier subtests used up their time, so it had a tenth of %s", short(s.Full))
	}
	return fmt.Sprintf("%s left less than %s", s.By, short(s.Full))
}

// byTime is the limit of a test with many subtests.
const byTime = "-explore-time"

// lines describe what the limits of all tests and of a package left untried, and how to go on.
func (s shortBy) lines(of int, total time.Duration, command string) (list []string) {
	for _, by := range []string{testbudget.ByTotal, testbudget.ByTimeout} {
		n := s[by]
		if n.unvaried+n.partly == 0 {
			continue
		}
		value, how := "", "raise "+by
		if by == testbudget.ByTotal {
			value, how = " "+short(total), "to go on: "+command
		}
		list = append(list, fmt.Sprintf("%s%s left %v, of %s; %s", by, value, n, textfmt.Plural(of, "test"), how))
	}
	return list
}

// record records the explorations of a package for later commands.
func (b *budget) record(pkg string, tests []*summary.Test) {
	if b == nil || b.planner == nil {
		return
	}
	for _, t := range tests {
		stopped := strings.HasSuffix(t.Note, summary.Exploring) || strings.Contains(t.Note, testbudget.ByTimeout)
		b.planner.Explored(pkg, function(t.Test), testbudget.Explored{Used: t.Elapsed, Short: t.Short != nil || stopped, New: t.Unsaturated})
	}
	b.planner.Save(pkg)
}

// commandOf returns the command that the user gave.
func commandOf(args []string) string {
	words := []string{"macemc test"}
	for _, arg := range args {
		words = append(words, task.ShellWord(arg))
	}
	return strings.Join(words, " ")
}
