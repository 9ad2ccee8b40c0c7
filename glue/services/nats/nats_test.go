package nats

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// serve runs a server of a cluster of three, whose streams are files. Its argument is its name.
func serve(ctx context.Context) error {
	s, err := server.NewServer(&server.Options{
		ServerName: os.Args[1], Port: 4222, NoSigs: true,
		Routes:    server.RoutesFromStr("nats://10.0.0.1:6222,nats://10.0.0.2:6222,nats://10.0.0.3:6222"),
		Cluster:   server.ClusterOpts{Name: "C", Port: 6222, PoolSize: -1, NoAdvertise: true},
		JetStream: true, StoreDir: "/data", JetStreamMaxMemory: 1 << 20, JetStreamMaxStore: 1 << 20,
	})
	if err != nil {
		return err
	}
	s.Start()
	<-ctx.Done()
	s.Shutdown()
	return nil
}

// progress is what properties know of the publisher.
type progress struct {
	Acknowledged uint64
	Waits        bool // for the stream, or an acknowledgment
}

// publish creates a stream with three replicas and publishes messages, each until it is acknowledged. If it is given
// the argument "-anonymous", messages have no IDs, by which the servers recognize those that are stored already.
func publish(_ context.Context, h *bubble.Host) error {
	p := progress{Waits: true}
	h.Observe(func() any { return p })
	c, err := nats.Connect("nats://n0,nats://n1,nats://n2", nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1))
	if err != nil {
		return err
	}
	js, err := c.JetStream()
	if err != nil {
		return err
	}
	stream := nats.StreamConfig{Name: "S", Subjects: []string{"s"}, Duplicates: time.Hour, Replicas: 3}
	for _, err := js.AddStream(&stream); err != nil; _, err = js.AddStream(&stream) {
		time.Sleep(time.Second)
	}
	for {
		m := nats.NewMsg("s")
		if !slices.Contains(os.Args, "-anonymous") {
			m.Header.Set(nats.MsgIdHdr, fmt.Sprint(p.Acknowledged))
		}
		p.Waits = true
		ack, err := js.PublishMsg(m)
		for ; err != nil; ack, err = js.PublishMsg(m) {
			time.Sleep(time.Second)
		}
		p.Acknowledged++
		p.Waits = false
		h.Assert(ack.Sequence == p.Acknowledged, "message %d has number %d in the stream", p.Acknowledged, ack.Sequence)
		time.Sleep(100 * time.Millisecond)
	}
}

// system has a cluster of three servers, and a publisher. Servers do not crash: they sync files every two minutes unless sync_interval is
// "always", so a crash may lose acknowledged messages.
func system(flags ...string) sim.System {
	return sim.System{
		Name: "nats", Nodes: 4, State: bubble.Rules, Network: netsim.Streams{Errors: 10}, Clocks: &sim.Clocks{},
		New: func(id sim.NodeID) sim.Service {
			if id == 3 {
				return bubble.Command(publish, append([]string{"publish"}, flags...), nil)
			}
			return bubble.Command(serve, []string{"nats-server", fmt.Sprint("n", id)}, nil, bubble.DataDir("/data"))
		},
		Properties: []sim.Property{{Name: "messages are acknowledged", Eventually: func(v *sim.View) bool {
			p, _ := bubble.SeenAt[progress](v, 3)
			return p.Acknowledged > 0 && !p.Waits
		}}},
	}
}

// Each message is stored once although connections break.
func TestStream(t *testing.T) { mctest.Check(t, system()) }
