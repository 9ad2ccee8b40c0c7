package vet

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
)

// tableRules reports whether a function of package machine makes rules for events. typeArg is the index of the type
// parameter of the event, or -1 if the events are arguments.
func tableRules(name string) (typeArg int, ok bool) {
	switch name {
	case "On", "OnGotoWith":
		return 1, true
	case "OnGoto", "OnPush":
		return 0, true
	case "Defer", "Ignore":
		return -1, true
	}
	return 0, false
}

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

// findEvents records the events that have rules, and the types that are made.
func (p *pass) findEvents() events {
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
				if inst, ok := p.info.Instances[n]; ok && !ofMachine(p.info.Uses[n]) {
					for t := range inst.TypeArgs.Types() {
						made[eventName(t)] = true
					}
				}
			case *ast.CompositeLit:
				t, ok := types.Unalias(p.info.TypeOf(n)).(*types.Named)
				own.Systems = own.Systems || ok && isSystem(t)
			case *ast.ValueSpec:
				t, ok := types.Unalias(p.info.TypeOf(n.Type)).(*types.Named)
				own.Systems = own.Systems || ok && isSystem(t)
			case *ast.CallExpr:
				all = append(all, p.rulesIn(n, stack)...)
			}
			return true
		})
	}
	for name := range made {
		own.Types = append(own.Types, name)
	}
	slices.Sort(own.Types)
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

// rulesIn returns the events of a call that makes rules of a table.
func (p *pass) rulesIn(n *ast.CallExpr, stack []ast.Node) (all []expected) {
	f := callee(p.info, n)
	if !ofMachine(f) {
		return nil
	}
	at, ok := tableRules(f.Name())
	if !ok {
		return nil
	}
	var list []types.Type
	if at < 0 {
		for _, arg := range n.Args {
			list = append(list, p.info.TypeOf(arg))
		}
	} else if id := calledName(n); id != nil {
		if inst, ok := p.info.Instances[id]; ok && inst.TypeArgs.Len() > at {
			list = append(list, inst.TypeArgs.At(at))
		}
	}
	table, state := p.tableAround(stack)
	for _, t := range list {
		named, ok := types.Unalias(t).(*types.Named)
		if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() == machinePath || p.suppressions.cover(nil, n.Pos()) {
			continue
		}
		pos := p.fset.Position(n.Pos())
		all = append(all, expected{eventName(t), named.Obj().Pkg().Path(), named.Obj().Exported(), Finding{
			File: pos.Filename, Line: pos.Line, Column: pos.Column, Kind: Unsent, Instead: infoOf(Unsent).Instead, Handler: table,
			Handlers: []string{table},
			Message:  "there is a rule for " + named.Obj().Name() + state + ", but no analyzed code makes one",
		}})
	}
	return all
}

// tableAround returns the names of the table and the state of a rule, if the source shows them.
func (p *pass) tableAround(stack []ast.Node) (table, state string) {
	table = "a table"
	for _, n := range slices.Backward(stack) {
		call, ok := n.(*ast.CallExpr)
		if !ok || !ofMachine(callee(p.info, call)) || len(call.Args) == 0 {
			continue
		}
		name, _ := p.text(call.Args[0])
		switch callee(p.info, call).Name() {
		case "In":
			state = " in state " + name
		case "Define":
			return "machine " + name, state
		}
	}
	return table, state
}

// onlyTakes reports whether a type name is used only to receive values that were made elsewhere, or without any value.
func (p *pass) onlyTakes(n *ast.Ident, stack []ast.Node) bool {
	within := func(list []ast.Expr) bool {
		return slices.ContainsFunc(list, func(e ast.Expr) bool { return e.Pos() <= n.Pos() && n.End() <= e.End() })
	}
	for i, s := range stack {
		switch s := s.(type) {
		case *ast.FuncDecl:
			if s.Recv != nil && s.Recv.Pos() <= n.Pos() && n.End() <= s.Recv.End() {
				return true
			}
		case *ast.FuncType:
			if s.Params.Pos() <= n.Pos() && n.End() <= s.Params.End() {
				return true
			}
		case *ast.TypeAssertExpr:
			if s.Type != nil && within([]ast.Expr{s.Type}) {
				return true
			}
		case *ast.CaseClause:
			if _, ok := stack[max(0, i-2)].(*ast.TypeSwitchStmt); ok && within(s.List) {
				return true
			}
		case *ast.CallExpr:
			f := callee(p.info, s)
			if !ofMachine(f) {
				continue
			}
			if at, ok := tableRules(f.Name()); ok && (at < 0 && p.zeros(s.Args, within) || at >= 0 && within([]ast.Expr{s.Fun})) {
				return true
			}
		}
	}
	return false
}

// zeros reports whether a node is a zero value in some of the arguments.
func (p *pass) zeros(args []ast.Expr, within func([]ast.Expr) bool) bool {
	return slices.ContainsFunc(args, func(e ast.Expr) bool {
		lit, ok := ast.Unparen(e).(*ast.CompositeLit)
		return ok && len(lit.Elts) == 0 && within([]ast.Expr{e})
	})
}

func ofMachine(o types.Object) bool {
	if f, ok := o.(*types.Func); ok && f == nil {
		return false
	}
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == machinePath
}

// isSystem reports whether a type is machine.System.
func isSystem(t *types.Named) bool { return ofMachine(t.Obj()) && t.Obj().Name() == "System" }

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
