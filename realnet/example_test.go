package realnet_test

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

// Two nodes of a checked system, on loopback.
func ExampleNode() {
	ctx, stop := context.WithCancel(context.Background())
	var peers []string
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0") // a free port
		if err != nil {
			panic(err)
		}
		defer l.Close()
		peers = append(peers, l.Addr().String())
		l.Close()
	}
	var nodes []*realnet.Node
	ended := make(chan error, 2)
	for id := range sim.NodeID(2) {
		n, err := realnet.New(realnet.Config{
			System: &pingack.System, Node: id, Peers: peers, Messages: []any{pingack.Ping{}, pingack.Ack{}},
			Await: 10 * time.Second,
		})
		if err != nil {
			panic(err)
		}
		nodes = append(nodes, n)
		go func() { ended <- n.Run(ctx) }()
	}
	if _, err := nodes[0].Act(ctx, "ping"); err != nil {
		panic(err)
	}
	acked := false
	for !acked {
		_ = nodes[0].Look(ctx, func(r *runner.Runner) {
			p := r.Service(0).(*pingack.Pinger)
			acked = p.Acked == p.Sent
		})
	}
	fmt.Println("acknowledged")
	stop()
	fmt.Println(<-ended, <-ended)
	// Output:
	// acknowledged
	// <nil> <nil>
}
