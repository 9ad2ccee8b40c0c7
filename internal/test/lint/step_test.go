package lint

import (
	"go/ast"
	"go/types"
	"testing"
)

// onlyReplaySteps: all steps are executed by package replay, so that no step is missing in a path. The
// table engine may have steps that it was told to make made by the replay engine, too, to compare. Package lockstep compares the
// engines.
func onlyReplaySteps(t *tree, p *pkg) (found []problem) {
	world := t.world()
	if world == nil || below(p.path, "internal/replay", "internal/test/lockstep", "internal/table", "internal/table/...") {
		return nil
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Step" {
				return true
			}
			s := p.info.Selections[sel]
			if s != nil && s.Kind() != types.FieldVal &&
				(types.Implements(s.Recv(), world) || types.Implements(types.NewPointer(s.Recv()), world)) {
				found = append(found, problem{sel.Pos(), "calls Step of a world; only package replay does"})
			}
			return true
		})
	}
	return found
}

// world returns kernel.World, nil when there is none.
func (t *tree) world() *types.Interface {
	kernel := t.pkgs["internal/kernel"]
	if kernel == nil {
		return nil
	}
	named := kernel.types.Scope().Lookup("World")
	if named == nil {
		return nil
	}
	world, _ := named.Type().Underlying().(*types.Interface)
	return world
}

func TestOnlyReplaySteps(t *testing.T) {
	enforce(t, onlyReplaySteps)
	if tree, err := loadModule(); err == nil && tree.world() == nil {
		t.Error("there is no interface kernel.World: the rule does not see anything")
	}
}

func TestOnlyReplayStepsNotices(t *testing.T) {
	snippet{
		"internal/kernel": `package kernel
type World interface { Step(int) error; Live() bool }
type machine struct{}
func (*machine) Step(int) error { return nil }
func (*machine) Live() bool { return true }
func New() World { return &machine{} }
func f(m *machine) { m.Step(1) } // want calls Step of a world
`,
		"internal/replay": `package replay
import "github.com/macemc/macemc/internal/kernel"
type Run struct{ World kernel.World }
func (r *Run) Step(i int) error { return r.World.Step(i) }
`,
		"search": `package search
import (
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/kernel"
)
type wider interface { kernel.World; More() }
type inside struct { kernel.World }
type field struct { Step func(int) error }
func f(r *replay.Run, w wider, i inside, x field) {
	r.Step(1)
	x.Step(1)
	r.World.Step(1) // want calls Step of a world
	step := w.Step // want calls Step of a world
	i.Step(1) // want calls Step of a world
	_ = kernel.World.Step // want calls Step of a world
	_ = step
}
`,
	}.test(t, onlyReplaySteps)
}
