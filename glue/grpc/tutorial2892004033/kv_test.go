package kv

import (
	"context"
	"testing"

	"github.com/macemc/macemc/bubble"
	gluegrpc "github.com/macemc/macemc/glue/grpc"
	gluehttp "github.com/macemc/macemc/glue/http"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func primary(ctx context.Context, h *bubble.Host) error {
	l, err := h.Listen("tcp", ":80")
	if err != nil {
		return err
	}
	replica, err := grpc.NewClient(bubble.Addr(1, 81), gluegrpc.Dialer(h), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	s := NewStore()
	h.Observe(func() any { return s.Get("k") })
	return s.Serve(ctx, l, replica)
}

func replica(ctx context.Context, h *bubble.Host) error {
	l, err := h.Listen("tcp", ":81")
	if err != nil {
		return err
	}
	s := NewStore()
	h.Observe(func() any { return s.Get("k") })
	return s.ServeReplica(ctx, l)
}

func client(ctx context.Context, h *bubble.Host) error {
	acknowledged := 0
	h.Observe(func() any { return acknowledged })
	c := Client{URL: "http://n0", HTTP: gluehttp.Client(h)}
	for range 2 {
		if err := c.Append(ctx, "k", "x"); err != nil {
			return err
		}
		acknowledged++
	}
	return nil
}

func system(network sim.Network, actions ...sim.AnyAction) sim.System {
	return sim.System{
		Name: "kv", Nodes: 3, State: bubble.Rules, Network: network, Actions: actions,
		New: func(id sim.NodeID) sim.Service {
			return bubble.Service([]bubble.Main{primary, replica, client}[id])
		},
		Properties: []sim.Property{
			{Name: "nothing is appended twice", Always: func(v *sim.View) bool {
				acknowledged, _ := bubble.SeenAt[int](v, 2)
				value, _ := bubble.SeenAt[string](v, 0)
				return len(value) <= acknowledged+1
			}},
			{Name: "when the primary has stopped, the replica has what was acknowledged", Always: func(v *sim.View) bool {
				acknowledged, _ := bubble.SeenAt[int](v, 2)
				value, _ := bubble.SeenAt[string](v, 1)
				return !stopped(v) || len(value) >= acknowledged
			}},
			{Name: "the client is done unless the primary has stopped", Eventually: func(v *sim.View) bool {
				acknowledged, _ := bubble.SeenAt[int](v, 2)
				return stopped(v) || acknowledged == 2
			}},
		},
	}
}

func stopped(v *sim.View) bool {
	p, ok := v.Service(0).(*bubble.Program)
	return ok && p.Ended != ""
}

// A connection breaks at any time.
func TestConnections(t *testing.T) { mctest.Check(t, system(netsim.Streams{Errors: 1})) }

// The primary is told to stop at any time.
func TestStop(t *testing.T) {
	stop := bubble.Interrupt()
	stop.At = func(id sim.NodeID) bool { return id == 0 }
	mctest.Check(t, system(netsim.Streams{}, stop))
}
