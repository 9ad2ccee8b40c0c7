//go:build macemc_overlay

package bubble_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// dial sends up to four requests and waits for an answer after each, with increasing timeouts.
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

// accept answers after some work.
func accept(deaf bool) func(context.Context, *bubble.Host) error {
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

// A bounded number of retries suffices on a network with bounded delays, unless the acceptor answers only once.
func TestBoundedRetries(t *testing.T) {
	for _, c := range []struct {
		timing   sim.Timing
		deaf     bool
		violated bool
	}{
		{sim.ByDeadline, false, true},
		{sim.Bounded(100 * time.Millisecond), false, false},
		{sim.Bounded(100 * time.Millisecond), true, true},
		{sim.BoundedLiveness(100 * time.Millisecond), false, false},
		{sim.BoundedLiveness(100 * time.Millisecond), true, true},
	} {
		s := sim.System{
			Name: "dial", Nodes: 2, State: bubble.Rules, Network: netsim.Datagrams{Loss: 1}, Timing: c.timing,
			New: func(id sim.NodeID) sim.Service {
				if id == 0 {
					return bubble.Service(dial)
				}
				return bubble.Service(accept(c.deaf))
			},
			Properties: []sim.Property{{Name: "connected", Eventually: func(v *sim.View) bool {
				connected, _ := bubble.SeenAt[bool](v, 0)
				return connected
			}}},
		}
		r, err := searched(t, search.Config{System: s, Workers: 1, MaxPaths: 3000, MaxDepth: 25})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Finding != nil; got != c.violated || r.Stats.Paths == 0 {
			t.Errorf("%v, deaf %v: %v after %d paths, want a violation: %v; %+v", c.timing, c.deaf, r.Verdict, r.Stats.Paths, c.violated, r.Finding)
		}
	}
}
