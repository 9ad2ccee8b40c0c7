package vet

import (
	"go/ast"
	"go/types"
)

// pass is the analysis of one package.
type pass struct {
	*source
	finder
	suppressions suppressions
	code         units
	deferred     deferred
	found        collection
}

// units holds the units of a package.
type units struct {
	all      []*unit
	byObject map[types.Object]*unit
	byLit    map[*ast.FuncLit]*unit
}

// summary is a fact about a function or package variable, for the code that uses it.
type summary struct {
	Module  string // of the package
	Effects bool   // it requests ordered effects, itself or in its callees
	Changes bool   // it is a method that changes memory that its receiver refers to
	Found   []reached
}

func (*summary) AFact()         {}
func (*summary) String() string { return "summary of a function" }

// makeUnits finds the units of code of the package.
func (p *pass) makeUnits() {
	add := func(name string, syntax ast.Node) *unit {
		u := &unit{pass: p, name: name, syntax: syntax, summary: summary{Module: p.module}}
		p.code.all = append(p.code.all, u)
		return u
	}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			o := p.info.Defs[fn.Name].(*types.Func)
			u := add(localName(o), fn)
			p.code.byObject[o] = u
			if recv := o.Signature().Recv(); recv != nil {
				switch recv.Type().Underlying().(type) {
				case *types.Pointer, *types.Map, *types.Slice:
					u.receiver = recv
				}
			}
		}
	}
	for _, init := range p.info.InitOrder {
		for _, v := range init.Lhs {
			p.code.byObject[v] = add("variable "+v.Name(), init.Rhs)
		}
	}
	for _, h := range p.handlers {
		if h.lit != nil {
			u := add(h.name, h.lit)
			u.lit, p.code.byLit[h.lit] = h.lit, u
		}
	}
}

// summaryOf returns what is known about a function or variable. The summary of unknown ones is empty.
func (p *pass) summaryOf(o types.Object) *summary {
	if u := p.code.byObject[o]; u != nil {
		return &u.summary
	}
	s := &summary{}
	if o.Pkg() != nil && o.Pkg() != p.pkg {
		p.ImportObjectFact(o, s)
	}
	return s
}

// spreadChanges finds the methods that change their receiver through other methods, and the calls of such methods on
// shared variables.
func (p *pass) spreadChanges() {
	for again := true; again; {
		again = false
		for _, c := range p.deferred.changers {
			if !c.in.summary.Changes && c.on == c.in.receiver && p.summaryOf(c.method).Changes {
				c.in.summary.Changes, again = true, true
			}
		}
	}
	for _, c := range p.deferred.changers {
		if where := c.in.shared(c.on); where != "" && p.summaryOf(c.method).Changes {
			c.in.add(Global, c.pos, "calls "+localName(c.method)+", which changes "+where)
		}
	}
}

// spreadEffects finds the functions that request effects through other functions.
func (p *pass) spreadEffects() {
	for again := true; again; {
		again = false
		for _, u := range p.code.all {
			for _, c := range u.calls {
				if !u.summary.Effects && p.summaryOf(c.target).Effects {
					u.summary.Effects, again = true, true
				}
			}
		}
	}
}

// reportShared reports stored pointers to values that some code changes: immutable values may be shared.
func (p *pass) reportShared() {
	for _, k := range p.deferred.kept {
		changes := p.deferred.changedTypes[k.to]
		for m := range k.to.Methods() {
			changes = changes || p.summaryOf(m.Origin()).Changes
		}
		if _, ok := sharedState(k.to); changes || ok {
			k.in.add(Global, k.pos, "keeps a pointer to the value of the package variable "+k.on.Name()+", which nodes then share")
		}
	}
}

// export completes the summaries, and exports them to packages that import this one.
func (p *pass) export() {
	for _, u := range p.code.all {
		r := reach{pass: p, index: map[reachedKey]int{}}
		u.summary.Found = r.from(u)
	}
	for o, u := range p.code.byObject {
		if s := u.summary; s.Effects || s.Changes || len(s.Found) > 0 {
			p.ExportObjectFact(o, &s) // a copy: a fact lives longer than the unit
		}
	}
}
