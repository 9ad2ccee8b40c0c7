//go:build macemc_overlay

package bubble

import (
	"context"
	"testing"
	"unsafe"
)

// waiters are the ends of the two queues of a channel, at their offsets in the runtime.
func waiters(c chan *int) [4]uintptr {
	words := *(**[12]uintptr)(unsafe.Pointer(&c))
	return [4]uintptr(words[8:])
}

// Channels that outlive a node hold no reference to the goroutines that waited for them. These goroutines no longer have stacks, and the
// collector aborts a process that finds a pointer to one.
func TestDiscard(t *testing.T) {
	waited := 0
	for range 5 {
		var kept []chan *int
		stepping.Lock()
		n := start(boot{nodes: 1})
		n.perform(&input{kind: bootInput, boot: new(boot)}, func(ctx context.Context, _ *Host) error {
			for range 10 {
				a, b := make(chan *int), make(chan *int)
				kept = append(kept, a, b)
				for range 3 {
					go func() { <-a }()
					go func() {
						select {
						case <-a:
						case b <- nil:
						}
					}()
				}
			}
			<-ctx.Done()
			return nil
		})
		for _, c := range kept {
			if waiters(c) != [4]uintptr{} {
				waited++
			}
		}
		n.discard()
		stepping.Unlock()
		for i, c := range kept {
			if left := waiters(c); left != [4]uintptr{} {
				t.Errorf("channel %d has %x left", i, left)
			}
		}
	}
	if waited != 100 {
		t.Errorf("goroutines waited for %d channels, want 100", waited)
	}
}
