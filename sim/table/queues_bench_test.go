package table_test

import (
	"testing"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
	"github.com/macemc/macemc/systems/detector"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkQueues measures the exploration of a failure detector of machines with four nodes, tables filled anew each time: transitions
// per second of processor time, with fair runs judged and without anything owed.
func BenchmarkQueues(b *testing.B) {
	e := detector.Entry()
	owed, err := e.New(spec.Config{Nodes: 7, Params: map[string]string{"failures": "4"}})
	if err != nil {
		b.Fatal(err)
	}
	plain, bare := owed, owed
	plain.Monitors = nil
	bare.Monitors, bare.Properties = nil, nil
	for _, bench := range []struct {
		name string
		sys  *sim.System
	}{{"bare", &bare}, {"recovers", &plain}, {"fair", &owed}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			n, begin := 0, processorTime(b)
			for b.Loop() {
				n += breadth(b, bench.sys, table.ExploreOptions{}).Transitions
			}
			b.ReportMetric(float64(n)/(processorTime(b)-begin).Seconds()/1e6, "Mtransitions/cpu-s")
		})
	}
}
