// Package netrpc has tests of a service of net/rpc over TCP.
package netrpc

import (
	"errors"
	"net"
	"net/rpc"
	"sync"
	"testing"
	"time"
)

// Numbers is a service that draws numbers of orders.
type Numbers struct {
	mu   sync.Mutex
	last int
	next func(*Numbers) int
}

// Next returns the next number.
func (n *Numbers) Next(_ int, reply *int) error {
	*reply = n.next(n)
	return nil
}

// Fail returns an error.
func (n *Numbers) Fail(_ int, _ *int) error { return errors.New("no number") }

func (n *Numbers) get() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
}

func (n *Numbers) set(number int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = number
	return number
}

func inOne(n *Numbers) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	return n.last
}

// start starts a server, and returns a client of it.
func start(t *testing.T, next func(*Numbers) int) *rpc.Client {
	s := rpc.NewServer()
	if err := s.Register(&Numbers{next: next}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Accept(l)
	c, err := rpc.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); l.Close() })
	return c
}

func TestRPC(t *testing.T) {
	c := start(t, inOne)
	var n int
	call := c.Go("Numbers.Next", 0, &n, nil)
	if err := c.Call("Numbers.Fail", 0, new(int)); err == nil || err.Error() != "no number" {
		t.Errorf("got %v", err)
	}
	if <-call.Done; call.Error != nil || n != 1 {
		t.Errorf("got %d, %v", n, call.Error)
	}
}

// draw draws two numbers at the same time.
func draw(t *testing.T, next func(*Numbers) int) {
	t.Helper()
	c := start(t, next)
	var a, b int
	first := c.Go("Numbers.Next", 0, &a, nil)
	time.Sleep(500 * time.Microsecond)
	if err := c.Call("Numbers.Next", 0, &b); err != nil {
		t.Fatal(err)
	}
	<-first.Done
	if a == b {
		t.Errorf("the number %d twice", a)
	}
}

func TestRPCDefect(t *testing.T) { draw(t, func(n *Numbers) int { return n.set(n.get() + 1) }) }

func TestRPCMended(t *testing.T) { draw(t, inOne) }
