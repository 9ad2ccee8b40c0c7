package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// client stores values in one replica. Once a value is acknowledged, all replicas must have it.
func client(_ context.Context, h *bubble.Host) error {
	done := 0
	h.Observe(func() any { return done })
	for ; done < 2; done++ {
		key, value := fmt.Sprint("/k", done), fmt.Sprint("v", done)
		for send("http://n0"+key, value, false) != nil {
			time.Sleep(time.Second)
		}
		for i := range 3 {
			answer, err := http.Get(fmt.Sprintf("http://n%d%s", i, key))
			if err != nil {
				continue
			}
			if text, err := io.ReadAll(answer.Body); err == nil {
				h.Assert(string(text) == value, "n%d has %q for %s after %q was acknowledged", i, text, key, value)
			}
			answer.Body.Close()
		}
	}
	return nil
}

func system(flags ...string) sim.System {
	return sim.System{
		Name: "kv", Nodes: 4, State: bubble.Rules, Network: netsim.Streams{Errors: 1},
		New: func(id sim.NodeID) sim.Service {
			if id == 3 {
				return bubble.Service(client)
			}
			var peers []string
			for i := range sim.NodeID(3) {
				if i != id {
					peers = append(peers, fmt.Sprintf("http://n%d", i))
				}
			}
			return bubble.Command(main, append([]string{"kv", "-peers", strings.Join(peers, ",")}, flags...), nil)
		},
		Properties: []sim.Property{{Name: "the client is done", Eventually: func(v *sim.View) bool {
			done, _ := bubble.SeenAt[int](v, 3)
			return done == 2
		}}},
	}
}

// All replicas have the acknowledged values although connections break.
func TestReplicas(t *testing.T) { mctest.Check(t, system()) }
