package table_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

type trap struct {
	sim.Nop
	S int
}

// A run ends at a violated property. Code behind it that would not return is not reached on the path, and hides
// nothing.
func TestRehearsal_HangBehindViolation(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	for name, hang := range map[string]func(*trap, sim.Env){
		"hang":             func(*trap, sim.Env) { <-end },
		"nondeterministic": func(s *trap, _ sim.Env) { s.S = int(<-numbers) },
	} {
		sys := sim.System{
			Name: "trap", Nodes: 1, New: func(sim.NodeID) sim.Service { return &trap{} },
			Actions: []sim.AnyAction{
				sim.Action[*trap]{Name: "bad", Times: 1, Do: func(s *trap, _ sim.Env) { s.S = 1 }},
				sim.Action[*trap]{Name: name, When: func(s *trap) bool { return s.S == 1 }, Do: hang},
			},
			Properties: []sim.Property{{Name: "never 1", Always: sim.Each(func(_ sim.NodeID, s *trap) bool { return s.S != 1 })}},
		}
		x, err := table.Explore(t.Context(), &sys, options.Options{World: kernel.Options{Overdue: func(ticks int) bool { return ticks > 20 }}})
		if err != nil {
			t.Fatal(err)
		}
		var found *sim.Finding
		if !errors.As(x.Finding, &found) || found.Kind != sim.Safety || !slices.Equal(x.Path, choose.Path{0}) {
			t.Errorf("%s: found %v by %v in %d states", name, x.Finding, x.Path, x.States)
		}
	}
}

// The random runs before the exploration end at its deadline, too.
func TestRehearsal_Deadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	steps, late := 0, 0
	sys := sim.System{
		Name: "slow", Nodes: 1, New: func(sim.NodeID) sim.Service {
			if ctx.Err() != nil {
				late++
			}
			return &trap{}
		},
		Actions: []sim.AnyAction{sim.Action[*trap]{Name: "go", Do: func(s *trap, _ sim.Env) {
			s.S++
			if steps++; steps == 5 {
				cancel()
			}
		}}},
	}
	x, err := table.Explore(ctx, &sys, options.Options{})
	if err != nil || x.Stopped != "interrupted" || steps > 10 || late > 5 {
		t.Errorf("%d steps, %d services made late, %+v, %v", steps, late, x, err)
	}
}

// numbers are drawn elsewhere, and are other ones each time.
var numbers = func() <-chan int32 {
	c := make(chan int32)
	go func() {
		for i := int32(2); ; i++ {
			c <- i
		}
	}()
	return c
}()
