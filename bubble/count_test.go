//go:build macemc_overlay

package bubble_test

import (
	"bufio"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

func server(ctx context.Context, h *bubble.Host) error {
	l, err := h.Listen("tcp", ":80")
	if err != nil {
		return err
	}
	var mu sync.Mutex
	got := 0
	h.Observe(func() any { mu.Lock(); defer mu.Unlock(); return got })
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			for lines := bufio.NewScanner(c); lines.Scan(); {
				mu.Lock()
				got++
				mu.Unlock()
				fmt.Fprintln(c, "ok")
			}
		}()
	}
}

func client(ctx context.Context, h *bubble.Host) error {
	acks := 0
	h.Observe(func() any { return acks })
	for acks < 3 {
		c, err := h.Dial(ctx, "tcp", "n0:80")
		if err != nil {
			time.Sleep(time.Second) // the node's own time, which costs no real time
			continue
		}
		c.SetDeadline(time.Now().Add(5 * time.Second))
		fmt.Fprintln(c, "hello")
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			acks++
		}
		c.Close()
	}
	<-ctx.Done()
	return nil
}

func TestCount(t *testing.T) {
	mctest.Check(t, sim.System{
		Name: "count", Nodes: 3,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Service(server)
			}
			return bubble.Service(client)
		},
		Network: netsim.Streams{Errors: 1},
		Crashes: 1,
		State:   bubble.Rules,
		Properties: []sim.Property{{Name: "the clients are done", Eventually: func(v *sim.View) bool {
			for id, acks := range bubble.Seen[int](v) {
				if id > 0 && acks < 3 {
					return false
				}
			}
			return true
		}}},
	})
}
