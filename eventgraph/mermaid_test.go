package eventgraph_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/test/mermaid"
)

// Mermaid accepts what we write, of runs with every kind of event, folded and not.
func TestMermaidParses(t *testing.T) {
	diagrams := map[string]string{}
	add := func(name string, g *eventgraph.Graph) {
		g.Critical = min(20, g.Last())
		diagrams[name] = string(render(t, g.Mermaid, eventgraph.Options{Fold: -1}))
		diagrams[name+"-folded"] = string(render(t, g.Mermaid, eventgraph.Options{}))
		diagrams[name+"-part"] = string(render(t, g.Mermaid, eventgraph.Options{Nodes: []int{1, 0}, From: 3}))
	}
	for seed := range uint64(2) {
		add(fmt.Sprint("randtree", seed), randomGraph(t, 4, seed, 150))
		add(fmt.Sprint("couriers", seed), randomRun(t, couriers(5), seed, 100))
		add(fmt.Sprint("gossips", seed), randomRun(t, gossips(), seed, 100))
	}
	mermaid.Check(t, diagrams)
}
