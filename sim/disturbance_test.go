package sim_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
)

// Disturbances that cannot select an event are refused with a reason.
func TestDisturbingIsValid(t *testing.T) {
	for _, c := range []struct {
		d    sim.Disturbance
		want string
	}{
		{sim.Disturbing(sim.Heal), ""},
		{sim.DisturbingOf[int](sim.FireTimer), ""},
		{sim.DisturbingOf[*int](sim.Deliver), ""},
		{sim.DisturbingOf[int](sim.TakeQuorum), ""},
		{sim.Disturbing(sim.Crash), `"crash" injects a fault`},
		{sim.Disturbing(sim.EventKindCount), "there is no event of kind 19"},
		{sim.DisturbingOf[int](sim.Boot), `"boot int": DisturbingOf is for events`},
		{sim.DisturbingOf[error](sim.Deliver), `"message error": error is an interface`},
	} {
		sys := sim.System{Name: "s", Nodes: 1, New: func(sim.NodeID) sim.Service { return nil }, Disturbing: []sim.Disturbance{c.d}}
		err := sys.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), `system "s": Disturbing 0: `+c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
