package gotest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/testbudget"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
	"github.com/macemc/macemc/internal/textfmt"
)

// exploration holds the flags of "macemc test" that go test does not have. It passes most of them on in the
// environment of the tests.
type exploration struct {
	on bool
	explorer.Options
	display
	budget
	stored *schedulefile.Stored // the schedule
	store  string               // folder for the summaries of cached results
	folder string               // of the user, with -C applied
	pkg    string               // import path of the package, if the arguments are files of it
	temp   *scratch.Folder
}

// display are flags of go test that change what is shown.
type display struct {
	json, race, verbose bool
}

// packageOf returns the import path of the package of the files among arguments of go test, or an empty string.
// Schedules are stored for that package, and executed again as tests of it.
func packageOf(ctx context.Context, env []string, dir string, flags, args []string) (string, error) {
	args, _ = splitArgs(args)
	pkg, files := "", []string(nil)
	for _, file := range args {
		if strings.HasPrefix(file, "-") || !strings.HasSuffix(file, ".go") {
			continue
		}
		if pkg == "" {
			const list = "{{.ImportPath}}{{range .GoFiles}} {{.}}{{end}}{{range .CgoFiles}} {{.}}{{end}}{{range .TestGoFiles}} {{.}}{{end}}{{range .XTestGoFiles}} {{.}}{{end}}"
			from := filepath.Dir(file)
			if !filepath.IsAbs(from) {
				from = "./" + from
			}
			out, _ := child.GoOutput(ctx, dir, env, slices.Concat([]string{"list"}, flags, []string{"-f", list, from})...)
			files = strings.Fields(out)
			if len(files) > 0 {
				pkg = files[0]
			}
		}
		if !slices.Contains(files, filepath.Base(file)) {
			return "", fmt.Errorf("%s belongs to no package of a module here, and a schedule is executed again as a test of its package: name a package, or add -explore=false", file)
		}
	}
	return pkg, nil
}

// compilerFlags disables the compiler's intrinsics for package sync/atomic in packages outside the Go distribution, so that its functions
// are called. With -race there are none, and the build is the same. The flags select packages by module, because "all" cannot exclude the
// distribution, some of whose packages need the intrinsics.
func compilerFlags(list []*testbudget.Package, args []string) (flags, modules []string) {
	args, _ = splitArgs(args)
	if slices.ContainsFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, ".go") }) {
		modules = []string{testsched.FileArguments}
	}
	for _, p := range list {
		if p.Module != nil {
			modules = append(modules, p.Module.Path)
		}
	}
	slices.Sort(modules)
	modules = slices.Compact(modules)
	for _, m := range modules {
		for _, pattern := range []string{m + "/...", m + "_test"} { // the latter for external tests of the package m
			flags = append(flags, "-gcflags="+pattern+"=-d=ssa/intrinsics/off")
		}
	}
	return flags, modules
}

// linkerFlags adds the flag that makes the linker write the symbol table, which the go command omits by default. The program locates its
// package variables by it. Linker flags among the arguments of go test remain in effect, or else those that GOFLAGS sets.
func linkerFlags(args, flags []string, inGoFlags string) (rest, more []string) {
	rest, value, given := takeFlag(args, "ldflags")
	if !given {
		value = inGoFlags
	}
	return rest, append(flags, "-ldflags="+strings.TrimSpace(value+" -s=false"))
}

// replayFlags returns the flags of go test with which the schedule's test is executed, alone unless arguments of go test select tests.
func (x *exploration) replayFlags(args []string) (flags []string) {
	if x.Schedule == "" {
		return nil
	}
	if _, _, given := takeFlag(args, "run"); !given {
		flags = append(flags, "-run="+program.Pattern(x.stored.Test)) // other tests would print, and leave their state
	}
	return append(flags, "-count=1") // a cached result would not execute it
}

