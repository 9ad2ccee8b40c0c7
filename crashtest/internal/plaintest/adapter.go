package plaintest

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/child"
)

// library is the import path of the package whose type Store adapters have.
const library = "github.com/macemc/macemc/crashtest"

// adapterType is the type of an adapter in a plain test.
const adapterType = "testedStore"

// adapter is the source of an adapter, without the functions that a test does not need.
type adapter struct {
	expression string            // of type testedStore
	fields     []string          // of that type
	decls      []string          // what the expression needs
	imports    map[string]string // by name in the source, or "_ " and the path
}

// sources are the files of the package that has an adapter.
type sources struct {
	fset  *token.FileSet
	files []*ast.File
	text  map[string][]byte // by path
	info  *types.Info
	pkg   *types.Package
}

// readSources reads the packages of a folder.
func readSources(dir string) (all []*sources, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	packages := map[string]*sources{} // by name
	list := []string{"list", "-find", "-e", "-f", "{{.ImportPath}} {{.Name}}", "."}
	fset, text := token.NewFileSet(), map[string][]byte{}
	for _, path := range paths {
		if text[path], err = os.ReadFile(path); err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, path, text[path], parser.ParseComments)
		if err != nil {
			return nil, err
		}
		name := f.Name.Name
		if packages[name] == nil {
			packages[name] = &sources{fset: fset, text: text, info: &types.Info{Uses: map[*ast.Ident]types.Object{}}}
			all = append(all, packages[name])
		}
		packages[name].files = append(packages[name].files, f)
		for _, spec := range f.Imports {
			list = append(list, importPath(spec))
		}
	}
	out, err := child.GoOutput(context.Background(), dir, nil, list...)
	if err != nil {
		return nil, err
	}
	names := fakes{}
	for line := range strings.SplitSeq(out, "\n") {
		path, name, _ := strings.Cut(line, " ")
		if name == "" { // not in the module
			name = filepath.Base(path)
		}
		names[path] = types.NewPackage(path, name)
		names[path].MarkComplete()
	}
	names[library] = crashtest()
	path, _, _ := strings.Cut(out, " ")                            // of the folder
	config := types.Config{Importer: names, Error: func(error) {}} // other imported packages are empty: their uses are errors
	for _, s := range all {
		s.pkg, _ = config.Check(path, fset, s.files, s.info)
	}
	return all, nil
}

// crashtest returns a package with the type of adapters. Its fields are left out, so their uses are errors, too.
func crashtest() *types.Package {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", "package crashtest; type Store[D any] struct{}", 0)
	if err != nil {
		panic(err)
	}
	p, err := new(types.Config).Check(library, fset, []*ast.File{f}, nil)
	if err != nil {
		panic(err)
	}
	return p
}

// fakes are packages that have a name and no content.
type fakes map[string]*types.Package

// Import implements [types.Importer].
func (f fakes) Import(path string) (*types.Package, error) {
	if p := f[path]; p != nil {
		return p, nil
	}
	return nil, os.ErrNotExist
}

func importPath(spec *ast.ImportSpec) string {
	path, _ := strconv.Unquote(spec.Path.Value)
	return path
}

// edit replaces the text of a node.
type edit struct {
	node ast.Node
	text string
}

// source returns the text of a node with edits inside it.
func (s *sources) source(n ast.Node, edits []edit) string {
	file := s.fset.Position(n.Pos())
	text := s.text[file.Filename]
	offset := func(p token.Pos) int { return s.fset.Position(p).Offset }
	slices.SortFunc(edits, func(a, b edit) int { return int(a.node.Pos() - b.node.Pos()) })
	out, at := "", file.Offset
	for _, e := range edits {
		if e.node.Pos() < n.Pos() || e.node.End() > n.End() || offset(e.node.Pos()) < at {
			continue
		}
		out += string(text[at:offset(e.node.Pos())]) + e.text
		at = offset(e.node.End())
	}
	return out + string(text[at:offset(n.End())])
}

