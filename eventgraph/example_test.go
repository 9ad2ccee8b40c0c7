package eventgraph_test

import (
	"os"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/systems/pingack"
)

// The event graph of a short run, as text.
func Example() {
	path := choose.Path{0, 1, 2} // ping, delivery of the ping, loss of the acknowledgement
	trace, err := replay.Record(&pingack.System, path, kernel.Options{})
	if err != nil {
		panic(err)
	}
	if err := eventgraph.Build(trace).Text(os.Stdout, eventgraph.Options{}); err != nil {
		panic(err)
	}
	// Output:
	// n0 pinger                    n1 ponger
	//    0  all nodes boot
	//    1  ping                          Sent 0->1; sets resend; no longer LIVE  pingack.go:24
	//    2    --Ping{1}---------------->  Seen 0->1                               pingack.go:48
	//         <-----------------Ack{1}--  (lost in step 3)
	//    3               x lost Ack{1}--
}