// environment returns the variables of the test binaries of some packages, and creates the folders that they name.
func (x *exploration) environment(named []*testbudget.Package, args []string) ([]string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	x.store = filepath.Join(cache, "macemc", "tests")
	if err := os.MkdirAll(x.store, 0o755); err != nil {
		return nil, err
	}
	if x.temp, err = scratch.New(""); err != nil {
		return nil, fmt.Errorf("cannot create a temporary folder, set TMPDIR to a folder that can be written: %w", err)
	}
	x.Summaries = filepath.Join(x.temp.Path, "summaries")
	if err := os.Mkdir(x.Summaries, 0o755); err != nil {
		return nil, err
	}
	// The test cache depends on the values of the variables that Test of [explorer.Settings] reads, and on that of GODEBUG.
	return append(x.Variables(),
		testsched.VariableInstant+"="+x.instants(time.Now(), named, args),
		testsched.VariableUser+"="+userValues(),
		testsched.VariableStage+"="+x.stage(),
		program.VariableFolder+"="+x.folder,
		testsched.VariablePackage+"="+x.pkg,
		"GODEBUG="+strings.TrimPrefix(os.Getenv("GODEBUG")+explorer.PrintsKeys, ","),
		"GORACE=log_path="+filepath.Join(x.temp.Path, "race")+" suppress_equal_stacks=0 suppress_equal_addresses=0 atexit_sleep_ms=0 "+
			os.Getenv("GORACE")), nil
}

// instants returns the value of testsched.VariableInstant for a command that begins at an instant. Runs begin at that of the schedule to
// execute, at that of the environment, or at the same one.
func (x *exploration) instants(now time.Time, named []*testbudget.Package, args []string) string {
	command := strconv.FormatInt(now.UnixNano(), 10)
	runs, _, _ := strings.Cut(os.Getenv(testsched.VariableInstant), ",")
	if x.stored != nil && x.stored.Schedule.Instant != 0 {
		runs = strconv.FormatUint(x.stored.Schedule.Instant, 10)
	} else if at := pathInstant(named, args); at != 0 {
		runs = strconv.FormatUint(at, 10)
	}
	return cmp.Or(runs, command) + "," + command
}

// userValues returns the value of testsched.VariableUser.
func userValues() string {
	var lines []string
	for _, name := range testsched.Replaced {
		if value, ok := os.LookupEnv(name); ok {
			lines = append(lines, name+"="+value)
		}
	}
	return strings.Join(lines, "\n")
}

// longExploration is the time after which an exploration is shown.
const longExploration = 3 * time.Second

// progress describes the explorations in progress that take long, and those whose finding is examined. An empty
// string means none.
func (x *exploration) progress() string {
	var texts []string
	files, _ := os.ReadDir(x.Summaries)
	for _, f := range files {
		pkg := summary.Package(f.Name())
		info, err := f.Info()
		if pkg == "" || err != nil || time.Since(info.ModTime()) > time.Minute { // its process has ended
			continue
		}
		for _, t := range summary.Read(filepath.Join(x.Summaries, f.Name())) {
			switch {
			case t.Kind == summary.Suspect:
				texts = append(texts, fmt.Sprintf("%s %s  examining a finding", pkg, t.Test))
			case t.Note == summary.EndedEarly && t.Elapsed >= longExploration:
				texts = append(texts, fmt.Sprintf("%4ds  %s %s  %s schedules", int(t.Elapsed.Seconds()), pkg, t.Test, textfmt.Number(t.Schedules)))
			}
		}
	}
	return strings.Join(texts, "; ")
}

// announce writes the lines that test binaries want displayed immediately, and shows the progress, until end is called.
func (x *exploration) announce(out *lockedWriter) (end func()) {
	written, done := 0, make(chan bool)
	write := func() {
		text := summary.Announced(x.Summaries)
		for i := bytes.IndexByte(text[written:], '\n'); i >= 0; i = bytes.IndexByte(text[written:], '\n') {
			fmt.Fprintf(out, "macemc: %s\n", text[written:written+i])
			written += i + 1
		}
	}
	go func() {
		defer close(done)
		for {
			select {
			case done <- true:
				return
			case <-time.After(progressInterval):
				write()
				out.show(x.progress())
			}
		}
	}()
	return func() { <-done; out.show(""); write() }
}

// executed reports whether the test of the given schedule was executed.
func (x *exploration) executed() bool {
	return slices.ContainsFunc(summary.Read(summary.File(x.Summaries, x.stored.Package)), func(t *summary.Test) bool {
		return t.Test == x.stored.Test || x.stored.External && strings.HasPrefix(t.Test, x.stored.Test+" (")
	})
}

// stage returns the stage that executes the given schedule.
func (x *exploration) stage() string {
	if x.stored != nil && x.stored.Begins {
		return testsched.StageBegin
	}
	return ""
}

func (x *exploration) remove() {
	if x.temp != nil {
		x.temp.Remove()
	}
}
