package overlay

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// change is one insertion into a file of the Go distribution.
type change struct {
	file  string // below src; of several files with blanks between them, the first that the distribution has
	place place
	text  string
	why   string
}

// place locates a replacement of src[from:to]. Exactly one such place must exist.
type place interface {
	find(f *ast.File) []span
	String() string
}

type span struct{ from, to token.Pos }

// atStart is the beginning of a function. A method is named Type.Name.
type atStart struct{ fn string }

func (p atStart) String() string { return "the beginning of function " + p.fn }

func (p atStart) find(f *ast.File) (found []span) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && funcName(fn) == p.fn && fn.Body != nil {
			found = append(found, span{fn.Body.Lbrace + 1, fn.Body.Lbrace + 1})
		}
	}
	return found
}

// atEnd is the end of a function.
type atEnd struct{ fn string }

func (p atEnd) String() string { return "the end of function " + p.fn }

func (p atEnd) find(f *ast.File) (found []span) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && funcName(fn) == p.fn && fn.Body != nil {
			found = append(found, span{fn.Body.Rbrace, fn.Body.Rbrace})
		}
	}
	return found
}

// beforeCall is the place before a call statement in a function.
type beforeCall struct{ fn, call string }

func (p beforeCall) String() string {
	return fmt.Sprintf("the call of %s in function %s", p.call, p.fn)
}

func (p beforeCall) find(f *ast.File) []span {
	return inFunc(f, p.fn, func(n ast.Node) (span, bool) {
		s, ok := n.(*ast.ExprStmt)
		if !ok {
			return span{}, false
		}
		c, ok := s.X.(*ast.CallExpr)
		return span{n.Pos(), n.Pos()}, ok && selector(c.Fun) == p.call
	})
}

// callee is the function name in a call in a function.
type callee struct{ fn, call string }

func (p callee) String() string {
	return fmt.Sprintf("the call of %s in function %s", p.call, p.fn)
}

func (p callee) find(f *ast.File) []span {
	return inFunc(f, p.fn, func(n ast.Node) (span, bool) {
		c, ok := n.(*ast.CallExpr)
		if !ok || selector(c.Fun) != p.call {
			return span{}, false
		}
		return span{c.Fun.Pos(), c.Fun.End()}, true
	})
}

// lastField is the end of a struct type.
type lastField struct{ typ string }

func (p lastField) String() string { return "the end of struct type " + p.typ }

func (p lastField) find(f *ast.File) (found []span) {
	ast.Inspect(f, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok && t.Name.Name == p.typ {
			if s, ok := t.Type.(*ast.StructType); ok {
				found = append(found, span{s.Fields.Closing, s.Fields.Closing})
			}
		}
		return true
	})
	return found
}

// lastElement is the end of the composite literal that initializes a package variable.
type lastElement struct{ variable string }

func (p lastElement) String() string { return "the end of the value of variable " + p.variable }

func (p lastElement) find(f *ast.File) (found []span) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok || len(v.Names) != 1 || v.Names[0].Name != p.variable || len(v.Values) != 1 {
				continue
			}
			if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
				found = append(found, span{lit.Rbrace, lit.Rbrace})
			}
		}
	}
	return found
}

func inFunc(f *ast.File, name string, match func(ast.Node) (span, bool)) (found []span) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && funcName(fn) == name && fn.Body != nil {
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if s, ok := match(n); ok {
					found = append(found, s)
				}
				return true
			})
		}
	}
	return found
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) != 1 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

// selector returns the text of an identifier or of a chain of selectors, or "" for any other expression.
func selector(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := selector(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	}
	return ""
}

// apply makes the changes of one file. Line numbers stay the same, so that stacks show those of the original.
func apply(name string, src []byte, changes []change) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	var missing []string
	for _, c := range changes {
		found := c.place.find(f)
		if len(found) != 1 {
			missing = append(missing, fmt.Sprintf("%s: %v is there %d times, not once (needed for: %s)", name, c.place, len(found), c.why))
			continue
		}
		edits = append(edits, edit{fset.Position(found[0].from).Offset, fset.Position(found[0].to).Offset, c.text})
	}
	if len(missing) > 0 {
		return nil, &PlacesError{missing}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		src = slices.Concat(src[:e.from], []byte(e.text), src[e.to:])
	}
	return src, nil
}

// PlacesError lists the places that a Go distribution lacks or has more than once.
type PlacesError struct{ Places []string }

func (e *PlacesError) Error() string { return strings.Join(e.Places, "; ") }
