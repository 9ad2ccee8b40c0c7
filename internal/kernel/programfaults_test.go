package kernel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// program counts the faults that strike it. At most one can.
type program struct {
	sim.Nop
	Struck []sim.Fault
}

func (p *program) CanStrike(sim.Fault) bool { return len(p.Struck) == 0 }

func (p *program) Strike(env sim.Env, f sim.Fault) {
	p.Struck = append(p.Struck, f)
	env.SetTimer(f.String(), 0)
}

// Faults of programs strike the nodes that have programs, as often as the limits allow. Their handlers have effects.
func TestProgramFaults(t *testing.T) {
	sys := &sim.System{Name: "programs", Nodes: 4, ClockJumps: 1, DiskErrors: 2, New: func(id sim.NodeID) sim.Service {
		if id == 0 {
			return sim.Nop{}
		}
		return &program{}
	}}
	w, step := started(t, sys)
	want := []string{"jump-clock n1", "jump-clock n2", "jump-clock n3", "fail-disk n1", "fail-disk n2", "fail-disk n3"}
	if got := keys(w); !slices.Equal(got, want) {
		t.Errorf("at first %q can happen, want %q", got, want)
	}
	before := w.Fingerprint()
	step("jump-clock n2")
	if got, want := keys(w), []string{"timer n2 \"clock-jumps\"", "fail-disk n1", "fail-disk n3"}; !slices.Equal(got, want) {
		t.Errorf("then %q can happen, want %q", got, want)
	}
	if w.Fingerprint() == before {
		t.Error("the fingerprint did not change")
	}
	step("fail-disk n3")
	step("fail-disk n1")
	step("timer n2 \"clock-jumps\"")
	if got, want := keys(w), []string{"timer n1 \"disk-errors\"", "timer n3 \"disk-errors\""}; !slices.Equal(got, want) {
		t.Errorf("at last %q can happen, want %q", got, want)
	}
	sys.New = func(sim.NodeID) sim.Service { return sim.Nop{} }
	if _, err := kernel.NewWorld(sys, kernel.Options{}); err == nil || !strings.Contains(err.Error(), "no node is a program") {
		t.Errorf("without programs: %v", err)
	}
}
