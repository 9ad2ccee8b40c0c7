package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/internal/task"
)

// isPattern reports whether a name stands for several packages, as ./... does.
func isPattern(name string) bool { return strings.Contains(name, "...") }

// searchAll searches all checks in the tests of all packages that fit a pattern, one after the other, each with a report
// of its own. Its exit status is 1 when something was found, else that of the first that did not end well.
func (a *app) searchAll(ctx context.Context, f task.Search, again func(name string) string) error {
	for _, flag := range []string{"test", "out", "junit", "durable", "prefix", "save-prefixes", "from", "property"} {
		if f.Given.Has(flag) {
			return fmt.Errorf("--%s is for one system, and %s is a pattern; name one package, as in ./mysvc", flag, f.System)
		}
	}
	if err := f.Validate(); err != nil {
		return err
	}
	packages, err := a.checkingPackages(ctx, f.System)
	if err != nil {
		return err
	}
	var worst error
	checks := 0
	for _, pkg := range packages {
		n, err := a.searchPackage(ctx, pkg, f, again)
		checks += n
		if none, ok := errors.AsType[*noCheckError](err); ok {
			fmt.Fprintf(a.Stderr, "macemc: %v\n", none)
			continue
		}
		if _, said := errors.AsType[Exit](err); err != nil && !said {
			err = Exit(a.ended(ctx, err))
		}
		worst = worse(worst, err)
		if ctx.Err() != nil {
			return worst
		}
	}
	if checks == 0 && worst == nil {
		return fmt.Errorf("%s: no test of these packages calls mctest.Check, so there is no system to check", f.System)
	}
	return worst
}

// worse is an error that says of a violation, or the first of them.
func worse(a, b error) error {
	if a == nil || b == Exit(check.StatusViolation) {
		return b
	}
	return a
}

// searchPackage searches the checks of one package, and returns how many there are.
func (a *app) searchPackage(ctx context.Context, pkg string, f task.Search, again func(name string) string) (int, error) {
	b, err := a.build(ctx, "", pkg)
	if err != nil {
		return 0, err
	}
	defer b.remove()
	all, err := b.list(ctx, "")
	if err != nil {
		return 0, err
	}
	var worst error
	for _, c := range all {
		f := f
		f.System = pkg + ":" + c.Test
		f.Again = again(f.System)
		fmt.Fprintf(a.Stderr, "macemc: searching %s\n", f.System)
		err := b.do(ctx, c, &f)
		if _, said := errors.AsType[Exit](err); err != nil && !said {
			err = Exit(a.ended(ctx, err))
		}
		if worst = worse(worst, err); ctx.Err() != nil {
			break
		}
	}
	return len(all), worst
}

// checkingPackages are the packages of a pattern whose tests use package mctest.
func (a *app) checkingPackages(ctx context.Context, pattern string) ([]string, error) {
	out, err := a.goTool(ctx, "", "list", "-test", "-json=ImportPath,Deps", "--", pattern)
	if err != nil {
		return nil, err
	}
	var packages []string
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Deps       []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list %s: %w", pattern, err)
		}
		if name, ok := strings.CutSuffix(p.ImportPath, ".test"); ok && usesChecker(p.Deps) {
			packages = append(packages, name)
		}
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s: no test of these packages calls mctest.Check, so there is no system to check", pattern)
	}
	return packages, nil
}

// usesChecker reports whether package mctest is among the dependencies.
func usesChecker(deps []string) bool {
	for _, d := range deps {
		if path, _, _ := strings.Cut(d, " "); path == checker {
			return true
		}
	}
	return false
}
