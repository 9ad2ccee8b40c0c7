package raft_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/macemc/macemc/bubble"
	glue "github.com/macemc/macemc/glue/raft"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// counter is a replicated number.
type counter struct{ n uint64 }

func (c *counter) Apply(*raft.Log) any { c.n++; return c.n }

func (c *counter) Snapshot() (raft.FSMSnapshot, error) { return snapshot(c.n), nil }

func (c *counter) Restore(r io.ReadCloser) error {
	defer r.Close()
	return binary.Read(r, binary.BigEndian, &c.n)
}

type snapshot uint64

func (s snapshot) Persist(sink raft.SnapshotSink) error {
	if err := binary.Write(sink, binary.BigEndian, uint64(s)); err != nil {
		return err
	}
	return sink.Close()
}

func (snapshot) Release() {}

// View is the observable state of a node.
type View struct {
	State string
	Term  uint64
	Value uint64
}

// Elected is announced by a node that has become leader.
type Elected struct {
	Node sim.NodeID
	Term uint64
}

const nodes = 3

// forgetful is a store that loses its current term in a crash.
type forgetful struct {
	*glue.Store
	term uint64
}

func (f *forgetful) SetUint64(key []byte, value uint64) error {
	if string(key) == "CurrentTerm" {
		f.term = value
		return nil
	}
	return f.Store.SetUint64(key, value)
}

func (f *forgetful) GetUint64(key []byte) (uint64, error) {
	if string(key) == "CurrentTerm" {
		return f.term, nil
	}
	return f.Store.GetUint64(key)
}

func node(broken bool) bubble.Main {
	return func(ctx context.Context, h *bubble.Host) error {
		config := raft.DefaultConfig()
		config.LocalID = raft.ServerID(fmt.Sprint(h.Self()))
		config.Logger = hclog.NewNullLogger()
		elected := make(chan bool, 1)
		config.NotifyCh = elected
		layer, err := glue.Listen(h, ":8300")
		if err != nil {
			return err
		}
		transport := raft.NewNetworkTransportWithLogger(layer, nodes, 10*time.Second, config.Logger)
		store, snapshots := glue.NewStore(h.Disk()), glue.NewSnapshots(h.Disk())
		var stable raft.StableStore = store
		if broken {
			stable = &forgetful{Store: store}
		}
		known, err := raft.HasExistingState(store, stable, snapshots)
		if err != nil {
			return err
		}
		if !known {
			var c raft.Configuration
			for i := range sim.NodeID(nodes) {
				c.Servers = append(c.Servers, raft.Server{ID: raft.ServerID(fmt.Sprint(i)), Address: raft.ServerAddress(bubble.Addr(i, 8300))})
			}
			if err := raft.BootstrapCluster(config, store, stable, snapshots, transport, c); err != nil {
				return err
			}
		}
		fsm := &counter{}
		r, err := raft.NewRaft(config, fsm, store, stable, snapshots, transport)
		if err != nil {
			return err
		}
		h.Observe(func() any { return View{r.State().String(), r.CurrentTerm(), fsm.n} })
		for {
			select {
			case leads := <-elected:
				// It may have ceased to lead, with the term of another leader.
				if term := r.CurrentTerm(); leads && r.State() == raft.Leader && r.CurrentTerm() == term {
					h.Announce(Elected{h.Self(), term})
					r.Apply([]byte("x"), time.Second)
				}
			case <-ctx.Done():
				return r.Shutdown().Error()
			}
		}
	}
}

// leaders checks that no term has two leaders.
type leaders struct{ Of map[uint64]sim.NodeID }

func (l *leaders) Observe(_ sim.NodeID, event any) error {
	e, ok := event.(Elected)
	if !ok {
		return nil
	}
	if other, led := l.Of[e.Term]; led && other != e.Node {
		return fmt.Errorf("nodes %d and %d are both leaders in term %d", other, e.Node, e.Term)
	}
	l.Of[e.Term] = e.Node
	return nil
}

func system(broken bool) sim.System {
	return sim.System{
		Name: "raft", Nodes: nodes, State: bubble.Rules,
		New:      func(sim.NodeID) sim.Service { return bubble.Service(node(broken)) },
		Network:  netsim.Streams{Errors: 2, Partitions: 1},
		Crashes:  2,
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &leaders{map[uint64]sim.NodeID{}} }},
		Properties: []sim.Property{{Name: "a leader has applied", Eventually: func(v *sim.View) bool {
			for _, s := range bubble.Seen[View](v) {
				if s.State == "Leader" && s.Value > 0 {
					return true
				}
			}
			return false
		}}},
	}
}

// A cluster of three never has two leaders in one term.
func TestRaft(t *testing.T) { mctest.CheckWith(t, system(false), mctest.Options{MaxPaths: 40}) }
