package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// noMapOrder: the order of a map must not show in code that runs inside steps. A range over a map is
// allowed when it only collects the keys and the next statement sorts them; keys and values of a map
// as a sequence are allowed as the argument of a function that sorts them or fills a map.
func noMapOrder(t *tree, p *pkg) (found []problem) {
	if !below(p.path, deterministic...) {
		return nil
	}
	for _, f := range p.files {
		harmless := map[ast.Node]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			markCollected(p.info, stmtList(n), harmless)
			if call, ok := n.(*ast.CallExpr); ok && orderless(p.info, call) {
				for _, arg := range call.Args {
					harmless[ast.Unparen(arg)] = true
				}
			}
			return true
		})
		excused := excuses(t.fset, f, "sorted")
		report := func(n ast.Node, text string) {
			line := t.fset.Position(n.Pos()).Line
			reason, ok := excused[line]
			if !ok {
				reason, ok = excused[line-1]
			}
			switch {
			case !ok:
				found = append(found, problem{n.Pos(), text + "; sort, or say //lint:sorted REASON"})
			case reason == "":
				found = append(found, problem{n.Pos(), "//lint:sorted needs a reason"})
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if isMap(p.info.TypeOf(n.X)) && !harmless[n] {
					report(n, "the order of a map shows")
				}
			case *ast.CallExpr:
				if pkg, name := callee(p.info, n); pkg == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, name) && !harmless[n] {
					report(n, "the order of maps."+name+" shows")
				}
			}
			return true
		})
	}
	return found
}

// isMap reports whether t is a map, or a type parameter constrained to maps.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	if param, ok := types.Unalias(t).(*types.TypeParam); ok {
		union, ok := param.Constraint().Underlying().(*types.Interface)
		for i := 0; ok && i < union.NumEmbeddeds(); i++ {
			if u, ok := union.EmbeddedType(i).(*types.Union); ok && u.Len() > 0 && isMap(u.Term(0).Type()) {
				return true
			}
		}
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// callee returns package path and name of the function of a package that is called.
func callee(info *types.Info, call *ast.CallExpr) (pkg, name string) {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	var id *ast.Ident
	switch fun := fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return "", ""
	}
	if fn, ok := info.Uses[id].(*types.Func); ok && fn.Pkg() != nil && fn.Signature().Recv() == nil {
		return fn.Pkg().Path(), fn.Name()
	}
	return "", ""
}

// orderless reports whether the order of a sequence that is passed to call does not show.
func orderless(info *types.Info, call *ast.CallExpr) bool {
	pkg, name := callee(info, call)
	return pkg == "slices" && strings.HasPrefix(name, "Sorted") || pkg == "maps" && (name == "Collect" || name == "Insert")
}

func stmtList(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// markCollected marks the range statements in list that collect keys which are sorted right after.
func markCollected(info *types.Info, list []ast.Stmt, harmless map[ast.Node]bool) {
	for i := range len(list) - 1 {
		if loop, ok := list[i].(*ast.RangeStmt); ok {
			if into := collectsKeys(loop); into != "" && sorts(info, list[i+1], into) {
				harmless[loop] = true
			}
		}
	}
}

// collectsKeys returns the slice that a range statement does nothing but append its keys to, as text.
func collectsKeys(loop *ast.RangeStmt) string {
	key, ok := loop.Key.(*ast.Ident)
	if !ok || loop.Tok != token.DEFINE || len(loop.Body.List) != 1 {
		return ""
	}
	if value, ok := loop.Value.(*ast.Ident); loop.Value != nil && (!ok || value.Name != "_") {
		return ""
	}
	assign, ok := loop.Body.List[0].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Tok != token.ASSIGN {
		return ""
	}
	call, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || types.ExprString(call.Fun) != "append" || len(call.Args) != 2 {
		return ""
	}
	into := types.ExprString(assign.Lhs[0])
	if types.ExprString(call.Args[0]) != into || types.ExprString(call.Args[1]) != key.Name {
		return ""
	}
	return into
}

// sorts reports whether stmt does nothing but sort the slice with the given text.
func sorts(info *types.Info, stmt ast.Stmt, slice string) bool {
	expr, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	pkg, name := callee(info, call)
	switch pkg {
	case "slices":
		return strings.HasPrefix(name, "Sort") && types.ExprString(call.Args[0]) == slice
	case "sort":
		arg := ast.Unparen(call.Args[0])
		if wrap, ok := arg.(*ast.CallExpr); ok && len(wrap.Args) == 1 { // sort.Sort(byName(x))
			arg = wrap.Args[0]
		}
		return !strings.HasPrefix(name, "Search") && !strings.HasSuffix(name, "AreSorted") && name != "IsSorted" &&
			name != "Find" && types.ExprString(arg) == slice
	}
	return false
}

// excuses returns the reasons of the comments //lint:NAME by line.
func excuses(fset *token.FileSet, f *ast.File, name string) map[int]string {
	found := map[int]string{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if reason, ok := strings.CutPrefix(c.Text, "//lint:"+name); ok {
				found[fset.Position(c.Pos()).Line] = strings.TrimSpace(reason)
			}
		}
	}
	return found
}

func TestNoMapOrder(t *testing.T) { enforce(t, noMapOrder) }

func TestNoMapOrderNotices(t *testing.T) {
	const source = `package x
import (
	"maps"
	"slices"
	"sort"
)
type set map[int]bool
type box struct{ keys []int }
func f[M ~map[int]V, V any](m map[int]int, s set, g M, b *box) (sum int) {
	for k := range m { // want the order of a map shows
		b.keys = append(b.keys, k)
	}
	for range s { // want the order of a map shows
	}
	for k, v := range g { // want the order of a map shows
		_, _ = k, v
	}
	for k := range maps.Keys(m) { // want the order of maps.Keys shows
		_ = k
	}
	all := slices.Collect(maps.Values(m)) // want the order of maps.Values shows
	_ = all

	for k := range m {
		b.keys = append(b.keys, k)
	}
	slices.Sort(b.keys)
	for k, _ := range s {
		b.keys = append(b.keys, k)
	}
	sort.Sort(sort.IntSlice(b.keys))
	var other []int
	for k := range m { // want the order of a map shows
		b.keys = append(b.keys, k)
	}
	slices.Sort(other)
	for _, v := range m { // want the order of a map shows
		other = append(other, v)
	}
	slices.Sort(other)
	for k := range m { // want the order of a map shows
		other = append(other, k)
	}
	_ = slices.IsSorted(other)

	other = slices.Sorted(maps.Keys(m))
	m = maps.Collect(maps.All(m))
	//lint:sorted a sum does not depend on the order
	for _, v := range m {
		sum += v
	}
	for k := range m { //lint:sorted deleting all
		delete(m, k)
	}
	//lint:sorted
	for range m { // want needs a reason
	}
	for range b.keys {
	}
	return sum
}
`
	snippet{"netsim": source, "systems/a": source}.test(t, noMapOrder)
	snippet{"search": "package x\nfunc f(m map[int]int) { for range m {} }\n"}.test(t, noMapOrder)
}
