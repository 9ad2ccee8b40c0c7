package replay_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// costly is a service with a field that takes long to describe.
type costly struct {
	sim.Nop
	Steps  int
	detail *detail
}

type detail struct {
	steps    int
	outlined bool
}

func (c *costly) Outline(on bool) { c.detail.outlined = on }

// In a trace near some steps, costly fields are described there alone, and all other fields everywhere.
func TestRecordNear(t *testing.T) {
	described := 0
	sys := sim.System{
		Name: "costly", Nodes: 1, New: func(sim.NodeID) sim.Service { return &costly{detail: &detail{}} },
		State: []sim.StateRule{
			sim.EncodeBy(func(dst []byte, d *detail) []byte { return append(dst, byte(d.steps)) }),
			sim.CopyBy(func(d *detail) *detail { c := *d; return &c }),
			sim.ShowBy(func(d *detail) string {
				if d.outlined {
					return "outlined"
				}
				described++
				return string(rune('a' + d.steps))
			}),
		},
		Actions: []sim.AnyAction{sim.Action[*costly]{Name: "step", Do: func(c *costly, _ sim.Env) {
			c.Steps++
			c.detail.steps++
		}}},
	}
	path := make(choose.Path, 20)
	trace, err := replay.RecordNear(&sys, path, kernel.Options{}, func(step int) bool { return step == 8 || step == 9 })
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range trace.Steps {
		if !slices.ContainsFunc(s.Changes, func(c replay.NodeChange) bool { return c.Path == "Steps" }) {
			t.Errorf("step %d: changes %v, want one of Steps", s.Number, s.Changes)
		}
		want := map[int]string{8: "i", 9: "j", 10: "outlined", 1: "outlined"}[s.Number]
		got := ""
		for _, c := range s.Changes {
			if c.Path == "detail" {
				got = c.New
			}
		}
		if got != want {
			t.Errorf("step %d: detail changes to %q, want %q", s.Number, got, want)
		}
	}
	if described > 10 {
		t.Errorf("the detail was described %d times for 2 steps", described)
	}
	if all, err := replay.Record(&sys, path, kernel.Options{}); err != nil || len(all.Steps[15].Changes) != 2 {
		t.Errorf("Record: %v, changes of step 16: %v, want 2", err, all.Steps[15].Changes)
	}
}
