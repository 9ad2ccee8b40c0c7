package memberlist_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/macemc/macemc/bubble"
	glue "github.com/macemc/macemc/glue/memberlist"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

const nodes = 3

// Members is the observable state of a node: the names of the nodes that it believes alive.
type Members []string

func name(id sim.NodeID) string { return fmt.Sprintf("n%d", id) }

func member(ctx context.Context, h *bubble.Host) error {
	return run(ctx, h, memberlist.DefaultLANConfig())
}

func run(ctx context.Context, h *bubble.Host, config *memberlist.Config) error {
	config.Name = name(h.Self())
	config.Logger = log.New(io.Discard, "", 0)
	var err error
	if config.Transport, err = glue.NewTransport(h, glue.Port); err != nil {
		return err
	}
	list, err := memberlist.Create(config)
	if err != nil {
		return err
	}
	h.Observe(func() any {
		var names Members
		for _, m := range list.Members() {
			names = append(names, m.Name)
		}
		slices.Sort(names)
		return names
	})
	var others []string
	for i := range sim.NodeID(nodes) {
		if i != h.Self() {
			others = append(others, bubble.Addr(i, glue.Port))
		}
	}
	for list.NumMembers() == 1 {
		list.Join(others)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return list.Shutdown()
		}
	}
	<-ctx.Done()
	return list.Shutdown()
}

var system = sim.System{
	Name: "memberlist", Nodes: nodes, State: bubble.Rules,
	New:     func(sim.NodeID) sim.Service { return bubble.Service(member) },
	Network: netsim.Both{Datagrams: netsim.Datagrams{Loss: 2}, Streams: netsim.Streams{Errors: 1}},
	Crashes: 1,
	Properties: []sim.Property{{Name: "who is up sees those that are up, and no others", Eventually: func(v *sim.View) bool {
		var up Members
		for id := range sim.NodeID(nodes) {
			if v.Service(id) != nil {
				up = append(up, name(id))
			}
		}
		for _, seen := range bubble.Seen[Members](v) {
			if !slices.Equal(seen, up) {
				return false
			}
		}
		return len(up) > 0
	}}},
}

// Members find each other, also after a crash and lost messages.
func TestMemberlist(t *testing.T) { mctest.Check(t, system) }
