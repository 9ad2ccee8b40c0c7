//go:build macemc_overlay

package http_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	glue "github.com/macemc/macemc/glue/http"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Served is the number of requests that the server has begun and finished, and whether it has returned.
type Served struct {
	Began, Ended int64
	Over         bool
}

func server(ctx context.Context, h *bubble.Host) error {
	var began, ended atomic.Int64
	over := false
	h.Observe(func() any { return Served{began.Load(), ended.Load(), over} })
	mux := http.NewServeMux()
	mux.HandleFunc("POST /greet", func(w http.ResponseWriter, r *http.Request) {
		began.Add(1)
		time.Sleep(time.Second)
		name, err := io.ReadAll(r.Body)
		if err != nil {
			name = []byte("nobody")
		}
		fmt.Fprintf(w, "hello %s", name)
		ended.Add(1)
	})
	err := glue.Serve(ctx, h, ":80", mux)
	over = true
	return err
}

func client(_ context.Context, h *bubble.Host) error {
	got := ""
	h.Observe(func() any { return got })
	c := glue.Client(h)
	c.Timeout = 10 * time.Second
	for {
		answer, err := c.Post("http://n0/greet", "text/plain", io.MultiReader())
		if err == nil {
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err == nil {
				got = string(text)
				return nil
			}
		}
		time.Sleep(time.Second)
	}
}

// Clients get answers although connections break, and an interrupted server answers its pending requests.
func TestHTTP(t *testing.T) {
	mctest.Check(t, sim.System{
		Name: "http", Nodes: 3, State: bubble.Rules,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Service(server)
			}
			return bubble.Service(client)
		},
		Network: netsim.Streams{Errors: 1},
		Timing:  sim.Prompt, // else many connections pile up, which a server that shuts down closes in the order of a map
		Crashes: 1,
		Actions: []sim.AnyAction{bubble.Signal(os.Interrupt)},
		Properties: []sim.Property{
			{Name: "nobody is left without an answer", Always: func(v *sim.View) bool {
				s, ok := bubble.SeenAt[Served](v, 0)
				return !ok || !s.Over || s.Began == s.Ended
			}},
			{Name: "clients that go on are answered", Eventually: func(v *sim.View) bool {
				if s, ok := bubble.SeenAt[Served](v, 0); ok && s.Over {
					return true
				}
				for id, got := range bubble.Seen[string](v) {
					if p := v.Service(id).(*bubble.Program); p.Ended == "" && got != "hello " {
						return false
					}
				}
				return true
			}},
		},
	})
}
