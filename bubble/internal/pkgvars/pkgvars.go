// Package pkgvars finds the package variables that functions mention and that their packages change.
package pkgvars

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
)

// Changed returns the sorted names of the package variables that the functions of frames mention and that their packages
// change. It reads the source code if available.
func Changed(frames []runtime.Frame) []string {
	names := map[string]bool{}
	packages := map[string]*source{}
	for _, f := range frames {
		dir := filepath.Dir(f.File)
		if packages[dir] == nil {
			packages[dir] = parseSource(dir, f.File)
		}
		packages[dir].mentioned(f.File, f.Line, names)
	}
	return slices.Sorted(maps.Keys(names))
}

// source is a parsed package, with the type information that its own files yield.
type source struct {
	fset    *token.FileSet
	files   []*ast.File
	uses    map[*ast.Ident]types.Object
	changed map[types.Object]bool
}

// noImporter fails every import: the variables of a package are resolved without its dependencies.
type noImporter struct{}

func (noImporter) Import(string) (*types.Package, error) { return nil, errors.New("left out") }

// parseSource parses the files in a folder that belong to the same package as the given file.
func parseSource(dir, of string) *source {
	s := &source{fset: token.NewFileSet(), uses: map[*ast.Ident]types.Object{}, changed: map[types.Object]bool{}}
	main, err := parser.ParseFile(s.fset, of, nil, parser.PackageClauseOnly)
	if err != nil {
		return s
	}
	all, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range all {
		if f, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution); err == nil && f.Name.Name == main.Name.Name {
			s.files = append(s.files, f)
		}
	}
	conf := types.Config{Importer: noImporter{}, Error: func(error) {}}
	_, _ = conf.Check(dir, s.fset, s.files, &types.Info{Uses: s.uses})
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, x := range n.Lhs {
					s.change(x)
				}
			case *ast.IncDecStmt:
				s.change(n.X)
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					s.change(n.X)
				}
			case *ast.CallExpr: // the method may change its receiver
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
					s.change(sel.X)
				}
			}
			return true
		})
	}
	return s
}

// change records that the variable at the root of an expression is changed.
func (s *source) change(x ast.Expr) {
	for {
		switch e := x.(type) {
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		case *ast.Ident:
			s.changed[s.uses[e]] = true
			return
		default:
			return
		}
	}
}

// mentioned adds the changed package variables that the innermost function around a line mentions.
func (s *source) mentioned(file string, line int, names map[string]bool) {
	var inner ast.Node
	for _, f := range s.files {
		if s.fset.Position(f.Pos()).Filename != file {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				if s.fset.Position(n.Pos()).Line <= line && line <= s.fset.Position(n.End()).Line {
					inner = n
				}
			}
			return true
		})
	}
	if inner == nil {
		return
	}
	ast.Inspect(inner, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.uses[id].(*types.Var); ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() && s.changed[v] {
				names[v.Name()] = true
			}
		}
		return true
	})
}
