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

// client stores values. Once a server has acknowledged a value, each server returns it or an error.
func client(_ context.Context, h *bubble.Host) error {
	done := 0
	h.Observe(func() any { return done })
	for ; done < 2; done++ {
		value := fmt.Sprint("v", done)
		for i := 0; ; i++ {
			if _, err := send("PUT", i%3, done, value); err == nil {
				break
			}
			time.Sleep(time.Second / 4)
		}
		for i := range 3 {
			got, err := send("GET", i, done, "")
			h.Assert(err != nil || got == value, "n%d returned %q after %q was acknowledged", i, got, value)
		}
	}
	return nil
}

// send returns the answer of a server to a request for a key.
func send(method string, server, key int, body string) (string, error) {
	r, err := http.NewRequest(method, fmt.Sprintf("http://n%d/k%d", server, key), strings.NewReader(body))
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s", answer.Status)
	}
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

func system(flags ...string) sim.System {
	var servers []string
	for i := range sim.NodeID(3) {
		servers = append(servers, bubble.Addr(i, 8300))
	}
	return sim.System{
		Name: "raft", Nodes: 4, State: bubble.Rules, Network: netsim.Streams{Errors: 1, Partitions: 1}, Crashes: 1,
		New: func(id sim.NodeID) sim.Service {
			if id == 3 {
				return bubble.Service(client)
			}
			args := []string{"raft", "-address", servers[id], "-servers", strings.Join(servers, ",")}
			return bubble.Command(main, append(args, flags...), nil, bubble.DataDir("/data"))
		},
		Properties: []sim.Property{{Name: "the client is done", Eventually: func(v *sim.View) bool {
			done, _ := bubble.SeenAt[int](v, 3)
			return done == 2
		}}},
	}
}

// Reads return what was acknowledged although connections break and a server crashes.
func TestStore(t *testing.T) { mctest.Check(t, system()) }
