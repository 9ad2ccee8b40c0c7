//go:build macemc_overlay

package bubble_test

import (
	"context"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// unusual are correct programs that resemble incorrect ones.
var unusual = map[string]func(h *bubble.Host, done *atomic.Bool){
	"a mutex that another goroutine unlocks": func(_ *bubble.Host, done *atomic.Bool) {
		var mu sync.Mutex
		mu.Lock()
		go func() {
			time.Sleep(time.Second)
			mu.Unlock()
		}()
		mu.Lock()
		done.Store(true)
	},
	"a loop that waits for time": func(_ *bubble.Host, done *atomic.Bool) {
		for began := time.Now(); time.Since(began) < 50*time.Millisecond; {
			runtime.Gosched()
		}
		done.Store(true)
	},
	"a loop that waits for another node": func(h *bubble.Host, done *atomic.Bool) {
		c, err := h.ListenPacket("udp", ":1")
		if err != nil {
			return
		}
		other, _ := net.ResolveUDPAddr("udp", bubble.Addr(1-h.Self(), 1))
		go func() {
			var b [1]byte
			c.ReadFrom(b[:])
			done.Store(true)
		}()
		for !done.Load() {
			c.WriteTo([]byte("x"), other)
			runtime.Gosched()
		}
	},
}

// Correct programs run to their end without findings.
func TestCorrect_NoFindings(t *testing.T) {
	for name, f := range unusual {
		for _, how := range []sim.Interleave{sim.FIFO, sim.Random, 2} {
			t.Run(name+" "+how.String(), func(t *testing.T) {
				r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 100, WalkSteps: 200, System: sim.System{
					Name: "right", Nodes: 2, State: bubble.Rules, Network: netsim.Datagrams{}, Interleave: how,
					New: func(sim.NodeID) sim.Service {
						return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
							var done atomic.Bool
							h.Observe(func() any { return done.Load() })
							f(h, &done)
							<-ctx.Done()
							return nil
						})
					},
					Properties: []sim.Property{{Name: "done", Eventually: func(v *sim.View) bool {
						for id := range sim.NodeID(2) {
							if done, _ := bubble.SeenAt[bool](v, id); !done {
								return false
							}
						}
						return true
					}}},
				}})
				if err != nil || r.Finding != nil || r.Stats.Paths == 0 {
					t.Errorf("%v, %s after %d paths: %+v", err, r.Verdict, r.Stats.Paths, r.Finding)
				}
			})
		}
	}
}

// A goroutine that sleeps when the main function returns ends with it.
func TestCorrect_SleepsAtEnd(t *testing.T) {
	for _, ends := range []time.Duration{0, time.Second} {
		r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 50, WalkSteps: 100, System: sim.System{
			Name: "right", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{},
			New: func(sim.NodeID) sim.Service {
				return bubble.Service(func(context.Context, *bubble.Host) error {
					go func() {
						for {
							time.Sleep(3 * time.Second)
						}
					}()
					time.Sleep(ends)
					return nil
				})
			},
			Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
		}})
		if err != nil || r.Finding != nil || r.Stats.Paths == 0 {
			t.Errorf("ends after %v: %v, %s after %d paths: %+v", ends, err, r.Verdict, r.Stats.Paths, r.Finding)
		}
	}
}

// A property is not violated in states where its value is unknown because Observe waits for a lock.
func TestCorrect_LockedAtObserve(t *testing.T) {
	sys := sim.System{
		Name: "right", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{},
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(_ context.Context, h *bubble.Host) error {
				var mu sync.Mutex
				n := 0
				h.Observe(func() any { mu.Lock(); defer mu.Unlock(); return n })
				for {
					mu.Lock()
					n = 1
					time.Sleep(time.Second)
					mu.Unlock()
				}
			})
		},
		Properties: []sim.Property{{Name: "done", Eventually: func(v *sim.View) bool { n, _ := bubble.SeenAt[int](v, 0); return n == 1 }}},
	}
	r, err := searched(t, search.Config{
		Workers: 1, Time: time.Minute, MaxPaths: 5, WalkSteps: 200, System: sys,
		Confirm: critical.Confirm(critical.Config{System: sys, Walks: 10, WalkSteps: 200, Workers: 1}),
	})
	if err != nil || r.Verdict != search.Inconclusive || r.Finding != nil {
		t.Errorf("%v, %s: %+v", err, r.Verdict, r.Finding)
	}
}
