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
	FactTypes:        []analysis.Fact{new(summary), new(makes)},
}

// Result is the result of [Analyzer] for a package. File names are absolute.
type Result struct {
	Handlers int
	Findings []Finding // by position

	events events
}

func run(ap *analysis.Pass) (any, error) {
	s := newSource(ap)
	if s.module == "" && ap.Pkg.Path() != "command-line-arguments" {
		return Result{}, nil // a table describes the standard library
	}
	p := &pass{
		source:       s,
		finder:       finder{source: s, roots: map[*ast.FuncLit]bool{}, literals: map[types.Object]ast.Expr{}},
		suppressions: suppressions{source: s, comments: map[Place]suppression{}},
		code:         units{byObject: map[types.Object]*unit{}, byLit: map[*ast.FuncLit]*unit{}},
		deferred:     deferred{changedTypes: map[*types.Named]bool{}},
		found:        collection{},
	}
	p.suppressions.read()
	p.findHandlers()
	p.makeUnits()
	for _, u := range p.code.all {
		u.collect()
	}
	p.spreadChanges()
	p.reportShared()
	p.spreadEffects()
	for _, r := range p.deferred.ranges {
		r.judge()
	}
	p.export()
	handlers := p.reportReached()
	for _, e := range p.suppressions.comments {
		if e.reason == "" {
			p.report(Suppression, e.pos, suppressor+" without a reason", infoOf(Suppression).Instead)
		}
	}
	d := &dropped{p}
	d.reportUncalled()
	d.reportPointers()
	e := &eventFinder{p}
	return Result{handlers, p.found.sorted(), e.find()}, nil
}

// report adds a finding that no handler has to reach.
func (p *pass) report(kind Kind, pos token.Pos, message, instead string) {
	p.found.add(Finding{Place: p.place(pos), Kind: kind, Message: message, Instead: instead})
	p.Reportf(pos, "%s; %s", message, instead)
}

// reportReached adds the hazards that the handlers reach, and returns the number of handlers.
func (p *pass) reportReached() int {
	reported := map[token.Pos]bool{}
	names := map[string]bool{}
	for _, h := range p.handlers {
		names[h.name] = true
		for _, r := range p.reachOf(h) {
			if p.suppressions.exempts(r.Message) || r.Scope&h.scope() == 0 {
				continue
			}
			f := Finding{r.Place, r.Kind, r.Message, h.instead(r.Kind), h.name, r.Chain, []string{h.name}, h.rank}
			p.found.add(f)
			if !reported[r.pos] {
				reported[r.pos] = true
				p.Reportf(r.pos, "%s: %s (reached from %s); %s", infoOf(r.Kind).Title, r.Message, f.via(), f.Instead)
			}
		}
	}
	return len(names)
}

// reachOf returns the hazards that a handler reaches. Those of a function of another package are in the user's code,
// with its positions.
func (p *pass) reachOf(h handler) []reached {
	if h.lit != nil {
		return p.code.byLit[h.lit].summary.Found
	}
	if fact := p.summaryOf(h.object); fact.Module == p.module {
		return fact.Found
	}
	return nil
}
