// Package concurrency does not run to completion.
package concurrency

import (
	"sync"

	"github.com/macemc/macemc/sim"
)

type node struct {
	sim.Nop
	mu   sync.Mutex
	work chan int
	wg   sync.WaitGroup
	pool sync.Pool
}

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	go n.later() // want "concurrency: starts a goroutine"
	n.work <- 1  // want "sends to a channel"
	<-n.work     // want "receives from a channel"
	select {     // want "selects among channels"
	case <-n.work:
		<-n.work // want "receives from a channel"
	case n.work <- 2:
	default:
	}
	for range n.work { // want "ranges over a channel"
	}
	n.wg.Wait()      // want "uses .*WaitGroup..Wait"
	_ = n.pool.Get() // want "shared variable: uses .*Pool..Get"
}

func (n *node) later() { close(n.work) }
