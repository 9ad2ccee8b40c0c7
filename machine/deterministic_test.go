package machine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/machine"
)

// A deterministic machine does not draw, set timers, create machines, or use its environment.
func TestDeterministic(t *testing.T) {
	for what, do := range map[string]func(x *machine.Ctx){
		"draws value":              func(x *machine.Ctx) { x.Choose("value", 2) },
		"draws coin":               func(x *machine.Ctx) { x.FairFlip("coin") },
		"sets a timer":             func(x *machine.Ctx) { x.SetTimer(B{}, time.Second) },
		"creates a machine":        func(x *machine.Ctx) { machine.New[log](x, nil) },
		"asks for its environment": func(x *machine.Ctx) { x.Env() },
		"":                         func(x *machine.Ctx) { x.Send(1, B{}) },
	} {
		k := machine.Define[log]("function", machine.In("only", machine.Entry(func(_ *log, x *machine.Ctx) { do(x) }), machine.Ignore(B{})))
		for _, function := range []bool{false, true} {
			if function {
				k = k.Deterministic()
			}
			var ms machine.System
			ms.Add(k, log{})
			ms.Add(k, log{})
			ms.Pool(0, 1, k)
			sys := ms.Sim("test")
			x, err := table.Explore(t.Context(), &sys, options.Options{MaxStates: 100})
			if err != nil {
				t.Fatal(err)
			}
			said := x.Finding != nil && strings.Contains(x.Finding.Error(), what+", but a deterministic machine depends on its events only")
			if said != (function && what != "") {
				t.Errorf("%q, deterministic %v: %v", what, function, x.Finding)
			}
		}
	}
}

// Events do not determine when a Null runs.
func TestDeterministicWithoutNull(t *testing.T) {
	k := machine.Define[log]("function", machine.In("only", machine.Null(did("null"))))
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "machine function: state only has a Null, and") {
			t.Errorf("%q", text)
		}
	}()
	k.Deterministic()
}
