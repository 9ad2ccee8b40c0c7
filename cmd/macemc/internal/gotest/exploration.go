package gotest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/textfmt"
)

// exploration holds the flags of "macemc test" that go test does not have.
type exploration struct {
	on        bool
	leaks     bool
	json      bool
	race      bool
	schedules int
	time      time.Duration
	schedule  string            // absolute path
	stored    *testsched.Stored // the schedule
	exhaust   string            // "all" or a number of preemptions; empty means that schedules are sampled
	seed      uint64
	summaries string // folder
	folder    string // of the user, with -C applied
	temp      string
}

// Default exploration times of a test.
const (
	exploreTime    = 2 * time.Second
	exhaustiveTime = time.Minute
)

// compilerFlags disables the compiler's intrinsics for package sync/atomic in packages outside the Go distribution, so that its functions
// are called. With -race there are none, and the build is the same. The flags select packages by module, because "all" cannot exclude the
// distribution, some of whose packages need the intrinsics.
//
// args are the arguments of go test. Values of flags among them are not packages, and -e makes the go command ignore them.
func compilerFlags(ctx context.Context, env []string, dir string, tags, args []string) (flags, modules []string) {
	packages := []string{"./..."}
	for _, arg := range args {
		if arg == "-args" || arg == "--args" {
			break
		}
		if strings.HasSuffix(arg, ".go") {
			modules = []string{"command-line-arguments"}
		} else if !strings.HasPrefix(arg, "-") {
			packages = append(packages, arg)
		}
	}
	for len(packages) > 0 {
		cmd := GoCommand(ctx, env,
			slices.Concat([]string{"list", "-e", "-deps", "-test"}, tags, []string{"-f", "{{with .Module}}{{.Path}}{{end}}"}, packages))
		cmd.Dir = dir
		if out, err := cmd.Output(); err == nil {
			modules = append(modules, strings.Fields(string(out))...)
			break
		}
		packages = packages[:len(packages)-1] // drop an argument that cannot be the path of a package
	}
	slices.Sort(modules)
	modules = slices.Compact(modules)
	for _, m := range modules {
		flags = append(flags, "-gcflags="+m+"...=-d=ssa/intrinsics/off")
	}
	return flags, modules
}

// linkerFlags adds the flag that makes the linker write the symbol table, which the go command omits by default. The program locates its
// package variables by it. Linker flags among the arguments of go test remain in effect.
func linkerFlags(args, flags []string) (rest, more []string) {
	value := "-s=false"
	for i := 0; i < len(args); i++ {
		if args[i] == "-args" || args[i] == "--args" {
			rest = append(rest, args[i:]...)
			break
		}
		name, given, has := strings.Cut(args[i], "=")
		if name != "-ldflags" && name != "--ldflags" {
			rest = append(rest, args[i])
			continue
		}
		if !has && i+1 < len(args) {
			i++
			given = args[i]
		}
		value = given + " -s=false"
	}
	return rest, append(flags, "-ldflags="+value)
}

// explorationFlags removes the flags of the exploration from arguments of go test in a folder.
func explorationFlags(folder string, args []string) (x exploration, rest []string, err error) {
	x = exploration{on: true, leaks: true, seed: 1}
	if x.folder, err = filepath.Abs(folder); err != nil {
		return x, nil, err
	}
	given := false
	set := func(name, value string) (err error) {
		switch name {
		case "schedules":
			if x.schedules, err = strconv.Atoi(value); err != nil || x.schedules < 1 {
				return fmt.Errorf("-schedules must be a positive number")
			}
		case "explore-time":
			given = true
			if x.time, err = time.ParseDuration(value); err != nil || x.time <= 0 {
				return fmt.Errorf("-explore-time must be a positive duration such as 30s")
			}
		case "explore-seed":
			if x.seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				return fmt.Errorf("-explore-seed must be a number")
			}
		case "schedule":
			if value == Last {
				if value, err = NewestFinding(cmp.Or(folder, "."), IsSchedule); err != nil {
					return err
				}
			}
			if x.stored, err = testsched.Load(value); err != nil {
				if _, ok := errors.AsType[*fs.PathError](err); !ok {
					err = fmt.Errorf("%s: %w", value, err)
				}
				return err
			}
			x.schedule, err = filepath.Abs(value)
		case "exhaustive":
			switch n, err := strconv.Atoi(value); {
			case value == "true":
				x.exhaust = "all"
			case value == "false":
				x.exhaust = ""
			case err != nil || n < 0:
				return fmt.Errorf("-exhaustive must be a number of preemptions, true or false")
			default:
				x.exhaust = value
			}
		case "leaks":
			if x.leaks, err = strconv.ParseBool(value); err != nil {
				return fmt.Errorf("-leaks must be true or false")
			}
		case "explore":
			if x.on, err = strconv.ParseBool(value); err != nil {
				return fmt.Errorf("-explore must be true or false")
			}
		}
		return err
	}
	own := []string{"schedules", "explore-time", "explore-seed", "schedule", "explore", "exhaustive", "leaks"}
	for i := 0; i < len(args); i++ {
		if args[i] == "-args" || args[i] == "--args" {
			rest = append(rest, args[i:]...)
			break
		}
		name, value, has := strings.Cut(args[i], "=")
		flag := strings.TrimPrefix(strings.TrimPrefix(name, "-"), "-")
		if flag == name || !slices.Contains(own, flag) {
			switch flag {
			case "json":
				x.json = value != "false"
			case "race":
				x.race = value != "false"
			case "fuzz", "c", "list", "test.fuzz", "test.list":
				x.on = false
			}
			rest = append(rest, args[i])
			continue
		}
		if !has && (flag == "explore" || flag == "exhaustive" || flag == "leaks") {
			value = "true"
		} else if !has {
			if i+1 == len(args) {
				return x, nil, fmt.Errorf("%s needs a value", name)
			}
			i++
			value = args[i]
		}
		if err := set(flag, value); err != nil {
			return x, nil, err
		}
	}
	if x.schedules == 0 && !given {
		x.time = exploreTime
		if x.exhaust != "" {
			x.time = exhaustiveTime
		}
	}
	return x, rest, nil
}

