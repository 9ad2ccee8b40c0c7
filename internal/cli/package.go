package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/systems/spec"
)

// isPackage reports whether the name of a system is a folder or an import path.
func isPackage(name string) bool {
	return name == "." || name == ".." || strings.ContainsAny(name, `/\`)
}

// splitTest takes the name of a test off the name of a package.
func splitTest(name string) (pkg, test string) {
	if at := strings.LastIndex(name, ":Test"); at >= 0 {
		return name[:at], name[at+1:]
	}
	return name, ""
}

// entry returns the system of that name.
func (a *app) entry(name string) (spec.Entry, error) {
	pkg, _ := splitTest(name)
	switch {
	case isPackage(pkg) && a.test != nil:
		return a.systems[0], nil
	case isPackage(pkg):
		return spec.Entry{}, fmt.Errorf("%s is a package, but a bundled system is wanted", name)
	}
	e, err := spec.Find(a.systems, name)
	if err != nil {
		if info, e := os.Stat(name); e == nil && info.IsDir() {
			err = fmt.Errorf("%w; for the package in that folder say ./%s", err, filepath.ToSlash(name))
		}
	}
	return e, err
}

// systemElsewhere lets a test binary do what was asked for, when the system is one of a package. The
// error is what became of it.
func (a *app) systemElsewhere(ctx context.Context, name, test string) (elsewhere bool, err error) {
	pkg, inName := splitTest(name)
	if a.test != nil {
		return false, nil
	}
	if !isPackage(pkg) {
		if test != "" {
			return true, fmt.Errorf("--test is for packages, %q is none", name)
		}
		return false, nil
	}
	if test != "" && inName != "" && test != inName {
		return true, fmt.Errorf("--test %s contradicts %s; give one of them", test, name)
	}
	return true, a.elsewhere(ctx, "", pkg, func(all []Listed) (Listed, error) {
		return chosen(all, pkg, cmp.Or(inName, test))
	}, cmp.Or(inName, test))
}

// chosen is the check of that name.
func chosen(all []Listed, pkg, test string) (Listed, error) {
	var names []string
	for _, l := range all {
		if l.Test == test || test == "" && len(all) == 1 {
			return l, nil
		}
		names = append(names, l.Test)
	}
	if test != "" {
		return Listed{}, spec.Unknown(fmt.Sprintf("%s: no check in a test", pkg), test, names)
	}
	return Listed{}, fmt.Errorf("%s has %d systems; name one, as %s:%s; there are %s", pkg, len(all), pkg, names[0], strings.Join(names, ", "))
}

// fileElsewhere is systemElsewhere for the system that a path file belongs to.
func (a *app) fileElsewhere(ctx context.Context, file string) (elsewhere bool, err error) {
	if a.test != nil {
		return false, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return false, nil // reading it tells better
	}
	defer f.Close()
	parsed, err := choose.Parse(f)
	if err != nil || parsed.Header.Package == "" {
		return false, nil
	}
	h := parsed.Header
	err = a.elsewhere(ctx, filepath.Dir(file), h.Package, func(all []Listed) (Listed, error) {
		fits := slices.DeleteFunc(slices.Clone(all), func(l Listed) bool { return l.goTest != h.Test || l.System != h.System })
		if len(fits) == 0 {
			return Listed{}, fmt.Errorf("%s: the package %s has no test %s any more that checks the system %q", file, h.Package, h.Test, h.System)
		}
		for _, l := range fits {
			if l.Nodes == h.Nodes {
				return l, nil
			}
		}
		return fits[0], nil
	}, h.Test)
	if missing, ok := errors.AsType[*missingError](err); ok {
		err = fmt.Errorf("%s: line %d: it belongs to the test %s of the package %s, which is not found from here or from the file's folder; go to its module: %s",
			file, parsed.Lines["package"], h.Test, h.Package, missing.text)
	}
	return true, err
}

// listPackage shows what the tests of a package check.
func (a *app) listPackage(ctx context.Context, pkg string, asJSON bool) error {
	b, err := a.build(ctx, "", pkg)
	if err != nil {
		return err
	}
	defer b.remove()
	all, err := b.list(ctx, "")
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(a.stdout, map[string]any{"package": b.ImportPath, "systems": all})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, l := range all {
		name := l.Test
		if l.System != l.Test {
			name += " (" + l.System + ")"
		}
		fmt.Fprintf(w, "%s\t%d nodes\t%s\n", name, l.Nodes, strings.Join(l.Properties, "; "))
	}
	return w.Flush()
}

// elsewhere executes the command line of this process in the binary of a package's tests.
func (a *app) elsewhere(ctx context.Context, from, pkg string, choice func([]Listed) (Listed, error), test string) error {
	b, err := a.build(ctx, from, pkg)
	if err != nil {
		return err
	}
	defer b.remove()
	all, err := b.list(ctx, test)
	if err != nil {
		return err
	}
	l, err := choice(all)
	if err != nil {
		return err
	}
	return b.obey(l)
}

// binary is the built tests of a package.
type binary struct {
	a    *app
	temp *scratch.Folder // of the binary
	env  []string        // more of its environment
	listedPackage
}

// listedPackage is what go list says of a package.
type listedPackage struct {
	Dir, ImportPath           string
	TestGoFiles, XTestGoFiles []string
}

// missingError is the error for a package that there is not.
type missingError struct{ text string }

func (e *missingError) Error() string { return e.text }

// build builds the tests of a package. It is looked for from this folder, then from another one.
func (a *app) build(ctx context.Context, other, pkg string) (*binary, error) {
	if strings.Contains(pkg, "...") {
		return nil, fmt.Errorf("%s is a pattern; name one package", pkg)
	}
	b := &binary{a: a}
	in, name := "", pkg
	if isFolder(pkg) { // it may be of another module
		if info, err := os.Stat(pkg); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("there is no folder %s", pkg)
		}
		in, name = pkg, "."
	}
	out, err := a.listPkg(ctx, in, name)
	if err != nil && other != "" && ctx.Err() == nil {
		if there, e := a.listPkg(ctx, other, name); e == nil {
			out, err = there, nil
		}
	}
	switch {
	case err != nil && in == "" && ctx.Err() == nil:
		return nil, &missingError{err.Error()}
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(out, &b.listedPackage); err != nil {
		return nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	if len(b.TestGoFiles)+len(b.XTestGoFiles) == 0 {
		return nil, fmt.Errorf("%s has no tests; a system is checked by a test that calls mctest.Check", b.ImportPath)
	}
	if b.temp, err = scratch.New(""); err != nil {
		return nil, err
	}
	status := newStatus(a.stderr, a.terminal)
	status.tell(0, "building the tests of "+b.ImportPath)
	defer status.clear()
	changed, err := a.changedRuntime(ctx, b.Dir, ".")
	if err == nil {
		if changed.Overlay != "" {
			b.env = []string{"GOMAXPROCS=1"} // package bubble runs one thread
			status.tell(0, "building the tests of "+b.ImportPath+", and once the standard library (package bubble needs a changed copy of the runtime)")
		}
		_, err = a.goCommand(ctx, b.Dir, changed.Env, slices.Concat([]string{"test", "-c", "-o", b.file()}, a.buildFlags(changed), []string{"."}))
	}
	if err == nil {
		if _, e := os.Stat(b.file()); e != nil {
			err = fmt.Errorf("%s has no tests under these build tags (--tags)", b.ImportPath)
		}
	}
	if err != nil {
		b.remove()
		return nil, err
	}
	return b, nil
}

// isFolder reports whether the name of a package is a folder, not an import path.
func isFolder(pkg string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(pkg), "/")
	return first == "." || first == ".." || filepath.IsAbs(pkg)
}

func (a *app) listPkg(ctx context.Context, dir, pkg string) ([]byte, error) {
	return a.goTool(ctx, dir, "list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles", "--", pkg)
}

// goTool runs a go command with the build tags of this one. What that says of an error goes to standard error as it is.
func (a *app) goTool(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if a.tags != "" {
		args = slices.Insert(args, 1, "-tags="+a.tags)
	}
	return a.goCommand(ctx, dir, nil, args)
}

// goCommand is goTool for a complete command with more of an environment.
func (a *app) goCommand(ctx context.Context, dir string, env, args []string) ([]byte, error) {
	cmd := changedGo(ctx, env, args)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		return nil, &toolError{strings.TrimSpace(said.String() + out.String())}
	}
	if err != nil {
		return nil, fmt.Errorf("the go command is needed to build a package: %w", err)
	}
	return out.Bytes(), nil
}

// toolError is what a go command says, in lines that stay as they are.
type toolError struct{ said string }

func (e *toolError) Error() string { return e.said }

func (b *binary) file() string { return filepath.Join(b.temp.Path, "package.test") }

func (b *binary) remove() { b.temp.Remove() }

// command runs tests of the binary whose names fit a pattern.
func (b *binary) command(pattern, variable, value string) *exec.Cmd {
	cmd := exec.Command(b.file(), "-test.run="+pattern, "-test.count=1", "-test.timeout=0")
	cmd.Dir = b.Dir
	cmd.Env = append(append(os.Environ(), b.env...), variable+"="+value)
	return cmd
}

// list returns the checks in a test, or in all if none is named.
func (b *binary) list(ctx context.Context, test string) ([]Listed, error) {
	pattern := candidates(b.Dir, slices.Concat(b.TestGoFiles, b.XTestGoFiles))
	if test != "" {
		pattern = check.RunPattern(test)
		if plain := plainTest(test); plain != test { // go test itself calls the second subtest of a name #01
			pattern += "|" + check.RunPattern(plain)
		}
	}
	file := filepath.Join(b.temp.Path, "list")
	cmd := b.command(pattern, listVar, file)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	failed := cmd.Wait()
	stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Listed
	count := map[string]int{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var l Listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		l.goTest = l.Test
		if count[l.Test]++; count[l.Test] > 1 {
			l.Test = fmt.Sprintf("%s#%d", l.Test, count[l.Test])
		}
		all = append(all, l)
	}
	switch {
	case len(all) > 0:
		return all, nil
	case failed != nil:
		return nil, fmt.Errorf("the tests of %s end (%w) before one calls mctest.Check: %s", b.ImportPath, failed, bytes.TrimSpace(said.Bytes()))
	case test != "":
		return nil, fmt.Errorf("%s: the test %s does not call mctest.Check; \"macemc systems %s\" lists those that do", b.ImportPath, test, b.ImportPath)
	}
	return nil, fmt.Errorf("no test of %s calls mctest.Check, so there is no system to check", b.ImportPath)
}

// plainTest takes away what tells several checks of one test apart.
func plainTest(name string) string {
	plain, _, _ := strings.Cut(name, "#")
	return plain
}

// obey lets the test do what this process was asked for. The streams, and the terminal with them, are those
// of this process.
func (b *binary) obey(l Listed) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	l.Test = l.goTest
	reached := filepath.Join(b.temp.Path, "reached")
	order, err := json.Marshal(Order{Args: b.a.args, Program: b.a.program, Dir: dir, Reached: reached, Listed: l, Held: true})
	if err != nil {
		return err
	}
	cmd := b.command(check.RunPattern(l.Test), driveVar, string(order))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = b.a.stdin, b.a.stdout, b.a.stderr
	pipe, held, err := os.Pipe()
	if err != nil {
		return err
	}
	defer pipe.Close()
	defer held.Close()
	cmd.ExtraFiles = []*os.File{pipe}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			cmd.Process.Signal(s)
			continue
		case err = <-done:
		}
		break
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return err
	}
	if _, err := os.Stat(reached); err != nil {
		return fmt.Errorf("%s: %s did not come to the system that it listed; does the system depend on when or where it is built?", b.ImportPath, l.Test)
	}
	switch status := cmd.ProcessState.ExitCode(); status {
	case check.StatusOK:
		return nil
	case -1:
		return fmt.Errorf("%s: the process of the tests ended: %v", b.ImportPath, cmd.ProcessState)
	default:
		return statusError(status)
	}
}
