package table_test

import (
	"testing"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
	"github.com/macemc/macemc/systems/detector"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkMachines measures the exploration of a failure detector of machines with four nodes, tables filled anew each time: transitions
// per second of processor time, over queues and over streams, with nothing judged, dead states, and fair runs, too.
func BenchmarkMachines(b *testing.B) {
	e := detector.Entry()
	for _, over := range []string{"queues", "streams"} {
		owed, err := e.New(spec.Config{Nodes: 7, Params: map[string]string{"failures": "4", "over": over}})
		if err != nil {
			b.Fatal(err)
		}
		plain, bare := owed, owed
		plain.Monitors = nil
		bare.Monitors, bare.Properties = nil, nil
		for _, judged := range []struct {
			name string
			sys  *sim.System
		}{{"bare", &bare}, {"recovers", &plain}, {"fair", &owed}} {
			for _, visited := range visitedSets[:2] {
				b.Run(over+"/"+judged.name+"/"+visited.Name, func(b *testing.B) {
					b.ReportAllocs()
					n, begin := 0, processorTime(b)
					for b.Loop() {
						n += breadth(b, judged.sys, table.ExploreOptions{Visited: visited}).Transitions
					}
					b.ReportMetric(float64(n)/(processorTime(b)-begin).Seconds()/1e6, "Mtransitions/cpu-s")
				})
			}
		}
	}
}
