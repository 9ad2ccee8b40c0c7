package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/systems/spec"
)

// isPackage reports whether the name of a system is a folder or an import path.
func isPackage(name string) bool {
	return name == "." || name == ".." || strings.ContainsAny(name, `/\`)
}

// splitTest separates the name of a test from the name of a package.
func splitTest(name string) (pkg, test string) {
	if at := strings.LastIndex(name, ":Test"); at >= 0 {
		return name[:at], name[at+1:]
	}
	return name, ""
}

// entry returns the bundled system with a name.
func (a *app) entry(name string) (spec.Entry, error) {
	if pkg, _ := splitTest(name); isPackage(pkg) {
		return spec.Entry{}, fmt.Errorf("%s is a package, not a bundled system; \"macemc systems\" lists those", name)
	}
	return a.Entry(name)
}

// onSystem executes a task on the system with a name, which may consist of a package and a test.
func (a *app) onSystem(ctx context.Context, name, test string, t task.Task) error {
	if err := t.Validate(); err != nil {
		return err
	}
	pkg, inName := splitTest(name)
	switch {
	case !isPackage(pkg) && test != "":
		return fmt.Errorf("--test applies to packages, and %q is not one", name)
	case !isPackage(pkg):
		if err := a.testAsSystem(name); err != nil {
			return err
		}
		return t.Do(ctx, &a.Process)
	case test != "" && inName != "" && test != inName:
		return fmt.Errorf("--test %s contradicts %s; give one of them", test, name)
	}
	test = cmp.Or(inName, test)
	return a.elsewhere(ctx, "", pkg, test, func(all []listedCheck) (listedCheck, error) { return chosen(all, pkg, test) }, t)
}

// testAsSystem returns an error with a suggestion if name is not a system but a test of the package in the current
// folder, and otherwise nil.
func (a *app) testAsSystem(name string) error {
	_, err := a.Entry(name)
	if err == nil {
		return nil
	}
	checking, others := testFunctions(".", testFiles("."))
	switch {
	case slices.Contains(checking, name):
		return fmt.Errorf("unknown system %q; did you mean .:%s?", name, name)
	case slices.Contains(others, name):
		return fmt.Errorf("unknown system %q; %s", name, exploreHint(name, "."))
	}
	return nil
}

// chosen returns the check with a name.
func chosen(all []listedCheck, pkg, test string) (listedCheck, error) {
	var names []string
	for _, l := range all {
		if l.Test == test || test == "" && len(all) == 1 {
			return l, nil
		}
		names = append(names, l.Test)
	}
	if test != "" {
		return listedCheck{}, textfmt.Unknown(fmt.Sprintf("%s: no check in a test", pkg), test, names)
	}
	return listedCheck{}, fmt.Errorf("%s has %d systems; name one, as in %s:%s; they are %s", pkg, len(all), pkg, names[0],
		strings.Join(names, ", "))
}

// onFile executes a task on the system of a path file.
func (a *app) onFile(ctx context.Context, file string, t task.Task) error {
	return a.onFileOf(ctx, file, "", t)
}

// onFileOf executes a task on the system of a path file. If the file belongs to a package, name selects one of the checks of its test.
// An empty name selects the first one that fits.
func (a *app) onFileOf(ctx context.Context, file, name string, t task.Task) error {
	if err := t.Validate(); err != nil {
		return err
	}
	parsed := packagePath(file)
	if parsed == nil {
		return t.Do(ctx, &a.Process)
	}
	h := parsed.Header
	defer beginAt(check.Instant(&h))()
	err := a.elsewhere(ctx, filepath.Dir(file), h.Package, h.Test, func(all []listedCheck) (listedCheck, error) {
		fits := slices.DeleteFunc(slices.Clone(all), func(c listedCheck) bool {
			return c.goTest != h.Test || c.System != h.System || name != "" && c.Test != name
		})
		if len(fits) == 0 {
			return listedCheck{}, fmt.Errorf("%s: package %s has no test %s that checks the system %q", file, h.Package,
				cmp.Or(name, h.Test), h.System)
		}
		for _, c := range fits {
			if c.Nodes == h.Nodes {
				return c, nil
			}
		}
		return fits[0], nil
	}, t)
	if missing, ok := errors.AsType[*missingError](err); ok {
		err = fmt.Errorf("%s: line %d: test %s of package %s was not found from this folder or from that of the file; run the command in its module: %s",
			file, parsed.Lines["package"], h.Test, h.Package, missing.text)
	}
	return err
}

// beginAt makes the processes of tests begin at an instant until the result is called. What a test makes for its nodes, such as a
// certificate, is then what it was in the run of a path file.
func beginAt(instant uint64) (end func()) {
	before, set := os.LookupEnv(testsched.VariableInstant)
	os.Setenv(testsched.VariableInstant, strconv.FormatUint(instant, 10))
	return func() {
		if os.Unsetenv(testsched.VariableInstant); set {
			os.Setenv(testsched.VariableInstant, before)
		}
	}
}

// searchFrom searches from a path file of a package's test. The name of the system, and --test, may be omitted.
func (a *app) searchFrom(ctx context.Context, f *task.Search, test string, h *pathfile.Header) error {
	pkg, inName := splitTest(f.System)
	if isFolder(pkg) {
		l, err := a.listPkg(ctx, pkg, ".")
		if err != nil {
			return err
		}
		pkg = l.ImportPath
	}
	name := cmp.Or(inName, test)
	if pkg != "" && pkg != h.Package || name != "" && name != h.Test && !strings.HasPrefix(name, h.Test+"#") || test != "" && test != name {
		return fmt.Errorf("--from %s is a run of test %s of package %s, not of %q", f.From, h.Test, h.Package, cmp.Or(f.System, test))
	}
	f.System = "" // it is that of the run
	return a.onFileOf(ctx, f.From, name, f)
}

// packagePath reads a path file. nil means that it does not belong to a package, or that reading it elsewhere gives a better error.
func packagePath(file string) *pathfile.File {
	parsed, err := pathfile.Read(file)
	if err != nil || parsed.Header.Package == "" {
		return nil
	}
	return parsed
}

// listPackage shows the checks in the tests of a package.
func (a *app) listPackage(ctx context.Context, pkg string, asJSON bool) error {
	b, all, err := a.checksOf(ctx, "", pkg, "")
	if err != nil {
		return err
	}
	defer b.remove()
	if asJSON {
		return task.WriteJSON(a.Stdout, map[string]any{"package": b.ImportPath, "systems": all})
	}
	w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	for _, l := range all {
		name := l.Test
		if l.System != l.Test {
			name += " (" + l.System + ")"
		}
		fmt.Fprintf(w, "%s\t%d nodes\t%s\n", name, l.Nodes, strings.Join(l.Properties, "; "))
	}
	return w.Flush()
}

// elsewhere executes a task in the test binary of a package, on one of the checks of a test; "" means all tests.
func (a *app) elsewhere(ctx context.Context, from, pkg, test string, choice func([]listedCheck) (listedCheck, error), t task.Task) error {
	b, all, err := a.checksOf(ctx, from, pkg, test)
	if err != nil {
		return err
	}
	defer b.remove()
	c, err := choice(all)
	if err != nil {
		return err
	}
	return b.do(ctx, c, t)
}
