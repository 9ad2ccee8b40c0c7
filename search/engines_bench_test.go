package search_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkEngines makes the same random walks by either engine, and by the engine selected while they are made. An
// iteration runs all three, so that other load of the machine affects them alike. It reports medians of events per
// second of processor time, and a comparison of the selection with the better engine. Each begins with empty tables.
func BenchmarkEngines(b *testing.B) {
	const seconds = 1.5 // of the replay engine
	for _, c := range []struct {
		system string
		nodes  int
	}{
		{"randtree", 2}, {"randtree", 5}, {"randtree", 8}, {"paxos", 0}, {"pastry", 0},
		{"twophase", 0}, {"transport", 0}, {"overcast", 0}, {"brokentree", 0},
	} {
		b.Run(fmt.Sprintf("%s/nodes=%d", c.system, c.nodes), func(b *testing.B) {
			sys := bundled(b, c.system, spec.Config{Nodes: c.nodes})
			rates := map[string][]float64{}
			var compared []float64
			var hits float64
			for b.Loop() {
				events := 0
				for _, engine := range []string{runloop.ReplayEngine, runloop.TableEngine, runloop.AutoEngine} {
					loop, err := runloop.NewByEngine(&sys, string(engine), kernel.Options{})
					if err != nil {
						b.Fatal(err)
					}
					loop.Guarded = false
					walker := runs.NewWalker(search.DefaultWeights().Scale(), 2000)
					begin := budget.ProcessTime()
					done, walks := 0, 0
					for engine == runloop.ReplayEngine && (budget.ProcessTime()-begin).Seconds() < seconds || done < events {
						loop.Measure(func() {
							for range 64 {
								walks++
								walker.Seed(1, uint64(walks))
								o := loop.Run(walker, runloop.Task{})
								done += o.Steps
							}
						})
						if engine == runloop.TableEngine && (budget.ProcessTime()-begin).Seconds() > 2*seconds {
							break // it is the slower one
						}
					}
					rates[engine] = append(rates[engine], float64(done)/(budget.ProcessTime()-begin).Seconds())
					if engine == runloop.ReplayEngine {
						events = done
					}
					if engine == runloop.TableEngine {
						hits = loop.Counts().Tables.HitRate()
					}
				}
				last := func(e string) float64 { return rates[e][len(rates[e])-1] }
				compared = append(compared, last(runloop.AutoEngine)/max(last(runloop.ReplayEngine), last(runloop.TableEngine)))
			}
			for engine, r := range rates {
				b.ReportMetric(median(r), string(engine)+"/cpu-s")
			}
			b.ReportMetric(median(compared), "auto/better")
			b.ReportMetric(100*hits, "hit%")
		})
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