// isGeneric reports whether a node is the type of adapters, without its type argument.
func (s *sources) isGeneric(e ast.Node) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Store" {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	p, ok := s.info.Uses[x].(*types.PkgName)
	return ok && p.Imported().Path() == library
}

// isStore reports whether an expression is a type of adapters.
func (s *sources) isStore(e ast.Expr) bool {
	if i, ok := e.(*ast.IndexExpr); ok {
		e = i.X
	}
	return s.isGeneric(e)
}

// found is an adapter in the source.
type found struct {
	*sources
	lit *ast.CompositeLit
	in  ast.Decl
}

// find returns the adapters of a package.
func (s *sources) find() (all []found) {
	for _, f := range s.files {
		for _, d := range f.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				if c, ok := n.(*ast.CompositeLit); ok && s.isStore(c.Type) {
					all = append(all, found{s, c, d})
				}
				return true
			})
		}
	}
	return all
}

// has reports whether the adapter has a line of one of the places.
func (f found) has(places []Place) bool {
	from, to := f.fset.Position(f.lit.Pos()), f.fset.Position(f.lit.End())
	return slices.ContainsFunc(places, func(p Place) bool {
		return p.File == filepath.Base(from.Filename) && from.Line <= p.Line && p.Line <= to.Line
	})
}

// find returns the adapter of a folder that has one of the places, or the only one.
func find(dir string, places []Place) (found, error) {
	list, err := readSources(dir)
	if err != nil {
		return found{}, err
	}
	var all []found
	for _, s := range list {
		all = append(all, s.find()...)
	}
	for _, f := range all {
		if f.has(places) {
			return f, nil
		}
	}
	if len(all) != 1 {
		return found{}, fmt.Errorf("%s has %d literals of crashtest.Store, and none with a function of the checked one", dir, len(all))
	}
	return all[0], nil
}

// element returns the element of a literal with a key.
func element(c *ast.CompositeLit, key string) *ast.KeyValueExpr {
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == key {
				return kv
			}
		}
	}
	return nil
}

// readAdapter returns an adapter with some of its functions.
func readAdapter(store Store, functions []string) (*adapter, error) {
	s, err := find(store.Dir, store.Places)
	if err != nil {
		return nil, err
	}
	lit := s.lit
	f, isFunc := s.in.(*ast.FuncDecl)
	returned := isFunc && s.returnsStore(f)
	c := &collector{sources: s.sources, out: &adapter{imports: map[string]string{}}, seen: map[ast.Decl]bool{}}
	text := c.copy(lit.Type) + "{\n"
	for _, field := range fields {
		kv := element(lit, field.name)
		needed := slices.Contains(functions, field.name)
		switch {
		case kv == nil && needed:
			return nil, fmt.Errorf("%s: the crashtest.Store has no function %s", s.fset.Position(lit.Pos()), field.name)
		case kv != nil && (needed || returned && len(f.Body.List) > 1): // other statements declare what the functions use
			text += field.name + ": " + c.copy(kv.Value) + ",\n"
			c.out.fields = append(c.out.fields, field.name+" "+field.typ)
		}
	}
	text += "}"
	switch {
	case returned:
		c.seen[f] = true
		c.out.decls = append(c.out.decls, c.copyWith(f, lit, text))
		text = f.Name.Name + "()"
	case isFunc:
		c.within(f, lit)
	}
	c.out.expression = text
	c.blankImports(s.fset.Position(lit.Pos()).Filename)
	return c.out, c.err
}

// returnsStore reports whether a function has no parameters and returns an adapter.
func (s *sources) returnsStore(f *ast.FuncDecl) bool {
	return f.Recv == nil && f.Type.Params.NumFields() == 0 && f.Type.Results.NumFields() == 1 && s.isStore(f.Type.Results.List[0].Type)
}
