package check

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// costly is a service with a field that is expensive to describe.
type costly struct {
	sim.Nop
	detail *detail
}

type detail struct {
	steps    int
	outlined bool
}

func (c *costly) Outline(on bool) { c.detail.outlined = on }

// costlySystem returns a system that counts how often the field is described.
func costlySystem(described *int, p sim.Property) sim.System {
	return sim.System{
		Name: "costly", Nodes: 1, New: func(sim.NodeID) sim.Service { return &costly{detail: &detail{}} },
		State: []sim.StateRule{
			sim.EncodeBy(func(dst []byte, d *detail) []byte { return append(dst, byte(d.steps), byte(d.steps>>8)) }),
			sim.CopyBy(func(d *detail) *detail { c := *d; return &c }),
			sim.ShowBy(func(d *detail) string {
				if d.outlined {
					return "outlined"
				}
				*described++
				return "described"
			}),
		},
		Actions:    []sim.AnyAction{sim.Action[*costly]{Name: "step", Do: func(c *costly, _ sim.Env) { c.detail.steps++ }}},
		Properties: []sim.Property{p},
	}
}

// Expensive fields of a long run are described only near its important steps.
func TestDescribe_OutlinesFarSteps(t *testing.T) {
	described := 0
	sys := costlySystem(&described, sim.Property{Name: "rests", Eventually: sim.Each(func(sim.NodeID, *costly) bool { return false })})
	const steps = 500
	path := make(choose.Path, steps)
	found := search.Suspect{Finding: sim.Finding{Kind: sim.Safety}, Path: path, Steps: steps}
	for name, detail := range map[string]any{
		"safety": nil,
		"liveness": &critical.Result{Transition: critical.Transition{Case: critical.Located, Step: steps / 2, Bound: steps / 2},
			Dead: path, Steps: steps},
	} {
		described = 0
		c := &checker{sys: sys}
		r := &report.Report{}
		_, err := c.describe(r, &search.Result{Verdict: search.Violation, Finding: &found, Detail: detail})
		if err != nil || len(r.Dead.Steps) != steps {
			t.Fatalf("%s: %v, %d steps, want %d", name, err, len(r.Dead.Steps), steps)
		}
		if most := 10 * fullSteps; described == 0 || described > most {
			t.Errorf("%s: described %d times for %d steps, want 1 to %d", name, described, steps, most)
		}
	}
	described = 0
	none := func(kernel.World, *replay.Progress) error { return nil }
	if err := replay.RecordTo(&sys, path, steps-1, kernel.Options{}, shown(steps), none); err != nil || described == 0 ||
		described > 10*fullSteps {
		t.Errorf("death: %v, described %d times for %d steps, want 1 to %d", err, described, steps, 10*fullSteps)
	}
}

// A search that continues describes a finding once if its run does not become smaller.
func TestFound_DescribesOnce(t *testing.T) {
	described := 0
	sys := costlySystem(&described, sim.Property{Name: "rests", Always: func(v *sim.View) bool { return v.Service(0).(*costly).detail.steps == 0 }})
	found := search.Suspect{Finding: sim.Finding{Kind: sim.Safety, Property: "rests", Node: -1}, Path: choose.Path{0}, Steps: 1}
	once := &checker{sys: sys}
	if _, err := once.describe(&report.Report{}, &search.Result{Finding: &found}); err != nil || described == 0 {
		t.Fatalf("described %d times, %v", described, err)
	}
	want := described
	for _, unshrunk := range []bool{false, true} {
		described = 0
		c := &checker{Options: Options{Search: search.Config{System: sys}, Dir: t.TempDir(), KeepGoing: true, NoShrink: unshrunk}, sys: sys}
		c.suspectFile = &suspectFile{c: c}
		k := c.keeper(nil)
		if err := k.found(t.Context(), &search.Result{Verdict: search.Violation, Finding: &found}); err != nil || k.problems != nil || len(k.findings) != 1 {
			t.Fatalf("%v, %v, %d findings", err, k.problems, len(k.findings))
		}
		if described != want {
			t.Errorf("not to be shrunk %v: fields are described %d times, want %d", unshrunk, described, want)
		}
	}
}
