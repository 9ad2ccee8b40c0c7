package vet

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// makes is a fact about a package: the types that it makes values of.
type makes struct {
	Types   []string // types with values that no rule of a table made
	Systems bool     // it builds machine systems
}

func (*makes) AFact() {}

func (*makes) String() string { return "makes values" }

// expected is a type of events for which a table has rules.
type expected struct {
	event    string // with its package
	from     string // the package of the event
	exported bool
	finding  Finding // about the first rule
}

// events holds the rules and the made types of a package.
type events struct {
	expected []expected
	read     map[string]*makes // by package: itself and its imports
}

// eventFinder finds the events of a package.
type eventFinder struct{ *pass }

// find records the events that have rules, and the types that are made.
func (p *eventFinder) find() events {
	own := &makes{}
	made := map[string]bool{}
	var all []expected
	for _, f := range p.Files {
		ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if t, ok := p.info.Uses[n].(*types.TypeName); ok && !p.onlyTakes(n, stack) {
					made[eventName(t.Type())] = true
				}
				if inst := p.info.Instances[n]; !inPackage(p.info.Uses[n], machinePath) {
					for t := range inst.TypeArgs.Types() {
						made[eventName(t)] = true
					}
				}
			case *ast.CompositeLit:
				own.Systems = own.Systems || eventName(p.info.TypeOf(n)) == machinePath+".System"
			case *ast.ValueSpec:
				own.Systems = own.Systems || n.Type != nil && eventName(p.info.TypeOf(n.Type)) == machinePath+".System"
			case *ast.CallExpr:
				all = append(all, p.rulesIn(n, stack)...)
			}
			return true
		})
	}
	own.Types = slices.Sorted(maps.Keys(made))
	p.ExportPackageFact(own)
	e := events{read: map[string]*makes{p.pkg.Path(): own}}
	for _, fact := range p.AllPackageFacts() {
		if m, ok := fact.Fact.(*makes); ok {
			e.read[fact.Package.Path()] = m
		}
	}
	// The first of several rules of one table.
	slices.SortStableFunc(all, func(a, b expected) int { return cmp.Compare(a.event, b.event) })
	e.expected = slices.CompactFunc(all, func(a, b expected) bool { return a.event == b.event && a.finding.Handler == b.finding.Handler })
	return e
}

// tableRule returns the function of package machine that a call makes a rule by, or nil. at is the index of the type
// parameter of the event, or -1 if the events are arguments.
func (p *eventFinder) tableRule(n *ast.CallExpr) (f *types.Func, at int) {
	f = p.callee(n)
	if inPackage(f, machinePath) {
		switch f.Name() {
		case "On", "OnGotoWith":
			return f, 1
		case "OnGoto", "OnPush":
			return f, 0
		case "Defer", "Ignore":
			return f, -1
		}
	}
	return nil, 0
}

// rulesIn returns the events of a call that makes rules of a table.
func (p *eventFinder) rulesIn(n *ast.CallExpr, stack []ast.Node) (all []expected) {
	f, at := p.tableRule(n)
	if f == nil || p.suppressions.cover(nil, n.Pos()) {
		return nil
	}
	var list []types.Type
	if at < 0 {
		for _, arg := range n.Args {
			list = append(list, p.info.TypeOf(arg))
		}
	} else {
		for e := range ast.Preorder(n.Fun) {
			if id, ok := e.(*ast.Ident); ok && p.info.Uses[id] == f {
				list = append(list, p.info.Instances[id].TypeArgs.At(at))
			}
		}
	}
	table, state := p.tableAround(stack)
	for _, t := range list {
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() == machinePath {
			continue
		}
		all = append(all, expected{eventName(t), named.Obj().Pkg().Path(), named.Obj().Exported(), Finding{
			Place: p.place(n.Pos()), Kind: Unsent, Instead: infoOf(Unsent).Instead, Handler: table, Handlers: []string{table},
			Message: "there is a rule for " + named.Obj().Name() + state + ", but no analyzed code makes one",
		}})
	}
	return all
}

// tableAround returns the names of the table and the state of a rule, if the source shows them.
func (p *eventFinder) tableAround(stack []ast.Node) (table, state string) {
	for _, n := range slices.Backward(stack) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || !inPackage(p.callee(call), machinePath) {
			continue
		}
		name, _ := p.text(call.Args[0])
		switch p.callee(call).Name() {
		case "In":
			state = " in state " + name
		case "Define":
			return "machine " + name, state
		}
	}
	return "a table", state
}

// onlyTakes reports whether a type name is used only to receive values that were made elsewhere, or without any value.
func (p *eventFinder) onlyTakes(n *ast.Ident, stack []ast.Node) bool {
	around := func(list ...ast.Node) bool {
		return slices.ContainsFunc(list, func(e ast.Node) bool { return e.Pos() <= n.Pos() && n.End() <= e.End() })
	}
	for i, node := range stack {
		takes := false
		switch node := node.(type) {
		case *ast.FuncDecl:
			takes = node.Recv != nil && around(node.Recv)
		case *ast.FuncType:
			takes = around(node.Params)
		case *ast.TypeAssertExpr:
			takes = node.Type != nil && around(node.Type)
		case *ast.CaseClause:
			_, ok := stack[max(0, i-2)].(*ast.TypeSwitchStmt)
			takes = ok && n.Pos() < node.Colon
		case *ast.CallExpr:
			if f, at := p.tableRule(node); f != nil {
				takes = at >= 0 && around(node.Fun) || at < 0 && slices.ContainsFunc(node.Args, func(e ast.Expr) bool {
					lit, ok := ast.Unparen(e).(*ast.CompositeLit) // with the zero value
					return ok && len(lit.Elts) == 0 && around(e)
				})
			}
		}
		if takes {
			return true
		}
	}
	return false
}

// eventName returns the name of a type with its package, or an empty string for unnamed types.
func eventName(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}

// unsent returns the events for which packages have rules, and that no analyzed package makes. An event that code
// elsewhere can name counts only if some analyzed package builds a machine system: otherwise unknown code may send it.
func unsent(all []events) (findings []Finding) {
	read, made, systems := map[string]bool{}, map[string]bool{}, false
	for _, e := range all {
		for path, m := range e.read {
			read[path] = true
			systems = systems || m.Systems
			for _, name := range m.Types {
				made[name] = true
			}
		}
	}
	for _, e := range all {
		for _, x := range e.expected {
			if read[x.from] && !made[x.event] && (systems || !x.exported) {
				findings = append(findings, x.finding)
			}
		}
	}
	return findings
}
