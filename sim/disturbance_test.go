package sim_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
)

// Disturbances that cannot select an event are refused with a reason.
func TestDisturbingIsValid(t *testing.T) {
	for _, c := range []struct {
		d          sim.Disturbance
		name, want string
	}{
		{sim.DisturbingHeals(), "every heal", ""},
		{sim.DisturbingTimers[int](), "timer int", ""},
		{sim.DisturbingTimers[any](), "every timer", ""},
		{sim.DisturbingMessages[*int](), "message *int", ""},
		{sim.DisturbingQuorums[int](), "quorum int", ""},
		{sim.DisturbingMessages[error](), "message error", `"message error": error is an interface`},
	} {
		sys := sim.System{Name: "s", Nodes: 1, New: func(sim.NodeID) sim.Service { return nil }, Disturbing: []sim.Disturbance{c.d}}
		err := sys.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), `system "s": Disturbing 0: `+c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if c.d.String() != c.name {
			t.Errorf("String() = %q, want %q", c.d.String(), c.name)
		}
	}
}
