//go:build macemc_overlay

package bubble_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Objects that were made outside of all nodes.
var (
	never     = make(chan struct{})
	letters   = make(chan int)
	group     = func() *sync.WaitGroup { var g sync.WaitGroup; g.Add(1); return &g }()
	answers   = make(chan int)
	inquiries = func() chan int {
		requests := make(chan int)
		go func() {
			for n := range requests {
				answers <- n + 1
			}
		}()
		return requests
	}()
	realTime = time.NewTimer(time.Hour)
)

// foreign are programs that wait for objects from outside of their nodes, and the finding.
var foreign = map[string]struct {
	run  func(done func())
	want string
}{
	"channel": {func(done func()) {
		select {
		case <-never:
		case <-time.After(time.Second):
			done()
		}
	}, ""},
	"goroutine": {func(done func()) {
		for range 2 {
			go func() { <-letters }()
		}
		letters <- 1
		time.Sleep(time.Second)
		done()
	}, "a goroutine of another node was woken"},
	"server": {func(done func()) {
		inquiries <- 1
		if <-answers == 2 {
			done()
		}
	}, ""},
	"group": {func(done func()) {
		group.Add(1)
		go func() { group.Wait() }()
		group.Done()
		time.Sleep(time.Second)
		done()
	}, ""},
	"timer": {func(done func()) {
		<-realTime.C
		done()
	}, "waits for a timer that was made outside of its node"},
}

// foreignSystem has two nodes that run a program until it calls done.
func foreignSystem(run func(done func())) sim.System {
	return sim.System{
		Name: "foreign", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{},
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
				done := false
				h.Observe(func() any { return done })
				run(func() { done = true })
				<-ctx.Done()
				return nil
			})
		},
		Properties: []sim.Property{{Name: "done", Eventually: func(v *sim.View) bool {
			a, _ := bubble.SeenAt[bool](v, 0)
			b, _ := bubble.SeenAt[bool](v, 1)
			return a && b
		}}},
	}
}

// A program may wait for channels and wait groups from outside of its node, and for goroutines there that answer. What another node or the
// real time does to it is a finding.
func TestForeign_Channels(t *testing.T) {
	for _, name := range []string{"channel", "server", "group", "timer", "goroutine"} { // the last one leaves goroutines to later tests
		c := foreign[name]
		for _, how := range []sim.Interleave{sim.FIFO, sim.Random, 2} {
			s := foreignSystem(c.run)
			s.Interleave = how
			r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 30, WalkSteps: 100, System: s})
			message := ""
			if r.Finding != nil {
				message = r.Finding.Message
			}
			if err != nil || c.want == "" && r.Stats.Paths == 0 || (c.want == "") != (message == "") || !strings.Contains(message, c.want) {
				t.Errorf("%s, %v: %v, %s after %d paths: %q, want %q", name, how, err, r.Verdict, r.Stats.Paths, message, c.want)
			}
		}
	}
}
