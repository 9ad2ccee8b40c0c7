package plaintest

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// collector copies code and what it needs of its package.
type collector struct {
	*sources
	out  *adapter
	seen map[ast.Decl]bool
	err  error // the first one
}

func (c *collector) failed(n ast.Node, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s", c.fset.Position(n.Pos()), fmt.Sprintf(format, args...))
	}
}

// copy returns the text of a node, and collects what it needs.
func (c *collector) copy(n ast.Node) string { return c.copyWith(n, nil, "") }

// copyWith is copy with another text for a literal inside the node; nil means none.
func (c *collector) copyWith(n ast.Node, lit *ast.CompositeLit, text string) string {
	var edits []edit
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.CompositeLit); ok && l == lit {
			edits = append(edits, edit{l, text})
			return false
		}
		if c.isGeneric(n) {
			edits = append(edits, edit{n, adapterType})
			return false
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch o := c.info.Uses[id].(type) {
		case nil:
		case *types.PkgName:
			path := o.Imported().Path()
			if strings.HasPrefix(path, strings.TrimSuffix(library, "crashtest")) {
				c.failed(id, "the adapter uses package %s", path)
			}
			c.out.imports[id.Name] = path
		default:
			if o.Pkg() == c.pkg && o.Parent() == c.pkg.Scope() {
				edits = append(edits, edit{id, c.collect(id, o)})
			}
		}
		return true
	})
	return c.source(n, edits)
}

// collect adds the declaration of an object that a test declares. An object of the tested package is imported. collect returns the name.
func (c *collector) collect(id *ast.Ident, o types.Object) string {
	if file := c.fset.Position(o.Pos()).Filename; !strings.HasSuffix(file, "_test.go") {
		if !o.Exported() {
			c.failed(id, "the adapter uses %s, which only its package has", id.Name)
		}
		c.out.imports[c.pkg.Name()] = c.pkg.Path()
		return c.pkg.Name() + "." + id.Name
	}
	for _, f := range c.files {
		for _, d := range f.Decls {
			if c.declares(d, o) && !c.seen[d] {
				c.seen[d] = true
				c.out.decls = append(c.out.decls, c.copy(d))
				c.blankImports(c.fset.Position(f.Pos()).Filename)
			}
		}
	}
	return id.Name
}

// declares reports whether a declaration has an object, or is a method of it.
func (c *collector) declares(d ast.Decl, o types.Object) bool {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
		t := f.Recv.List[0].Type
		if star, ok := t.(*ast.StarExpr); ok {
			t = star.X
		}
		id, ok := t.(*ast.Ident)
		return ok && c.info.Uses[id] == o
	}
	return d.Pos() <= o.Pos() && o.Pos() < d.End()
}

// blankImports adds the packages that a file imports without a name.
func (c *collector) blankImports(file string) {
	for _, f := range c.files {
		for _, spec := range f.Imports {
			if c.fset.Position(f.Pos()).Filename == file && spec.Name != nil && spec.Name.Name == "_" {
				c.out.imports["_ "+importPath(spec)] = importPath(spec)
			}
		}
	}
}

// within reports an adapter that uses variables of the function around it.
func (c *collector) within(f *ast.FuncDecl, lit *ast.CompositeLit) {
	ast.Inspect(lit, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || c.info.Uses[id] == nil {
			return true
		}
		at := c.info.Uses[id].Pos()
		if f.Pos() <= at && at < f.End() && (at < lit.Pos() || lit.End() <= at) {
			c.failed(id, "the adapter uses the variable %s of %s: return the crashtest.Store from a function without parameters",
				id.Name, f.Name.Name)
		}
		return true
	})
}
