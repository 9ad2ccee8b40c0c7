//go:build macemc_overlay

package bubble_test

import (
	"context"
	"io"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// echo is a system whose client repeatedly sends a byte and waits for its echo.
var echo = sim.System{
	Name: "echo", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{},
	New: func(id sim.NodeID) sim.Service {
		if id == 0 {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				l, err := h.Listen("tcp", ":7")
				if err != nil {
					return err
				}
				for {
					c, err := l.Accept()
					if err != nil {
						return err
					}
					go io.Copy(c, c)
				}
			})
		}
		return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
			c, err := h.Dial(ctx, "tcp", "n0:7")
			if err != nil {
				return err
			}
			for b := []byte{'x'}; ; {
				if _, err := c.Write(b); err != nil {
					return err
				}
				if _, err := io.ReadFull(c, b); err != nil {
					return err
				}
			}
		})
	},
}

// BenchmarkEcho measures a step in which a message is received and answered.
func BenchmarkEcho(b *testing.B) { replaytest.Bench(b, echo, 1000) }
