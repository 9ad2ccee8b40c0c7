package machine_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// Machines are replaced in place, and a replacement that does not fit panics.
func TestReplace(t *testing.T) {
	first := machine.Define[log]("worker", machine.In("only", machine.Entry(did("first"))))
	second := machine.Define[sends]("worker", machine.In("only"))
	var ms machine.System
	ms.Add(first, log{})
	ms.Add(first, log{})
	machine.Replace(&ms, first, second, func(l log) sends { return sends{l.Did + "replaced"} })
	if k := ms.Kinds(); len(k) != 1 || k[0] != second {
		t.Errorf("kinds %v", k)
	}
	sys := ms.Sim("test")
	sys.Properties = []sim.Property{{Name: "replaced", Always: func(v *sim.View) bool {
		return machine.Vars[sends](v, 1).What == "replaced"
	}}}
	if x, err := table.Explore(t.Context(), &sys, options.Options{}); err != nil || x.Finding != nil || x.States != 1 {
		t.Errorf("%v, %+v", err, x)
	}
	for name, f := range map[string]func(){
		"has none to replace": func() { machine.Replace(&ms, first, second, func(log) sends { return sends{} }) },
		"created at run time": func() {
			var pooled machine.System
			pooled.Add(first, log{})
			pooled.Pool(0, 1, first)
			machine.Replace(&pooled, first, second, func(log) sends { return sends{} })
		},
		"cannot be replaced": func() { machine.Replace(&ms, second, first, func(log) sends { return sends{} }) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(r.(string), name) {
					t.Errorf("%s: %v", name, r)
				}
			}()
			f()
		}()
	}
}
