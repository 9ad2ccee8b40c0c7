//go:build macemc_overlay

package grpc_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/macemc/macemc/bubble"
	glue "github.com/macemc/macemc/glue/grpc"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

func server(ctx context.Context, h *bubble.Host) error {
	l, err := h.Listen("tcp", ":50051")
	if err != nil {
		return err
	}
	s := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(s, health.NewServer())
	go func() {
		<-ctx.Done()
		s.GracefulStop()
	}()
	return s.Serve(l)
}

func client(ctx context.Context, h *bubble.Host) error {
	status := ""
	h.Observe(func() any { return status })
	conn, err := grpc.NewClient(bubble.Addr(0, 50051), glue.Dialer(h), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	for {
		answer, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
		if err == nil {
			status = answer.Status.String()
			return nil
		}
		time.Sleep(time.Second)
	}
}

// Clients get answers although connections break and nodes crash.
func TestGRPC(t *testing.T) {
	mctest.Check(t, sim.System{
		Name: "grpc", Nodes: 3, State: bubble.ShowBy(glue.Decoder(protoregistry.GlobalFiles)),
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Service(server)
			}
			return bubble.Service(client)
		},
		Network: netsim.Streams{Errors: 1},
		Crashes: 1,
		Properties: []sim.Property{{Name: "clients are answered", Eventually: func(v *sim.View) bool {
			for id := range sim.NodeID(v.Len()) {
				if status, ok := bubble.SeenAt[string](v, id); id > 0 && (!ok || status != "SERVING") {
					return false
				}
			}
			return true
		}}},
	})
}
