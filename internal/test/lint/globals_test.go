package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"testing"
)

// noInit: importing a package does nothing.
func noInit(_ *tree, p *pkg) (found []problem) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				found = append(found, problem{fn.Pos(), "has an init function; importing a package must do nothing"})
			}
		}
	}
	return found
}

// noGlobalState checks that variables of packages that take part in steps are constants in effect, like errors and
// tables. No package assigns to them, in whole or in part, outside their declaration. They hold no locks, atomics
// or channels, which are state by nature, unless a comment says why.
func noGlobalState(t *tree, p *pkg) (found []problem) {
	if below(p.path, deterministic...) {
		excused := map[string]bool{}
		for _, f := range p.files {
			file := t.fset.Position(f.Pos()).Filename
			for line, reason := range excuses(t.fset, f, "state") {
				excused[fmt.Sprint(file, ":", line+1)] = reason != ""
			}
		}
		scope := p.types.Scope()
		for _, name := range scope.Names() {
			at := t.fset.Position(scope.Lookup(name).Pos())
			if v, ok := scope.Lookup(name).(*types.Var); ok && !excused[fmt.Sprint(at.Filename, ":", at.Line)] && stateful(v.Type(), map[types.Type]bool{}) {
				found = append(found, problem{v.Pos(), "the package variable " + name + " is state by its type"})
			}
		}
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			for _, e := range assigned(p.info, n) {
				v := root(p.info, e)
				if v != nil && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() && t.deterministic(v.Pkg()) {
					found = append(found, problem{e.Pos(), "changes the package variable " + v.Name()})
				}
			}
			return true
		})
	}
	return found
}

func (t *tree) deterministic(of *types.Package) bool {
	for path, p := range t.pkgs {
		if p.types == of {
			return below(path, deterministic...)
		}
	}
	return false
}

// stateful reports whether a value of type t is there to be changed.
func stateful(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		if path := named.Obj().Pkg().Path(); path == "sync" || path == "sync/atomic" {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Pointer:
		return stateful(u.Elem(), seen)
	case *types.Array:
		return stateful(u.Elem(), seen)
	case *types.Slice:
		return stateful(u.Elem(), seen)
	case *types.Map:
		return stateful(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			if stateful(u.Field(i).Type(), seen) {
				return true
			}
		}
	}
	return false
}

// assigned returns what n assigns to.
func assigned(info *types.Info, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && len(n.Args) > 0 {
			if b, ok := info.Uses[id].(*types.Builtin); ok && (b.Name() == "delete" || b.Name() == "clear" || b.Name() == "copy") {
				return n.Args[:1]
			}
		}
	}
	return nil
}

// root returns the variable that e is, or is a part of; nil when there is none.
func root(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			v, _ := info.Uses[x].(*types.Var)
			return v
		case *ast.SelectorExpr:
			if info.Selections[x] == nil { // a name of another package
				e = x.Sel
			} else {
				e = x.X
			}
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func TestNoInit(t *testing.T) { enforce(t, noInit) }

func TestNoInitNotices(t *testing.T) {
	snippet{
		"search": "package x\nfunc init() {} // want has an init function\n",
		"sim":    "package x\ntype a int\nfunc (a) init() {}\nfunc f() { init := 1; _ = init }\n",
	}.test(t, noInit)
}

func TestNoGlobalState(t *testing.T) { enforce(t, noGlobalState) }

func TestNoGlobalStateNotices(t *testing.T) {
	snippet{
		"sim": `package sim
import (
	"errors"
	"sync"
	"sync/atomic"
)
type T struct{ N int; In [2]int }
var (
	ErrFull = errors.New("full")
	names = [...]string{"a", "b"}
	Table = map[string]int{"a": 1}
	Count int
	one T
	ptr = &T{}
	list []int
	mu sync.Mutex // want the package variable mu is state by its type
	//lint:state it keeps what is a fact of the process
	kept sync.Mutex
	//lint:state
	lazy sync.Mutex // want the package variable lazy is state by its type
	box struct{ n *atomic.Int64 } // want the package variable box is state by its type
	queue = []chan int{} // want the package variable queue is state by its type
)
func f() {
	Count++ // want changes the package variable Count
	Table["b"] = 2 // want changes the package variable Table
	one.In[1] += 3 // want changes the package variable one
	(*ptr).N = 4 // want changes the package variable ptr
	list = append(list, 5) // want changes the package variable list
	copy(list[1:], list) // want changes the package variable list
	delete(Table, "a") // want changes the package variable Table
	for Count = range 3 { // want changes the package variable Count
	}
	names := names
	names[0] = "local"
	Count := Count
	Count++
	var t T
	t.N = len(Table)
}
`,
		"search": `package search
import "github.com/macemc/macemc/sim"
var mine int
func f() {
	mine = 1
	sim.ErrFull = nil // want changes the package variable ErrFull
	sim.Table["a"]++ // want changes the package variable Table
}
`,
	}.test(t, noGlobalState)
}
