// Package lock implements a lock that is leased to one client at a time. It has a core without goroutines, clocks and
// sockets, which is checked, and a thin shell that serves it over HTTP. See docs/howto/existing-service.md.
package lock

import "time"

// Length is the duration of a lease.
const Length = 10 * time.Second

// Requests, and the answer to each.
type (
	Acquire struct{ Client string }
	Release struct {
		Client string
		Token  int
	}
	Answer struct {
		OK    bool
		Token int // of the lease, from 1 on
	}
)

// Expiry is the timer of a lease.
type Expiry struct{ Token int }

// Core is the state of the lock. Its methods are called one at a time.
type Core struct {
	Holder string // empty if the lock is free
	Token  int    // of the last lease
}

// Effects are the operations that the core requests from its shell.
type Effects interface {
	SetTimer(t any, after time.Duration)
	StopTimer(t any)
}

// Handle handles a request and returns the answer.
func (c *Core) Handle(do Effects, request any) Answer {
	switch r := request.(type) {
	case Acquire:
		if c.Holder != "" {
			return Answer{}
		}
		c.Holder = r.Client
		c.Token++
		do.SetTimer(Expiry{c.Token}, Length)
		return Answer{true, c.Token}
	case Release:
		if c.Holder != r.Client || c.Token != r.Token {
			return Answer{} // it has expired
		}
		c.Holder = ""
		do.StopTimer(Expiry{r.Token})
		return Answer{true, r.Token}
	}
	return Answer{}
}

// Expire ends a lease.
func (c *Core) Expire(e Expiry) {
	if c.Token == e.Token {
		c.Holder = ""
	}
}
