// Package raft has tests of a replicated state machine.
package raft

import (
	"io"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/raft"
)

// counter is the state machine. Its commands add a number.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) Apply(l *raft.Log) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += int(l.Data[0])
	return c.n
}

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) Snapshot() (raft.FSMSnapshot, error) { return nil, raft.ErrNothingNewToSnapshot }
func (c *counter) Restore(r io.ReadCloser) error       { return r.Close() }

// start starts a cluster of one node, and waits until it leads.
func start(t *testing.T) (*raft.Raft, *counter) {
	config := raft.DefaultConfig()
	config.LocalID, config.LogOutput = "a", io.Discard
	config.HeartbeatTimeout, config.ElectionTimeout, config.LeaderLeaseTimeout = 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
	store := raft.NewInmemStore()
	address, transport := raft.NewInmemTransport("")
	f := &counter{}
	r, err := raft.NewRaft(config, f, store, store, raft.NewInmemSnapshotStore(), transport)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Shutdown().Error(); err != nil {
			t.Error(err)
		}
	})
	if err := r.BootstrapCluster(raft.Configuration{Servers: []raft.Server{{ID: "a", Address: address}}}).Error(); err != nil {
		t.Fatal(err)
	}
	if !<-r.LeaderCh() {
		t.Fatal("no leader")
	}
	return r, f
}

func TestRaft(t *testing.T) {
	r, f := start(t)
	var wg sync.WaitGroup
	for i := range byte(3) {
		wg.Go(func() {
			if err := r.Apply([]byte{i}, time.Second).Error(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := f.get(); n != 3 {
		t.Errorf("got %d", n)
	}
}

// adds applies a command, and reads what it has changed.
func adds(t *testing.T, settle func(raft.ApplyFuture)) {
	t.Helper()
	r, f := start(t)
	settle(r.Apply([]byte{2}, time.Second))
	if n := f.get(); n != 2 {
		t.Errorf("got %d", n)
	}
}

func TestRaftDefect(t *testing.T) {
	adds(t, func(raft.ApplyFuture) { time.Sleep(900 * time.Microsecond) })
}

func TestRaftMended(t *testing.T) {
	adds(t, func(f raft.ApplyFuture) {
		if err := f.Error(); err != nil {
			t.Error(err)
		}
	})
}
