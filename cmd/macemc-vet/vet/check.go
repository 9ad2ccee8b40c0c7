package vet

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/macemc/macemc/internal/child"
)

// Config selects the packages to check. The zero value checks the package in the current folder.
type Config struct {
	Dir      string   // where patterns are resolved; empty means the current folder
	Patterns []string // as for go build; default "."; a single folder may be in another module than Dir
	Tags     string   // build tags, separated by commas
	NoTests  bool     // exclude _test.go files
}

// Report is the result of [Check].
type Report struct {
	Packages []string  `json:"packages"` // checked, sorted
	Handlers int       `json:"handlers"`
	Findings []Finding `json:"findings"` // by position; files below Dir are relative to it
}

// BuildError holds the compiler's messages if packages cannot be built.
type BuildError struct{ Messages []string }

func (e *BuildError) Error() string { return strings.Join(e.Messages, "\n") }

// Check analyzes packages, together with the packages of other modules that they import. It runs the go command, and
// type-checks from source. It returns a [*BuildError] if a package does not exist or does not build.
func Check(ctx context.Context, c Config) (*Report, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, err
	}
	root, err := goroot(ctx, dir)
	if err != nil {
		return nil, err
	}
	cfg := &packages.Config{
		Context: ctx, Dir: dir, Tests: !c.NoTests,
		Mode: packages.LoadAllSyntax | packages.NeedModule,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			return parseFile(fset, name, src, root)
		},
	}
	if c.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + c.Tags}
	}
	patterns := c.Patterns
	switch len(patterns) {
	case 0:
		patterns = []string{"."}
	case 1:
		cfg.Dir, patterns = inFolder(dir, patterns[0])
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_, message, wrapped := strings.Cut(err.Error(), "stderr: ") // of the go command
		if !wrapped {
			message = err.Error()
		}
		return nil, &BuildError{[]string{strings.TrimSpace(message)}}
	}
	if err := buildError(pkgs, root, dir); err != nil {
		return nil, err
	}
	pkgs = withoutDoubles(pkgs)
	if len(pkgs) == 0 {
		return nil, &BuildError{[]string{fmt.Sprintf("no packages match %s", strings.Join(patterns, " "))}}
	}
	return analyze(pkgs, dir)
}

// inFolder returns a pattern relative to the folder that it names, if it names one: that may be in another module than
// dir.
func inFolder(dir, pattern string) (in string, patterns []string) {
	folder, below := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if first, _, _ := strings.Cut(folder, "/"); first != "." && first != ".." && !filepath.IsAbs(folder) {
		return dir, []string{pattern} // an import path
	}
	in = filepath.FromSlash(folder)
	if !filepath.IsAbs(in) {
		in = filepath.Join(dir, in)
	}
	if info, err := os.Stat(in); err != nil || !info.IsDir() {
		return dir, []string{pattern} // the go command reports that it does not exist
	}
	if below {
		return in, []string{"./..."}
	}
	return in, []string{"."}
}

func analyze(pkgs []*packages.Package, dir string) (*Report, error) {
	graph, err := checker.Analyze([]*analysis.Analyzer{Analyzer}, pkgs, nil)
	if err != nil {
		return nil, err
	}
	r := &Report{Findings: []Finding{}}
	all := collection{}
	var perPackage []events
	add := func(f Finding) {
		f.File = relative(dir, f.File)
		f.Chain = slices.Clone(f.Chain)
		for i := range f.Chain {
			f.Chain[i].File = relative(dir, f.Chain[i].File)
		}
		all.add(f)
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%s: %w", act.Package.PkgPath, act.Err)
		}
		result := act.Result.(Result)
		r.Packages = append(r.Packages, act.Package.PkgPath)
		r.Handlers += result.Handlers
		for _, f := range result.Findings {
			add(f)
		}
		perPackage = append(perPackage, result.events)
	}
	for _, f := range unsent(perPackage) {
		add(f)
	}
	slices.Sort(r.Packages)
	r.Findings = all.sorted()
	return r, nil
}

// goroot returns the folder of the standard library.
func goroot(ctx context.Context, dir string) (string, error) {
	root, err := child.GoOutput(ctx, dir, nil, "env", "GOROOT")
	if err != nil {
		return "", fmt.Errorf("%w; the go command is needed", err)
	}
	return filepath.Clean(root) + string(filepath.Separator), nil
}

// parseFile omits function bodies of the standard library, which would take most of the time.
func parseFile(fset *token.FileSet, name string, src []byte, root string) (*ast.File, error) {
	if !strings.HasPrefix(name, root) {
		return parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	}
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if f != nil {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
	}
	return f, err
}

// buildError collects the errors that prevent the build of packages.
func buildError(pkgs []*packages.Package, root, dir string) error {
	var messages []string
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			file, _, _ := strings.Cut(e.Pos, ":")
			if strings.HasPrefix(file, root) || p.Module == nil && e.Kind == packages.TypeError && !slices.Contains(pkgs, p) {
				continue // bodies were omitted
			}
			if e.Kind == packages.TypeError && strings.HasPrefix(e.Msg, "could not import") && len(messages) > 0 {
				continue // a consequence of another error
			}
			text := e.Msg
			if e.Pos != "" && e.Pos != "-" {
				at, rest, _ := strings.Cut(e.Pos, ":")
				text = relative(dir, at) + ":" + rest + ": " + e.Msg
			}
			if text = strings.TrimSpace(text); !slices.Contains(messages, text) {
				messages = append(messages, text)
			}
		}
	})
	if len(messages) == 0 {
		return nil
	}
	return &BuildError{messages}
}

// withoutDoubles removes test programs, packages of test files only, and packages that also exist with their test
// files.
func withoutDoubles(pkgs []*packages.Package) (list []*packages.Package) {
	tested := map[string]bool{}
	for _, p := range pkgs {
		if strings.HasSuffix(p.ID, ".test]") {
			tested[p.PkgPath] = true
		}
	}
	for _, p := range pkgs {
		if len(p.Syntax) == 0 || strings.HasSuffix(p.ID, ".test") && p.Name == "main" || p.ID == p.PkgPath && tested[p.PkgPath] {
			continue
		}
		list = append(list, p)
	}
	return list
}

func relative(dir, file string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}
