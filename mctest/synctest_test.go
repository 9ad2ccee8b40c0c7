package mctest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// hedged is like a function of a library: it asks the second source if the first is late, and takes the first answer.
func hedged(ctx context.Context, patience time.Duration, first, second func(context.Context) string) string {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan string, 2)
	go func() { answers <- first(ctx) }()
	select {
	case a := <-answers:
		return a
	case <-time.After(patience):
	}
	go func() { answers <- second(ctx) }()
	return <-answers
}

// bubble calls f in a bubble, and panics as f does.
func bubble(t *testing.T, f func()) {
	var failed any
	synctest.Test(t, func(*testing.T) {
		defer func() { failed = recover() }()
		f()
	})
	if failed != nil {
		panic(failed)
	}
}

type client struct {
	sim.Nop
	Answer string
	pool   chan struct{} `macemc:"-"` // closed when the goroutine is to end
	t      *testing.T    `macemc:"-"`
}

func (c *client) ask(env sim.Env) {
	late := time.Duration(env.Choose("delay of the first", 3)) * 10 * time.Millisecond // 0, 10 or 20 ms
	bubble(c.t, func() {
		c.Answer = hedged(context.Background(), 15*time.Millisecond,
			func(ctx context.Context) string { return after(ctx, late, "first") },
			func(ctx context.Context) string { return after(ctx, time.Millisecond, "second") })
	})
	env.Send(1-env.Self(), c.Answer)
}

// after answers after a delay, unless the context has ended.
func after(ctx context.Context, d time.Duration, answer string) string {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return answer
}

// Close ends the goroutine of newClient.
func (c *client) Close() { close(c.pool) }

func newClient(t *testing.T) *client {
	c := &client{t: t, pool: make(chan struct{})}
	go func() { <-c.pool }()
	return c
}

// A handler may call a function that starts goroutines, in a bubble of testing/synctest.
func TestCheck_HandlerWithBubble(t *testing.T) {
	mctest.Check(t, sim.System{
		Nodes: 2, Crashes: 1,
		New:     func(sim.NodeID) sim.Service { return newClient(t) },
		Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*client]{Name: "ask", Times: 1, Do: (*client).ask}},
		Properties: []sim.Property{
			{Name: "the second answers", Sometimes: func(v *sim.View) bool {
				for _, c := range sim.Nodes[*client](v) {
					if c.Answer == "second" {
						return true
					}
				}
				return false
			}},
		},
	})
}
