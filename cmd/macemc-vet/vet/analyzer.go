package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// Analyzer reports hazards that handlers reach. Its result is a [Result].
var Analyzer = &analysis.Analyzer{
	Name: "macemc",
	Doc: "report what makes handlers of checked services no function of their state\n\n" +
		"The wall clock, global random numbers, goroutines, the order of maps, addresses in text,\n" +
		"package variables that handlers change, and input from outside. See docs/vet.md of macemc.",
	URL:              "https://pkg.go.dev/" + module + "/vet",
	Run:              run,
	RunDespiteErrors: true,
	ResultType:       reflect.TypeFor[Result](),
	FactTypes:        []analysis.Fact{new(reaches), new(requestsEffects), new(changesReceiver), new(makes)},
}

// Result is the result of [Analyzer] for a package. File names are absolute.
type Result struct {
	Handlers int
	Findings []Finding // by position

	events events
}

func run(ap *analysis.Pass) (any, error) {
	p := &pass{
		Pass: ap, fset: ap.Fset, info: ap.TypesInfo, pkg: ap.Pkg, tables: newTables(),
		suppressions: suppressions{fset: ap.Fset, comments: map[sourceLine]suppression{}},
		roots:        map[*ast.FuncLit]bool{},
		code:         units{byObject: map[types.Object]*unit{}, byLit: map[*ast.FuncLit]*unit{}},
		deferred:     deferred{changedTypes: map[*types.Named]bool{}},
	}
	if ap.Module != nil {
		p.module = ap.Module.Path
	}
	if p.module == "" && ap.Pkg.Path() != "command-line-arguments" {
		return Result{}, nil // a table describes the standard library
	}
	for _, i := range ap.Pkg.Imports() {
		switch i.Path() {
		case simPath:
			p.sim = i
		case bubblePath:
			p.bubble = i
		}
	}
	for _, name := range ap.Pkg.Scope().Names() {
		if t, ok := ap.Pkg.Scope().Lookup(name).(*types.TypeName); ok && !t.IsAlias() {
			if n, ok := t.Type().(*types.Named); ok && !types.IsInterface(n) {
				p.named = append(p.named, n)
			}
		}
	}
	p.suppressions.read(p.Files)
	p.findHandlers()
	p.makeUnits()
	for _, u := range p.code.all {
		p.collect(u)
	}
	p.spreadChanges()
	p.reportShared()
	p.spreadEffects()
	for _, r := range p.deferred.ranges {
		p.judge(r)
	}
	p.export()
	return p.result(), nil
}

// makeUnits finds the units of code of the package.
func (p *pass) makeUnits() {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				o, ok := p.info.Defs[d.Name].(*types.Func)
				if !ok || d.Body == nil {
					continue
				}
				p.code.add(&unit{name: localName(o), node: d}, o)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					v, ok := s.(*ast.ValueSpec)
					if !ok || d.Tok != token.VAR {
						continue
					}
					for i, id := range v.Names {
						if o := p.info.Defs[id]; o != nil && len(v.Values) > 0 {
							e := v.Values[min(i, len(v.Values)-1)]
							p.code.add(&unit{name: "variable " + id.Name, node: e}, o)
						}
					}
				}
			}
		}
	}
	for _, h := range p.handlers {
		if h.lit != nil && p.code.byLit[h.lit] == nil {
			u := &unit{name: h.name, node: h.lit.Body, lit: h.lit}
			p.code.byLit[h.lit] = u
			p.code.all = append(p.code.all, u)
		}
	}
}

// spreadChanges finds the methods that change their receiver through other methods, and the calls of such methods on
// shared variables.
func (p *pass) spreadChanges() {
	changes := func(m *types.Func) bool {
		if u := p.code.byObject[m]; u != nil {
			return u.changes
		}
		return m.Pkg() != nil && m.Pkg() != p.pkg && p.ImportObjectFact(m, new(changesReceiver))
	}
	for again := true; again; {
		again = false
		for _, c := range p.deferred.changers {
			if !c.in.changes && c.on == receiverVar(p.info, c.in.node) && changes(c.method) {
				c.in.changes, again = true, true
			}
		}
	}
	for _, c := range p.deferred.changers {
		outside := c.in.lit != nil && (c.on.Pos() < c.in.lit.Pos() || c.in.lit.End() < c.on.Pos())
		switch {
		case !changes(c.method):
		case isGlobal(c.on):
			p.add(c.in, Global, c.pos, "calls "+localName(c.method)+", which changes the package variable "+c.on.Name())
		case outside && !c.on.IsField():
			p.add(c.in, Global, c.pos, "calls "+localName(c.method)+", which changes "+c.on.Name()+", a variable from outside the handler")
		}
	}
}

// spreadEffects finds the functions that request effects through other functions.
func (p *pass) spreadEffects() {
	for again := true; again; {
		again = false
		for _, u := range p.code.all {
			for _, c := range u.calls {
				if f, ok := c.target.(*types.Func); ok && !u.effects && p.hasEffects(f) {
					u.effects, again = true, true
				}
			}
		}
	}
}

func (p *pass) hasEffects(f *types.Func) bool {
	if u := p.code.byObject[f]; u != nil {
		return u.effects
	}
	return f.Pkg() != nil && f.Pkg() != p.pkg && p.ImportObjectFact(f, new(requestsEffects))
}

// export exports the facts for packages that import this one.
func (p *pass) export() {
	for o, u := range p.code.byObject {
		if f, ok := o.(*types.Func); ok {
			if u.effects {
				p.ExportObjectFact(f, new(requestsEffects))
			}
			if u.changes {
				p.ExportObjectFact(f, new(changesReceiver))
			}
		}
		if found := p.reach(u); len(found) > 0 {
			p.ExportObjectFact(o, &reaches{p.module, distinct(found)})
		}
	}
}

// result returns the hazards that the handlers reach.
func (p *pass) result() Result {
	all := collection{}
	at := map[token.Pos]bool{}
	names := map[string]bool{}
	for _, h := range p.handlers {
		names[h.name] = true
		for _, r := range p.reachOf(h) {
			if p.suppressions.exempts(r.Message) || r.Scope&h.scope() == 0 {
				continue
			}
			f := Finding{File: r.File, Line: r.Line, Column: r.Column, Kind: r.Kind, Message: r.Message,
				Instead: h.instead(r.Kind), Handler: h.name, Handlers: []string{h.name}, Chain: r.Chain, rank: h.rank}
			all.add(f)
			if !at[r.pos] {
				at[r.pos] = true
				p.Reportf(r.pos, "%s: %s (reached from %s); %s", infoOf(r.Kind).Title, r.Message, f.via(), f.Instead)
			}
		}
	}
	for _, e := range p.suppressions.comments {
		if e.reason == "" {
			pos := p.fset.Position(e.pos)
			all.add(Finding{File: pos.Filename, Line: pos.Line, Column: pos.Column, Kind: Suppression,
				Message: suppressor + " without a reason", Instead: infoOf(Suppression).Instead})
			p.Reportf(e.pos, "%s without a reason", suppressor)
		}
	}
	p.uncalled(all)
	p.mismatchedPointers(all)
	return Result{len(names), all.sorted(), p.findEvents()}
}