// environment returns the variables of the test binaries, and creates the folders that they name.
func (x *exploration) environment() ([]string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	// The test cache of the go command depends on the names and values of these variables, so they must be constant.
	x.summaries = filepath.Join(cache, "macemc", "tests")
	if err := os.MkdirAll(x.summaries, 0o755); err != nil {
		return nil, err
	}
	if x.temp, err = os.MkdirTemp("", "macemc-test-"); err != nil {
		return nil, err
	}
	return []string{
		testsched.Variable + "=" + strconv.FormatUint(x.seed, 10),
		testsched.VariableSchedules + "=" + strconv.Itoa(x.schedules),
		testsched.VariableTime + "=" + x.time.String(),
		testsched.VariableExhaustive + "=" + x.exhaust,
		testsched.VariableSchedule + "=" + x.schedule,
		testsched.VariableLeaks + "=" + strconv.FormatBool(x.leaks),
		testsched.VariableSummaries + "=" + x.summaries,
		testsched.VariableFolder + "=" + x.folder,
		"GORACE=log_path=" + filepath.Join(x.temp, "race") + " suppress_equal_stacks=0 suppress_equal_addresses=0 atexit_sleep_ms=0 " + os.Getenv("GORACE"),
	}, nil
}

// executed reports whether the test of the given schedule was executed since a time.
func (x *exploration) executed(since time.Time) bool {
	file := testsched.SummaryFile(x.summaries, x.stored.Package)
	info, err := os.Stat(file)
	if err != nil || info.ModTime().Before(since) {
		return false
	}
	text, err := os.ReadFile(file)
	return err == nil && strings.Contains("\n"+string(text), "\n"+strconv.Quote(x.stored.Test)+" ")
}

func (x *exploration) remove() { os.RemoveAll(x.temp) }

// summaries is a writer that appends a summary of the exploration to the line of each package.
type summaries struct {
	out    io.Writer
	folder string
	since  time.Time
	race   bool
	rest   []byte // incomplete line
	total  packageSummary
	notes  []testNote
	failed int             // number of failed tests, and of findings that were not yet confirmed or minimized
	shown  map[string]bool // packages whose summaries were read
}

// testNote is a note of the exploration about tests of a package.
type testNote struct {
	pkg, text string
	tests     []string
}

// String lists the first three tests.
func (n testNote) String() string {
	names, text := strings.Join(n.tests, ", "), n.text
	if more := len(n.tests) - 3; more > 0 {
		names = fmt.Sprintf("%s and %d more", strings.Join(n.tests[:3], ", "), more)
	}
	if len(n.tests) > 1 {
		text = strings.Replace(text, ": it ", ": each ", 1)
	}
	return n.pkg + " " + names + ": " + text
}

// packageSummary is the sum over the tests of packages.
type packageSummary struct {
	tests, schedules int
	complete         int // number of tests
	bounded          bool
	preemptions      int  // if bounded, the lowest maximum of the complete tests
	delays           bool // whether a complete test has a testsched.Coverage with Delays
	elapsed          time.Duration
}

