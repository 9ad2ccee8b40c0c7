package netsim_test

import (
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// A network is a value whose fields limit the faults of a run.
func Example() {
	network := netsim.Datagrams{Loss: 1, Dup: 2}
	fmt.Println(network.Limits())
	_, err := network.WithLimits(sim.Limits{sim.NetErrors: 2})
	fmt.Println(err)
	both := netsim.Both{Datagrams: network, Streams: netsim.Streams{Errors: 1}}
	fmt.Println(both.Limits())
	// Output:
	// loss=1 dup=2
	// 2 socket errors requested, but only netsim.Streams and netsim.Both have connections
	// net-errors=1 loss=1 dup=2
}
