package redis

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// server serves an empty database.
func server(ctx context.Context) error {
	s := miniredis.NewMiniRedis()
	if err := s.StartAddr(":6379"); err != nil {
		return err
	}
	<-ctx.Done()
	s.Close()
	return nil
}

// system has a server and two clients that increment the same counter in transactions.
func system(watched string) sim.System {
	return sim.System{
		Name: "redis", Nodes: 3, State: bubble.Rules, Network: netsim.Streams{Errors: 2},
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Command(server, []string{"redis"}, nil)
			}
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error { return client(ctx, h, watched) })
		},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &unique{map[int]bool{}} }},
		Properties: []sim.Property{{Name: "the clients are done", Eventually: func(v *sim.View) bool {
			a, _ := bubble.SeenAt[int](v, 1)
			b, _ := bubble.SeenAt[int](v, 2)
			return a+b == 2*increments
		}}},
	}
}

const increments = 2

// unique is a monitor of the values that increments have resulted in.
type unique struct{ seen map[int]bool }

func (u *unique) Observe(_ sim.NodeID, value any) error {
	n := value.(int)
	if u.seen[n] {
		return fmt.Errorf("two clients have incremented the counter to %d", n)
	}
	u.seen[n] = true
	return nil
}

// client increments the counter, whose value is then at least the number of its own increments.
func client(ctx context.Context, h *bubble.Host, watched string) error {
	done := 0
	h.Observe(func() any { return done })
	c := redis.NewClient(&redis.Options{Addr: "n0:6379"})
	for done < increments {
		err := c.Watch(ctx, func(tx *redis.Tx) error {
			n, err := tx.Get(ctx, "counter").Int()
			if err != nil && err != redis.Nil {
				return err
			}
			_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Set(ctx, "counter", n+1, 0).Err() })
			if err == nil {
				done++
				h.Announce(n + 1)
			}
			return err
		}, watched)
		if err != nil {
			time.Sleep(time.Second)
		}
	}
	return nil
}

func TestCounter(t *testing.T) { mctest.Check(t, system("counter")) }
