package lint

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/macemc/macemc"

// pkg is a package of the module, without its test files.
type pkg struct {
	path  string // below the module: "internal/encoding"
	files []*ast.File
	types *types.Package
	info  *types.Info
	err   error // the first one that the type checker found
}

// tree is a set of packages by path, with the data to type-check them.
type tree struct {
	fset *token.FileSet
	pkgs map[string]*pkg
	std  types.Importer // packages outside the module
}

// problem is a place that breaks a rule.
type problem struct {
	pos  token.Pos
	text string
}

// rule returns the places of a package that break it.
type rule func(t *tree, p *pkg) []problem

// heavy are modules that require large ones. With -short they are left out, so that nothing compiles these.
var heavy = []string{"cmd/macemc-cluster", "cmd/macemc-debug", "cmd/macemc-mcp", "cmd/macemc-vet", "evaluation"}

// loadModule returns the packages of this module, and those of the modules in it but glue.
var loadModule = sync.OnceValues(func() (*tree, error) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return nil, err
	}
	std, fset, err := newImporter(root)
	if err != nil {
		return nil, err
	}
	t := &tree{fset: fset, pkgs: map[string]*pkg{}, std: std}
	err = filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name, rel := d.Name(), relative(root, dir)
		other := below(rel, "glue/...", "deploy", "internal/test/clients", "evaluation/ecosystem", "evaluation/found/...") &&
			exists(dir, "go.mod")
		if dir != root && (name == "testdata" || name[0] == '.' || name[0] == '_' || other) ||
			testing.Short() && slices.Contains(heavy, rel) {
			return filepath.SkipDir
		}
		return t.parseDir(root, dir)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range t.pkgs {
		t.check(p)
	}
	return t, nil
})

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// relative is a folder below another, with slashes.
func relative(root, dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		panic(err) // both are absolute
	}
	return filepath.ToSlash(rel)
}

// parseDir adds the package in dir, if there is one.
func (t *tree) parseDir(root, dir string) error {
	b, err := build.ImportDir(dir, 0)
	var none *build.NoGoError
	if errors.As(err, &none) || b != nil && len(b.GoFiles) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	p := &pkg{path: relative(root, dir)}
	for _, name := range b.GoFiles {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(t.fset, path.Join(p.path, name), text, parser.ParseComments)
		if err != nil {
			return err
		}
		p.files = append(p.files, f)
	}
	t.pkgs[p.path] = p
	return nil
}

// newImporter reads packages outside the module from the export data in the build cache.
func newImporter(root string) (types.Importer, *token.FileSet, error) {
	list := exec.Command("go", "list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}",
		"./...", "./cmd/macemc/...", "./systems/etcdraft/...",
		// For the snippets that test the rules.
		"time", "math/rand", "math/rand/v2", "maps", "slices", "sort", "sync", "sync/atomic", "errors")
	if !testing.Short() {
		for _, dir := range heavy {
			list.Args = append(list.Args, "./"+dir+"/...")
		}
	}
	list.Dir = root
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil && len(out) == 0 {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[name] = file
	}
	fset := token.NewFileSet()
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path])
	}), fset, nil
}

// Import serves the type checker.
func (t *tree) Import(name string) (*types.Package, error) {
	rel, ok := strings.CutPrefix(name, module+"/")
	if !ok {
		return t.std.Import(name)
	}
	p := t.pkgs[rel]
	if p == nil {
		return nil, fmt.Errorf("there is no package %s", name)
	}
	if t.check(p); p.types == nil {
		return nil, fmt.Errorf("%s imports itself by way of others", name)
	}
	return p.types, nil
}

// check type-checks p once.
func (t *tree) check(p *pkg) {
	if p.info != nil {
		return
	}
	p.info = &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: t, Error: func(err error) { p.err = cmp.Or(p.err, err) }}
	p.types, _ = conf.Check(path.Join(module, p.path), t.fset, p.files, p.info)
}

// below reports whether a package path matches one of the patterns: a path, or a path and all below
// it, written "path/...".
func below(path string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		dir, deep := strings.CutSuffix(pattern, "/...")
		return path == dir || deep && strings.HasPrefix(path, dir+"/")
	})
}

// enforce applies a rule to the whole module.
func enforce(t *testing.T, r rule) {
	t.Helper()
	tree, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(tree.pkgs)) {
		for _, q := range r(tree, tree.pkgs[path]) {
			t.Errorf("%s: %s", tree.fset.Position(q.pos), q.text)
		}
	}
}

func TestModuleIsLoaded(t *testing.T) {
	tree, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"choose", "macetime", "sim", "internal/encoding", "netsim", "internal/replay"} {
		if tree.pkgs[path] == nil {
			t.Errorf("package %s was not found: the rules do not see it", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(tree.pkgs)) {
		if err := tree.pkgs[path].err; err != nil {
			t.Errorf("package %s does not type-check, so that rules may miss things: %v", path, err)
		}
	}
}