// add adds another sum.
func (p *packageSummary) add(q packageSummary) {
	p.tests += q.tests
	p.schedules += q.schedules
	p.complete += q.complete
	p.elapsed += q.elapsed
	p.delays = p.delays || q.delays
	if q.bounded && (!p.bounded || q.preemptions < p.preemptions) {
		p.bounded, p.preemptions = true, q.preemptions
	}
}

func (p packageSummary) String() string {
	complete := ""
	if p.complete > 0 {
		var bounds []string
		if p.bounded {
			bounds = append(bounds, "at most "+textfmt.Plural(p.preemptions, "preemption"))
		}
		if p.delays {
			bounds = append(bounds, "delays up to 1 ms")
		}
		complete = fmt.Sprintf(" (%d complete", p.complete)
		if len(bounds) > 0 {
			complete += " with " + strings.Join(bounds, " and ")
		}
		complete += ")"
	}
	return fmt.Sprintf("%s of %s%s, %.0f/s", textfmt.Plural(p.schedules, "schedule"), textfmt.Plural(p.tests, "test"), complete,
		float64(p.schedules)/max(p.elapsed.Seconds(), 1e-6))
}

func (s *summaries) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	for {
		end := bytes.IndexByte(s.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := string(s.rest[:end])
		s.rest = append(s.rest[:0], s.rest[end+1:]...)
		if _, err := fmt.Fprintln(s.out, s.line(line)); err != nil {
			return len(p), err
		}
	}
}

// line returns a line of go test with the summary of its package.
func (s *summaries) line(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "--- FAIL: ") {
		s.failed++
	}
	fields := strings.Fields(line)
	if len(fields) < 3 || !strings.HasPrefix(line, "ok  \t") && !strings.HasPrefix(line, "FAIL\t") {
		return line
	}
	file, err := os.Stat(testsched.SummaryFile(s.folder, fields[1]))
	if err != nil || file.ModTime().Before(s.since) && !strings.Contains(line, "(cached)") {
		return line // the summary is of an earlier run
	}
	sum := s.read(fields[1])
	if sum.schedules == 0 {
		return line
	}
	return line + "\t" + sum.String()
}

// read returns the sum over the tests of a package.
func (s *summaries) read(pkg string) (sum packageSummary) {
	text, err := os.ReadFile(testsched.SummaryFile(s.folder, pkg))
	if err != nil {
		return sum
	}
	if s.shown == nil {
		s.shown = map[string]bool{}
	}
	s.shown[pkg] = true
	for line := range strings.Lines(string(text)) {
		var name, note string
		var schedules int
		var micros int64
		var kind string
		var preemptions int
		var delays bool
		if _, err := fmt.Sscanf(line, "%q %d %d %s %d %t %q", &name, &schedules, &micros, &kind, &preemptions, &delays, &note); err != nil {
			continue
		}
		if kind == testsched.Suspect {
			s.failed++
		}
		if note != "" {
			i := slices.IndexFunc(s.notes, func(n testNote) bool { return n.pkg == pkg && n.text == note })
			if i < 0 {
				i, s.notes = len(s.notes), append(s.notes, testNote{pkg: pkg, text: note})
			}
			s.notes[i].tests = append(s.notes[i].tests, name)
		}
		if strings.HasPrefix(note, "not explored") {
			continue
		}
		test := packageSummary{tests: 1, schedules: schedules, elapsed: time.Duration(micros) * time.Microsecond}
		if kind == testsched.Complete {
			test.complete, test.bounded, test.preemptions, test.delays = 1, preemptions < testsched.Unbounded, preemptions, delays
		}
		sum.add(test)
	}
	s.total.add(sum)
	return sum
}

// unreported reads the summaries of packages of these modules for which the go command wrote no line, because it was killed.
func (s *summaries) unreported(modules []string) {
	files, _ := os.ReadDir(s.folder)
	for _, f := range files {
		pkg := testsched.SummaryPackage(f.Name())
		info, err := f.Info()
		if err != nil || info.ModTime().Before(s.since) || s.shown[pkg] {
			continue
		}
		if slices.ContainsFunc(modules, func(m string) bool { return pkg == m || strings.HasPrefix(pkg, m+"/") }) {
			s.read(pkg)
		}
	}
}

// finish writes the sum over all packages.
func (s *summaries) finish() {
	s.out.Write(s.rest)
	for _, note := range s.notes {
		fmt.Fprintln(s.out, "macemc:", note)
	}
	if s.total.tests > 1 {
		memory := ", plain memory (without -race)"
		if s.race {
			memory = ""
		}
		fmt.Fprintf(s.out, "macemc: %v; not scheduling points: cgo, files, processes, signals%s\n", s.total, memory)
	}
}
