package main

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Two programs are nodes of one test. The workers end although a connection breaks.
func TestTickets(t *testing.T) {
	mctest.CheckWith(t, sim.System{
		Name: "tickets", Nodes: 3, State: bubble.Rules, Network: netsim.Streams{Errors: 1},
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Command(main, []string{"server", "-addr", ":80"}, nil)
			}
			return bubble.Command(worker, []string{"worker", "-addr", "n0:80", "-name", fmt.Sprint("w", id)}, nil)
		},
		Properties: []sim.Property{{Name: "the workers end", Eventually: func(v *sim.View) bool { return ended(v, 1) && ended(v, 2) }}},
	}, mctest.Options{MaxPaths: 100})
}

func ended(v *sim.View, id sim.NodeID) bool {
	p, up := v.Service(id).(*bubble.Program)
	return up && p.Ended == "exit status 0"
}
