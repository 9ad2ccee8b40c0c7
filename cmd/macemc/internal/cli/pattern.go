package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/search/option"
	"github.com/macemc/macemc/internal/task"
)

// isPattern reports whether a name is a pattern for several packages, such as ./...
func isPattern(name string) bool { return strings.Contains(name, "...") }

// patternSearch searches all checks in the tests of the packages that match a pattern.
type patternSearch struct {
	a     *app
	f     task.Search
	again func(name string) string
	part  string           // the file for the results of each search; an empty string means none
	parts []render.Results // so far
}

// searchPattern searches all checks of all packages that match a pattern.
func (a *app) searchPattern(ctx context.Context, f task.Search, again func(name string) string) error {
	if err := f.Validate(); err != nil {
		return err
	}
	return a.searchAll(ctx, f, again, (*patternSearch).search)
}

// searchPackage searches all checks of one package.
func (a *app) searchPackage(ctx context.Context, f task.Search, again func(name string) string) error {
	if err := f.Validate(); err != nil {
		return err
	}
	b, all, err := a.checksOf(ctx, "", f.System, "")
	if err != nil {
		return err
	}
	defer b.remove()
	if len(all) == 1 {
		return b.do(ctx, all[0], &f)
	}
	return a.searchAll(ctx, f, again, func(p *patternSearch, ctx context.Context) error {
		return p.searchChecks(ctx, b, f.System, all)
	})
}

// searchAll searches one check after another, each with a report of its own. Its exit status is 1 if there is a finding, and otherwise that
// of the first search that failed.
func (a *app) searchAll(ctx context.Context, f task.Search, again func(name string) string,
	search func(*patternSearch, context.Context) error) (err error) {
	for _, flag := range append(option.Flags(task.SearchOptions, option.Single), "test", "property") {
		if f.Given.Has(flag) {
			return fmt.Errorf("--%s is for one system, and %s has several; name one, as in ./mysvc:TestLease", flag, f.System)
		}
	}
	p := patternSearch{a: a, f: f, again: again}
	if len(f.Collected) == 0 {
		return search(&p, ctx)
	}
	if err := f.Collected.Check(); err != nil {
		return err
	}
	temp, err := scratch.New("")
	if err != nil {
		return err
	}
	defer temp.Remove()
	p.part = filepath.Join(temp.Path, task.Part)
	p.f.Collected = task.Collected{task.Part: p.part}
	stdout := a.Stdout
	if f.Collected.Printed() != "" {
		a.Stdout = io.Discard
	}
	err = search(&p, ctx)
	a.Stdout = stdout
	if len(p.parts) == 0 {
		return err
	}
	if e := f.Collected.Write(&a.Process, p.parts...); e != nil {
		return a.StatusError(ctx, statusOf(err), e)
	}
	return err
}

// statusOf returns the exit status of an error that was reported.
func statusOf(err error) int {
	status, _ := errors.AsType[Exit](err)
	return int(status)
}

func (p *patternSearch) search(ctx context.Context) error {
	packages, err := p.a.checkingPackages(ctx, p.f.System)
	if err != nil {
		return err
	}
	var worst error
	checks := 0
	for _, pkg := range packages {
		n, err := p.searchPackage(ctx, pkg)
		checks += n
		if none, ok := errors.AsType[*noCheckError](err); ok {
			fmt.Fprintf(p.a.Stderr, "macemc: %v\n", none)
			continue
		}
		if err != nil && n == 0 {
			p.parts = append(p.parts, render.Missing(pkg, err.Error()))
		}
		worst = worse(worst, p.markReported(ctx, err))
		if ctx.Err() != nil {
			return worst
		}
	}
	if checks == 0 && worst == nil {
		return noSystem(p.f.System)
	}
	return worst
}

func noSystem(pattern string) error {
	return fmt.Errorf("%s: no test of these packages calls mctest.Check, so there is no system to check; macemc test explores other tests",
		pattern)
}

// markReported reports an error, unless it was reported already, and returns an error that marks it as reported.
func (p *patternSearch) markReported(ctx context.Context, err error) error {
	if _, said := errors.AsType[Exit](err); err == nil || said {
		return err
	}
	return Exit(p.a.exitStatus(ctx, err))
}

// worse returns the error that stands for a violation, or else the first of the two.
func worse(a, b error) error {
	if a == nil || b == Exit(exitcode.Violation) {
		return b
	}
	return a
}

// searchPackage searches the checks of one package and returns their number.
func (p *patternSearch) searchPackage(ctx context.Context, pkg string) (int, error) {
	b, all, err := p.a.checksOf(ctx, "", pkg, "")
	if err != nil {
		return 0, err
	}
	defer b.remove()
	return len(all), p.searchChecks(ctx, b, pkg, all)
}

// checksOf builds the tests of a package, as build does, and lists the checks in a test, or in all if none is named.
func (a *app) checksOf(ctx context.Context, other, pkg, test string) (*binary, []listedCheck, error) {
	b, err := a.build(ctx, other, pkg)
	if err != nil {
		return nil, nil, err
	}
	all, err := b.list(ctx, test)
	if err != nil {
		b.remove()
		return nil, nil, err
	}
	return b, all, nil
}

// searchChecks searches the checks of one package.
func (p *patternSearch) searchChecks(ctx context.Context, b *binary, pkg string, all []listedCheck) error {
	var worst error
	for _, c := range all {
		f := p.f
		f.System = pkg + ":" + c.Test
		f.Again = p.again(f.System)
		fmt.Fprintf(p.a.Stderr, "macemc: searching %s\n", f.System)
		err := b.do(ctx, c, &f)
		p.takePart(f.System, err)
		if worst = worse(worst, p.markReported(ctx, err)); ctx.Err() != nil {
			break
		}
	}
	return worst
}

// takePart collects the results of a search, or the reason why they are missing.
func (p *patternSearch) takePart(name string, err error) {
	if p.part == "" {
		return
	}
	var r render.Results
	text, e := os.ReadFile(p.part)
	if e == nil {
		os.Remove(p.part)
		e = json.Unmarshal(text, &r)
	}
	r.SetName(name)
	if e != nil {
		problem := cmp.Or(err, e).Error()
		if statusOf(err) != 0 {
			problem += " without a report; see standard error"
		}
		r = render.Missing(name, problem)
	}
	p.parts = append(p.parts, r)
}

// checkingPackages returns the packages of a pattern whose tests use package mctest.
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
		usesChecker := slices.ContainsFunc(p.Deps, func(d string) bool { return d == checker || strings.HasPrefix(d, checker+" ") })
		if name, ok := strings.CutSuffix(p.ImportPath, ".test"); ok && usesChecker {
			packages = append(packages, name)
		}
	}
	if len(packages) == 0 {
		return nil, noSystem(pattern)
	}
	return packages, nil
}
