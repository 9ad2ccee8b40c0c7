package replay

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// sourceFile is a parsed Go file. Its syntax is nil if the file cannot be read or parsed.
type sourceFile struct {
	set    *token.FileSet
	syntax *ast.File
}

// handled returns the place of the code that handles a value of a type, a message or a timer, given the place of
// the handler. It is the case of a type switch, or the function that the case consists of calling. It searches the
// handler and the functions that the value is passed to. It returns "" if the source is missing or has no such
// case.
func (p *Places) handled(place string, value any) string {
	t := reflect.TypeOf(value)
	if t == nil || place == "" {
		return ""
	}
	what := handledAt{place, t}
	at, ok := p.cases[what]
	if !ok {
		at = p.find(place, t)
		p.cases[what] = at
	}
	return at
}

// handledAt is the cache key of handled.
type handledAt struct {
	place string
	value reflect.Type
}

func (p *Places) find(place string, t reflect.Type) string {
	file, line := SplitPlace(place)
	fn, at := p.function(file, line)
	if fn == nil {
		return ""
	}
	s := search{p: p, dir: filepath.Dir(file), wanted: t, seen: map[*ast.FuncDecl]bool{}}
	return s.in(at, fn)
}

// parse parses a file once.
func (p *Places) parse(file string) *sourceFile {
	f, ok := p.files[file]
	if !ok {
		f = &sourceFile{set: token.NewFileSet()}
		if syntax, err := parser.ParseFile(f.set, file, nil, parser.SkipObjectResolution); err == nil {
			f.syntax = syntax
		}
		p.files[file] = f
	}
	return f
}

// function returns the function around a line.
func (p *Places) function(file string, line int) (*ast.FuncDecl, string) {
	f := p.parse(file)
	if f.syntax == nil {
		return nil, ""
	}
	for _, d := range f.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && f.line(fn.Pos()) <= line && line <= f.line(fn.End()) {
			return fn, file
		}
	}
	return nil, ""
}

func (f *sourceFile) line(pos token.Pos) int { return f.set.Position(pos).Line }

// search finds the case of one type in the functions of a folder.
type search struct {
	p      *Places
	dir    string
	wanted reflect.Type
	seen   map[*ast.FuncDecl]bool
}

// in searches a function of a file, then the functions that get its parameters as arguments.
func (s *search) in(file string, fn *ast.FuncDecl) string {
	if s.seen[fn] || len(s.seen) > 20 {
		return ""
	}
	s.seen[fn] = true
	f := s.p.parse(file)
	found := ""
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CaseClause:
			if found == "" && slices.ContainsFunc(n.List, s.names) {
				found = s.body(file, fn, n.Body, f.line(n.Pos()))
			}
		case *ast.IfStmt:
			if found == "" && s.asserts(n.Init) {
				found = s.body(file, fn, n.Body.List, f.line(n.Pos()))
			}
		}
		return found == ""
	})
	if found != "" {
		return found
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && found == "" && passesOn(fn, call) {
			if callee, at := s.callee(fn, call); callee != nil {
				found = s.in(at, callee)
			}
		}
		return found == ""
	})
	return found
}

// names reports whether an expression can be the wanted type.
func (s *search) names(e ast.Expr) bool {
	t := s.wanted
	if star, ok := e.(*ast.StarExpr); ok && t.Kind() == reflect.Pointer {
		e, t = star.X, t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[") // of a generic type
	switch e := e.(type) {
	case *ast.Ident:
		return name != "" && e.Name == name
	case *ast.SelectorExpr:
		return name != "" && e.Sel.Name == name
	case *ast.IndexExpr:
		id, ok := e.X.(*ast.Ident)
		return ok && id.Name == name
	}
	return false
}

// asserts reports whether the statement of an if is "m, ok := msg.(T)".
func (s *search) asserts(init ast.Stmt) bool {
	a, ok := init.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return false
	}
	assert, ok := a.Rhs[0].(*ast.TypeAssertExpr)
	return ok && assert.Type != nil && s.names(assert.Type)
}

// body returns the place of a case: its line, or the only function that it calls. A function that gets only parts of the
// message may serve other cases, too.
func (s *search) body(file string, fn *ast.FuncDecl, body []ast.Stmt, line int) string {
	if len(body) == 1 {
		var call *ast.CallExpr
		switch stmt := body[0].(type) {
		case *ast.ExprStmt:
			call, _ = stmt.X.(*ast.CallExpr)
		case *ast.ReturnStmt:
			if len(stmt.Results) == 1 {
				call, _ = stmt.Results[0].(*ast.CallExpr)
			}
		}
		if call != nil && !slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return isPart(fn, a) }) {
			if callee, at := s.callee(fn, call); callee != nil {
				return cmp.Or(s.in(at, callee), fmt.Sprintf("%s:%d", at, s.p.parse(at).line(callee.Pos())))
			}
		}
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// isPart reports whether an argument is a field of something other than the receiver.
func isPart(fn *ast.FuncDecl, arg ast.Expr) bool {
	field, ok := arg.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := field.X.(*ast.Ident)
	return ok && (fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 || id.Name != fn.Recv.List[0].Names[0].Name)
}

// passesOn reports whether a call has the function's last parameter as an argument.
func passesOn(fn *ast.FuncDecl, call *ast.CallExpr) bool {
	last := fn.Type.Params.List
	if len(last) == 0 || len(last[len(last)-1].Names) == 0 {
		return false
	}
	names := last[len(last)-1].Names
	value := names[len(names)-1].Name // the last parameter of Receive and Timer is the value
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		id, ok := a.(*ast.Ident)
		return ok && id.Name == value
	})
}

// callee returns the called function if it is in the folder, or a method of the same type.
func (s *search) callee(fn *ast.FuncDecl, call *ast.CallExpr) (*ast.FuncDecl, string) {
	name, on := "", ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		id, ok := f.X.(*ast.Ident)
		if !ok || fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 || id.Name != fn.Recv.List[0].Names[0].Name {
			return nil, ""
		}
		name, on = f.Sel.Name, receiver(fn)
	default:
		return nil, ""
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, ""
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		file := filepath.ToSlash(filepath.Join(s.dir, e.Name()))
		f := s.p.parse(file)
		if f.syntax == nil {
			continue
		}
		for _, d := range f.syntax.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == name && d.Body != nil && receiver(d) == on {
				return d, file
			}
		}
	}
	return nil, ""
}

// receiver returns the name of the type of a method, or "" for a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	e := fn.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if index, ok := e.(*ast.IndexExpr); ok {
		e = index.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
