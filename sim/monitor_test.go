package sim_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/sim"
)

type (
	quiet        struct{}
	called       struct{}
	tally[T any] struct{}
)

func (quiet) Observe(sim.NodeID, any) error    { return nil }
func (called) Observe(sim.NodeID, any) error   { return nil }
func (tally[T]) Observe(sim.NodeID, any) error { return nil }
func (called) Name() string                    { return "votes" }

// Monitors have names by which Only selects them, like properties. Only drops the others.
func TestMonitorNames(t *testing.T) {
	sys := sim.System{
		Name: "watched", Nodes: 1, New: func(sim.NodeID) sim.Service { return sim.Nop{} },
		Monitors:   []func() sim.Monitor{func() sim.Monitor { return quiet{} }, func() sim.Monitor { return called{} }},
		Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
	}
	if got, want := sys.MonitorNames(), []string{"monitor quiet", "monitor votes"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for name, want := range map[string]string{"votes": "monitor votes", "monitor votes": "monitor votes", "quiet": "monitor quiet"} {
		only, err := sys.Only(name)
		if err != nil || len(only.Properties) != 0 || !slices.Equal(only.MonitorNames(), []string{want}) {
			t.Errorf("only %s: %d properties, %q, %v", name, len(only.Properties), only.MonitorNames(), err)
		}
	}
	for want, m := range map[string]sim.Monitor{
		"monitor quiet":         &quiet{},
		"monitor tally[NodeID]": &tally[sim.NodeID]{},
		"monitor tally[[]int]":  tally[[]int]{},
	} {
		if got := sim.MonitorName(m); got != want {
			t.Errorf("%T is named %q, want %q", m, got, want)
		}
	}
	if _, err := sys.Only("nobody"); err == nil {
		t.Error("a monitor that there is none of is taken")
	}
}
