// Package sampled has programs that are wrong, each in a way that a search by first come, first served misses, or nearly always.
package sampled

import (
	"context"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// program checks that what a program shows is true, always or eventually. Start starts its goroutines.
func program(t *testing.T, eventually bool, start func() (shown func() bool)) {
	main := func(ctx context.Context, h *bubble.Host) error {
		shown := start()
		h.Observe(func() any { return shown() })
		<-ctx.Done()
		return nil
	}
	p := sim.Property{Name: "right"}
	right := func(v *sim.View) bool {
		shown, ok := bubble.SeenAt[bool](v, 0)
		return shown || !ok && !eventually
	}
	if eventually {
		p.Eventually = right
	} else {
		p.Always = right
	}
	mctest.Check(t, sim.System{
		Nodes: 1, State: bubble.Rules, Network: netsim.Streams{}, Properties: []sim.Property{p},
		New: func(sim.NodeID) sim.Service { return bubble.Service(main) },
	})
}

func TestLostUpdate(t *testing.T) {
	program(t, false, func() func() bool {
		var n, done atomic.Int32
		for range 2 {
			go func() {
				n.Store(n.Load() + 1)
				done.Add(1)
			}()
		}
		return func() bool { return done.Load() < 2 || n.Load() == 2 }
	})
}

func TestRareDraw(t *testing.T) {
	program(t, false, func() func() bool {
		bad := rand.Intn(100) == 37
		return func() bool { return !bad }
	})
}

func TestTryLock(t *testing.T) {
	program(t, false, func() func() bool {
		var mu sync.Mutex
		var failed atomic.Bool
		for range 2 {
			go func() {
				if !mu.TryLock() {
					failed.Store(true)
					return
				}
				mu.Unlock()
			}()
		}
		return func() bool { return !failed.Load() }
	})
}

func TestSelectDefault(t *testing.T) {
	program(t, false, func() func() bool {
		ready := make(chan int, 1)
		var missed atomic.Bool
		go func() { ready <- 1 }()
		go func() {
			select {
			case <-ready:
			default:
				missed.Store(true)
			}
		}()
		return func() bool { return !missed.Load() }
	})
}

func TestDeadlock(t *testing.T) {
	program(t, true, func() func() bool {
		var a, b sync.Mutex
		var done atomic.Int32
		for _, order := range [][2]*sync.Mutex{{&a, &b}, {&b, &a}} {
			go func() {
				for _, mu := range order {
					mu.Lock()
					defer mu.Unlock()
				}
				done.Add(1)
			}()
		}
		return func() bool { return done.Load() == 2 }
	})
}

// stock sells items.
type stock struct {
	mu   sync.Mutex
	left int
}

func (s *stock) sell() {
	time.Sleep(time.Second)
	s.mu.Lock()
	found := s.left > 0
	s.mu.Unlock()
	s.mu.Lock()
	if found {
		s.left--
	}
	s.mu.Unlock()
	time.Sleep(time.Hour)
}

func TestLastItem(t *testing.T) {
	program(t, false, func() func() bool {
		s := &stock{left: 1}
		for range 2 {
			go s.sell()
		}
		return func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.left >= 0
		}
	})
}
