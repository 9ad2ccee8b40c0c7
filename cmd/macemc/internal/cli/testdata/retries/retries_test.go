// Package retries has a program that gives up after some retries, which is right only on a network whose delays are bounded.
package retries

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// dial sends up to four requests, and waits longer for each answer.
func dial(ctx context.Context, h *bubble.Host) error {
	connected := false
	h.Observe(func() any { return connected })
	conn, err := h.ListenPacket("udp", ":7000")
	if err != nil {
		return err
	}
	to, buf := &net.UDPAddr{IP: bubble.IP(1), Port: 7000}, make([]byte, 10)
	for i := range 4 {
		if _, err := conn.WriteTo([]byte("init"), to); err != nil {
			return err
		}
		if err := conn.SetReadDeadline(time.Now().Add(time.Second << i)); err != nil {
			return err
		}
		if _, _, err := conn.ReadFrom(buf); err == nil {
			connected = true
			break
		}
	}
	<-ctx.Done()
	return nil
}

// accept answers after some work, a deaf one only once.
func accept(deaf bool) bubble.Main {
	return func(_ context.Context, h *bubble.Host) error {
		conn, err := h.ListenPacket("udp", ":7000")
		if err != nil {
			return err
		}
		buf := make([]byte, 10)
		for answers := 0; ; answers++ {
			_, from, err := conn.ReadFrom(buf)
			if err != nil {
				return err
			}
			time.Sleep(100 * time.Millisecond)
			if deaf && answers > 0 {
				continue
			}
			if _, err := conn.WriteTo([]byte("ack"), from); err != nil {
				return err
			}
		}
	}
}

func check(t *testing.T, deaf bool) {
	mctest.Check(t, sim.System{
		Nodes: 2, State: bubble.Rules, Network: netsim.Datagrams{Loss: 1},
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Service(dial)
			}
			return bubble.Service(accept(deaf))
		},
		Properties: []sim.Property{{Name: "connected", Eventually: func(v *sim.View) bool {
			connected, _ := bubble.SeenAt[bool](v, 0)
			return connected
		}}},
	})
}

func TestPatient(t *testing.T) { check(t, false) }
func TestDeaf(t *testing.T)    { check(t, true) }
