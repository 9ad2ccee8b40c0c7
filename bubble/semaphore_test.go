//go:build macemc_overlay

package bubble_test

import (
	"context"
	"sync"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/sim"
)

// semaphore has the structure of golang.org/x/sync/semaphore with weight 1 for all. The broken version does not wake a waiter on release.
type semaphore struct {
	mu      sync.Mutex
	room    int
	waiters []chan struct{}
	broken  bool
}

func (s *semaphore) acquire() {
	s.mu.Lock()
	if s.room > 0 {
		s.room--
		s.mu.Unlock()
		return
	}
	ready := make(chan struct{})
	s.waiters = append(s.waiters, ready)
	s.mu.Unlock()
	<-ready
}

func (s *semaphore) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiters) > 0 && !s.broken {
		close(s.waiters[0])
		s.waiters = s.waiters[1:]
	} else {
		s.room++
	}
}

// users is a program's state of its semaphore users.
type users struct{ Waiting, Inside int }

// share has three users of a semaphore with capacity one.
func share(broken bool) bubble.Main {
	return func(ctx context.Context, h *bubble.Host) error {
		s := semaphore{room: 1, broken: broken}
		var u users
		h.Observe(func() any { return u })
		h.Expose(begin(func() {
			for range 3 {
				go func() {
					u.Waiting++
					s.acquire()
					u.Waiting--
					u.Inside++
					time.Sleep(time.Second)
					u.Inside--
					s.release()
				}()
			}
		}))
		<-ctx.Done()
		return nil
	}
}

// noIdleRoom reports whether nobody waits while the semaphore is free.
func noIdleRoom(v *sim.View) bool {
	u, _ := bubble.SeenAt[users](v, 0)
	return u.Waiting == 0 || u.Inside > 0
}
