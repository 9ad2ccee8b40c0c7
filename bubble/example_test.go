package bubble_test

import (
	"context"
	"net/http"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Two nodes run an HTTP server each, over package net. Run the test with macemc test.
func ExampleService() {
	serve := func(ctx context.Context, h *bubble.Host) error {
		return http.ListenAndServe(":80", nil)
	}
	_ = sim.System{
		Nodes:   2,
		New:     func(sim.NodeID) sim.Service { return bubble.Service(serve) },
		State:   bubble.Rules,
		Network: netsim.Streams{},
	}
	// mctest.Check(t, system)
}
