// Package pebble checks that an unmodified pebble store keeps what it has acknowledged when its machine crashes.
package pebble

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// system has one node that counts in a store, and may crash once.
func system(write *pebble.WriteOptions) sim.System {
	return sim.System{
		Name: "pebble", Nodes: 1, State: bubble.Rules, Crashes: 1,
		New: func(sim.NodeID) sim.Service {
			run := func(ctx context.Context, h *bubble.Host) error { return count(ctx, h, write) }
			return bubble.Command(run, nil, nil, bubble.DataDir("/data"))
		},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &durability{} }},
		Properties: []sim.Property{{Name: "the node is done", Eventually: func(v *sim.View) bool {
			n, _ := bubble.SeenAt[int](v, 0)
			return n == last
		}}},
	}
}

const last = 3

// count increments a number in the store. It announces what it found and what is stored.
func count(ctx context.Context, h *bubble.Host, write *pebble.WriteOptions) error {
	n := 0
	h.Observe(func() any { return n })
	db, err := pebble.Open("/data/db", &pebble.Options{})
	if err != nil {
		return err
	}
	key := []byte("n")
	switch value, closer, err := db.Get(key); {
	case err == nil:
		fmt.Sscan(string(value), &n)
		closer.Close()
	case !errors.Is(err, pebble.ErrNotFound):
		return err
	}
	h.Announce(found(n))
	for n < last {
		if err := db.Set(key, fmt.Append(nil, n+1), write); err != nil {
			return err
		}
		n++
		h.Announce(stored(n))
	}
	<-ctx.Done()
	return db.Close()
}

type found int
type stored int

// durability is a monitor of the largest number that was stored.
type durability struct{ stored int }

func (d *durability) Observe(_ sim.NodeID, change any) error {
	switch c := change.(type) {
	case stored:
		d.stored = int(c)
	case found:
		if int(c) < d.stored {
			return fmt.Errorf("found %d after %d was stored", c, d.stored)
		}
	}
	return nil
}

func TestPebble(t *testing.T) { mctest.Check(t, system(pebble.Sync)) }

// Without Sync, a crash loses acknowledged writes.
func TestPebble_NoSync(t *testing.T) { replaytest.Finding(t, system(pebble.NoSync), "was stored") }
