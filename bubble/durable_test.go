//go:build macemc_overlay

package bubble_test

import (
	"bufio"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// register is a system of a server that keeps a value on its disk and a client that sets it. The broken server answers before it writes.
func register(broken bool) sim.System {
	server := func(ctx context.Context, h *bubble.Host) error {
		l, err := h.Listen("tcp", ":1")
		if err != nil {
			return err
		}
		h.Observe(func() any { _, has := h.Disk().Get("value"); return has })
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			go func() {
				defer c.Close()
				if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
					return
				}
				if broken {
					fmt.Fprintln(c, "ok")
				}
				h.Disk().Put("value", []byte("x"))
				h.Disk().Sync()
				if !broken {
					fmt.Fprintln(c, "ok")
				}
			}()
		}
	}
	client := func(ctx context.Context, h *bubble.Host) error {
		var acked count
		h.Observe(func() any { return acked })
		for !acked.Done {
			if c, err := h.Dial(ctx, "tcp", "n0:1"); err == nil {
				fmt.Fprintln(c, "set")
				_, err = bufio.NewReader(c).ReadString('\n')
				acked.Done = err == nil
				c.Close()
			}
			time.Sleep(time.Second)
		}
		<-ctx.Done()
		return nil
	}
	return sim.System{
		Name: "register", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Crashes: 1,
		New: func(id sim.NodeID) sim.Service { return bubble.Service([]bubble.Main{server, client}[id]) },
		Properties: []sim.Property{{Name: "what was answered is kept", Always: func(v *sim.View) bool {
			acked, _ := bubble.SeenAt[count](v, 1)
			has, up := bubble.SeenAt[bool](v, 0)
			return !acked.Done || !up || has
		}}},
	}
}

// An answer may arrive although its sender crashed before its next write.
func TestAnsweredTooEarly(t *testing.T) {
	for _, broken := range []bool{true, false} {
		r, err := searched(t, search.Config{System: register(broken), Workers: 1, Time: 10 * time.Second, MaxPaths: 3000, WalkSteps: 100})
		if err != nil {
			t.Fatal(err)
		}
		if (r.Finding != nil) != broken {
			t.Errorf("broken: %v; %s after %d paths: %+v", broken, r.Verdict, r.Stats.Paths, r.Finding)
		}
		t.Logf("broken: %v; %s after %d paths", broken, r.Verdict, r.Stats.Paths)
	}
}

// Programs of one process crash together. With at most one crash, both are down in some runs if and only if they share a process.
func TestContainerOfBubbles(t *testing.T) {
	for _, together := range []bool{true, false} {
		sys := register(false)
		if together {
			sys.Containers = [][]sim.NodeID{{0, 1}}
		}
		sys.Properties = append(sys.Properties, sim.Property{Name: "both are down", Sometimes: func(v *sim.View) bool {
			return v.Service(0) == nil && v.Service(1) == nil
		}})
		r, err := searched(t, search.Config{System: sys, Workers: 1, Time: 10 * time.Second, MaxPaths: 1000, WalkSteps: 100})
		if err != nil || r.Finding != nil {
			t.Fatalf("%v, %+v", err, r.Finding)
		}
		if down := r.Stats.Sometimes[0].Runs; (down > 0) != together {
			t.Errorf("together %v: both are down in %d runs", together, down)
		}
	}
}
