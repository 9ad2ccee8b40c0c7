package redis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
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

const (
	servers = 3
	turns   = 2 // of each client
)

// system has three servers and two clients that take turns to hold a lock, which is the key of a client on a quorum of servers. See
// "Distributed Locks with Redis". Keys do not expire.
func system(quorum int) sim.System {
	return sim.System{
		Name: "redis", Nodes: servers + 2, State: bubble.Rules, Network: netsim.Streams{Errors: 2},
		New: func(id sim.NodeID) sim.Service {
			if id < servers {
				return bubble.Command(server, []string{"redis"}, nil)
			}
			return bubble.Command(client, []string{"client", fmt.Sprint(quorum)}, nil)
		},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &exclusion{} }},
		Properties: []sim.Property{{Name: "the clients are done", Eventually: func(v *sim.View) bool {
			a, _ := bubble.SeenAt[int](v, servers)
			b, _ := bubble.SeenAt[int](v, servers+1)
			return a+b == 2*turns
		}}},
	}
}

// exclusion is a monitor of the clients that hold the lock.
type exclusion struct{ holders int }

func (e *exclusion) Observe(_ sim.NodeID, change any) error {
	if e.holders += change.(int); e.holders > 1 {
		return fmt.Errorf("two clients hold the lock")
	}
	return nil
}

// unlock deletes a key if it has a given value.
const unlock = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// client takes the lock, holds it for a while, and releases it. Its argument is the quorum.
func client(ctx context.Context, h *bubble.Host) error {
	done := 0
	h.Observe(func() any { return done })
	quorum, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	var all []*redis.Client
	for i := range sim.NodeID(servers) {
		all = append(all, redis.NewClient(&redis.Options{Addr: bubble.Addr(i, 6379)}))
	}
	for done < turns {
		held, token := 0, rand.Int()
		for _, c := range all {
			if set, err := c.SetNX(ctx, "lock", token, 0).Result(); set && err == nil {
				held++
			}
		}
		if held >= quorum {
			h.Announce(1)
			time.Sleep(time.Second)
			h.Announce(-1)
			done++
		}
		for _, c := range all {
			for c.Eval(ctx, unlock, []string{"lock"}, token).Err() != nil {
				time.Sleep(time.Second)
			}
		}
		time.Sleep(rand.N(time.Second))
	}
	return nil
}

// Two clients never hold the lock at the same time, although connections break.
func TestLock(t *testing.T) { mctest.Check(t, system(2)) }
