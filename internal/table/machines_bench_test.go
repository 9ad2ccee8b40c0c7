package table_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkMachines measures the exploration of a failure detector of machines with four nodes, over queues and over streams, and of two-phase
// commit, with empty tables each time: transitions per second of processor time, without judging, with dead states, fair runs, and both.
func BenchmarkMachines(b *testing.B) {
	for _, c := range []struct {
		name, system string
		config       spec.Config
	}{
		{"queues", "detector", spec.Config{Nodes: 7, Params: map[string]string{"failures": "4"}}},
		{"streams", "detector", spec.Config{Nodes: 7, Params: map[string]string{"failures": "4", "over": "streams"}}},
		{"commit", "commit", spec.Config{}},
	} {
		e, err := papers.Find(c.system)
		if err != nil {
			b.Fatal(err)
		}
		owed, err := e.New(c.config)
		if err != nil {
			b.Fatal(err)
		}
		plain := owed
		if plain.Monitors = nil; c.name == "commit" { // most visited states differ only in its monitor
			for _, f := range owed.Monitors {
				plain.Monitors = append(plain.Monitors, func() sim.Monitor { return &unjudged{f()} })
			}
		}
		bare, fair := plain, owed
		bare.Properties, fair.Properties = nil, nil
		for _, judged := range []struct {
			name string
			sys  *sim.System
		}{{"bare", &bare}, {"recovers", &plain}, {"owes", &fair}, {"fair", &owed}} {
			for _, visited := range visitedSets[:2] {
				b.Run(c.name+"/"+judged.name+"/"+visited.Name, func(b *testing.B) {
					b.ReportAllocs()
					n, begin := 0, processorTime(b)
					for b.Loop() {
						n += breadth(b, judged.sys, options.Options{Visited: visited}).Transitions
					}
					spent := (processorTime(b) - begin).Seconds()
					b.ReportMetric(float64(n)/spent/1e6, "Mtransitions/cpu-s")
					b.ReportMetric(float64(n)/float64(b.N), "transitions")
				})
			}
		}
	}
}

// unjudged visits the states of a monitor, without obligations.
type unjudged struct{ Monitor sim.Monitor }

func (u *unjudged) Observe(from sim.NodeID, event any) error { return u.Monitor.Observe(from, event) }
