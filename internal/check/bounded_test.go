package check_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type (
	initMsg struct{}
	initAck struct{}
	resend  struct{}
	work    struct{}
)

// dialer gives up after four attempts.
type dialer struct {
	sim.Nop
	Attempts  int
	Connected bool
}

func (d *dialer) Boot(env sim.Env) { d.Timer(env, resend{}) }

func (d *dialer) Timer(env sim.Env, _ any) {
	if d.Attempts++; d.Attempts <= 4 {
		env.Send(1, initMsg{})
		env.SetTimer(resend{}, time.Second<<d.Attempts)
	}
}

func (d *dialer) Receive(env sim.Env, _ sim.NodeID, _ any) {
	d.Connected = true
	env.StopTimer(resend{})
}

// acceptor works for a moment before it answers. A deaf one answers once.
type acceptor struct {
	sim.Nop
	Deaf     bool
	Answered bool
}

func (a *acceptor) Receive(env sim.Env, _ sim.NodeID, _ any) {
	if !a.Deaf || !a.Answered {
		env.SetTimer(work{}, 100*time.Millisecond)
	}
}

func (a *acceptor) Timer(env sim.Env, _ any) {
	a.Answered = true
	env.Send(0, initAck{})
}

// Only a bound on all delays tells the acceptor that loses an answer for ever from the one that answers again.
func TestBounded_BoundedRetries(t *testing.T) {
	for _, c := range []struct {
		timing   sim.Timing
		deaf     bool
		violated bool
	}{
		{sim.ByDeadline, false, true},
		{sim.Prompt, false, true}, // the dialer gives up while the acceptor works
		{sim.Bounded(time.Minute), false, true},
		{sim.Bounded(100 * time.Millisecond), false, false},
		{sim.Bounded(100 * time.Millisecond), true, true},
	} {
		sys := sim.System{
			Name: "dial", Nodes: 2, Network: netsim.Datagrams{Loss: 1}, Timing: c.timing,
			New: func(id sim.NodeID) sim.Service {
				if id == 0 {
					return &dialer{}
				}
				return &acceptor{Deaf: c.deaf}
			},
			Properties: []sim.Property{{Name: "connected", Eventually: func(v *sim.View) bool { return v.Service(0).(*dialer).Connected }}},
		}
		o := options(sys)
		o.Search.Time, o.Search.MaxPaths, o.Dir = time.Minute, 2000, filepath.Join(t.TempDir(), "out")
		r, err := check.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Verdict == search.Violation; got != c.violated || r.Paths == 0 {
			t.Errorf("%v, deaf %v: verdict %v (%v) after %d paths, want a violation: %v", c.timing, c.deaf, r.Verdict, r.Message, r.Paths, c.violated)
		}
	}
}

// A strategy that would hold states without the clocks refuses the timing.
func TestBounded_NotExhaustive(t *testing.T) {
	o := options(shows(func(digit) string { return "" }))
	o.Search.System.Timing, o.Search.Strategy, o.Dir = sim.Bounded(time.Second), search.BFS, filepath.Join(t.TempDir(), "out")
	if r, err := check.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "its timing Bounded:1s") {
		t.Errorf("got %v, %+v", err, r)
	}
}
