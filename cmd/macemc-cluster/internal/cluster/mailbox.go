package cluster

import (
	"sync"

	"github.com/macemc/macemc/sim"
)

// letter is a message with its sender.
type letter struct {
	from sim.NodeID
	msg  any
}

// mailbox holds the messages that a member has not handled. Several goroutines may use it at once.
type mailbox struct {
	mu      sync.Mutex
	letters []letter
	came    chan struct{} // receives after each message; values may be lost while one is pending
}

func (b *mailbox) put(from sim.NodeID, msg any) {
	b.mu.Lock()
	b.letters = append(b.letters, letter{from, msg})
	b.mu.Unlock()
	select {
	case b.came <- struct{}{}:
	default:
	}
}

// take removes and returns the messages.
func (b *mailbox) take() []letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	letters := b.letters
	b.letters = nil
	return letters
}
