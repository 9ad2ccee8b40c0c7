package lint

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strconv"
	"testing"
)

// deterministic are the packages whose code runs inside steps.
var deterministic = []string{"sim", "internal/encoding/...", "internal/kernel", "internal/kernel/...", "internal/simext",
	"internal/simhook", "internal/table", "internal/table/...", "netsim", "systems/...", "internal/test/papers/...", "linear", "machine"}

var (
	realTime = []string{"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Sleep"}
	random   = []string{"math/rand", "math/rand/v2", "crypto/rand"}
	waiting  = []string{"internal/kernel/contain/contain.go", "internal/encoding/rule/contain.go",
		"internal/kernel/contain/heartbeat.go", "internal/table/options/guard.go"}
)

// noHiddenInputs: code that runs inside steps depends on its inputs only. It does not read the clock,
// draw random numbers, or start goroutines. Package macetime reads the clock in one file; the files that wait for checked code start a
// goroutine for it, or look at a clock, and give up what does not return.
func noHiddenInputs(t *tree, p *pkg) (found []problem) {
	inside := below(p.path, deterministic...)
	if !inside && p.path != "macetime" {
		return nil
	}
	for _, f := range p.files {
		for _, spec := range f.Imports {
			if name, err := strconv.Unquote(spec.Path.Value); err == nil && slices.Contains(random, name) {
				found = append(found, problem{spec.Pos(), "draws random numbers by " + name + "; they must be choices"})
			}
		}
		clock := p.path == "macetime" && path.Base(t.fset.Position(f.Pos()).Filename) == "realclock.go"
		waits := slices.Contains(waiting, p.path+"/"+path.Base(t.fset.Position(f.Pos()).Filename))
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				if !waits {
					found = append(found, problem{n.Pos(), "starts a goroutine; handlers run to completion"})
				}
			case *ast.Ident:
				if fn, ok := p.info.Uses[n].(*types.Func); ok && !clock && !(waits && fn.Name() == "NewTicker") && fn.Pkg() != nil && fn.Pkg().Path() == "time" &&
					fn.Signature().Recv() == nil && slices.Contains(realTime, fn.Name()) {
					found = append(found, problem{n.Pos(), "uses time." + fn.Name() + "; time comes from macetime"})
				}
			}
			return true
		})
	}
	return found
}

func TestNoHiddenInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all types")
	}
	enforce(t, noHiddenInputs)
}

func TestNoHiddenInputsNotices(t *testing.T) {
	const source = `package x
import (
	clock "time"
	"math/rand" // want draws random numbers by math/rand
	v2 "math/rand/v2" // want draws random numbers by math/rand/v2
)
type now struct{}
func (now) Now() int { return 0 }
func f(t clock.Time) {
	_ = clock.Now() // want uses time.Now
	g := clock.AfterFunc // want uses time.AfterFunc
	_ = g
	go f(t) // want starts a goroutine
	func() { clock.Sleep(clock.Second) }() // want uses time.Sleep
	_, _ = rand.Int(), v2.Int()
	_ = t.After(t) // a method
	_ = now{}.Now()
}
`
	snippet{"sim": source, "systems/a/b": source}.test(t, noHiddenInputs)
	const free = "package x\nimport \"time\"\nvar X = time.Now\nfunc f() { go f() }\n"
	snippet{
		"search":                             free,
		"internal/kernel/contain/contain.go": "package x\nfunc f() { go f() }",
		"internal/table/contain.go":          "package x\nfunc f() { go f() } // want starts a goroutine",
		"macetime/realclock.go":              "package x\nimport \"time\"\nvar X = time.Now",
		"macetime/model.go":                  "package x\nimport \"time\"\nvar Y = time.Now // want uses time.Now",
	}.test(t, noHiddenInputs)
}
