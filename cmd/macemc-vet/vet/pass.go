package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

const (
	module      = "github.com/macemc/macemc"
	simPath     = module + "/sim"
	bubblePath  = module + "/bubble"
	machinePath = module + "/machine"
)

// pass is the analysis of one package.
type pass struct {
	*analysis.Pass
	fset         *token.FileSet
	info         *types.Info
	pkg          *types.Package
	sim          *types.Package // nil if the package does not import it
	bubble       *types.Package // nil if the package does not import it
	module       string
	tables       *tables
	suppressions suppressions
	named        []*types.Named
	literals     map[*types.Var]ast.Expr
	roots        map[*ast.FuncLit]bool
	handlers     []handler
	code         units
	deferred     deferred
}

// deferred holds findings that are decided when the effects of all functions are known.
type deferred struct {
	ranges       []mapRange
	changers     []changer
	sharing      []shared
	changedTypes map[*types.Named]bool // types of the values that code of the package modifies in part
}

// ours reports whether handlers are written against a package.
func (p *pass) ours(path string) bool {
	return path == simPath || path == machinePath || path == module+"/macetime"
}

// reaches is a fact about a function or package variable: the hazards that its use leads to.
type reaches struct {
	Module string // of the package
	Found  []reached
}

// requestsEffects is a fact about a function: it requests ordered effects.
type requestsEffects struct{}

// changesReceiver is a fact about a method: it changes memory that its receiver refers to.
type changesReceiver struct{}

func (*reaches) AFact()         {}
func (*requestsEffects) AFact() {}
func (*changesReceiver) AFact() {}

func (*reaches) String() string         { return "reaches a hazard" }
func (*requestsEffects) String() string { return "requests effects" }
func (*changesReceiver) String() string { return "changes its receiver" }
