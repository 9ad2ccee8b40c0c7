package realnet_test

import (
	"testing"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// The recording of nodes that may crash is a run of the system itself, so each reader sees the same
// events. The kill of another node is reported.
func TestCrash_Kills(t *testing.T) {
	for killed := range sim.NodeID(2) {
		x := custom(t, sim.System{
			Name: "call", Nodes: 3, New: func(sim.NodeID) sim.Service { return &caller{} }, Network: netsim.Streams{},
			MayCrash: func(id sim.NodeID) bool { return id == 1 },
			Actions:  []sim.AnyAction{sim.Action[*caller]{Name: "call", Do: (*caller).call, At: func(id sim.NodeID) bool { return id == 2 }}},
		}, numbered{})
		if err := x.nodes[killed].end(); err != nil {
			t.Fatal(err)
		}
		x.nodes[killed] = nil
		x.start(killed)
		x.until("it is up again", func(s []sim.Service) bool { return s[killed] != nil })
		m := x.merged()
		agrees(t, m)
		own, err := x.sys.WithLimits(m.System.Limits())
		if err != nil {
			t.Fatal(err)
		}
		own.Timing = m.System.Timing
		reading, err := replay.ReadFile(&own, fileOf(t, m))
		if ok := err == nil && len(reading.Moved) == 0; ok != (killed == 1) || (len(m.Notes) == 0) != ok {
			t.Errorf("n%d was killed: %v, %+v, %q", killed, err, reading, m.Notes)
		}
	}
}
