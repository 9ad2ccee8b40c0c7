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

// Only a bound on all delays distinguishes the acceptor that loses an answer forever from the one that answers again.
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
		{sim.BoundedLiveness(time.Minute), false, true},
		{sim.BoundedLiveness(100 * time.Millisecond), false, false},
		{sim.BoundedLiveness(100 * time.Millisecond), true, true},
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
		o := testOptions(sys)
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

// A strategy whose states would lack the clocks rejects the timing.
func TestBounded_NotExhaustive(t *testing.T) {
	o := testOptions(shows(func(digit) string { return "" }))
	o.Search.System.Timing, o.Search.Strategy, o.Dir = sim.Bounded(time.Second), search.BFS, filepath.Join(t.TempDir(), "out")
	if r, err := check.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "its timing Bounded:1s") {
		t.Errorf("got %v, %+v", err, r)
	}
}

// An answer after the last attempt requires a delay that occurs only in runs without a bound. The run replays from
// its file.
func TestBoundedLiveness_Safety(t *testing.T) {
	for timing, violated := range map[sim.Timing]bool{sim.Bounded(100 * time.Millisecond): false, sim.BoundedLiveness(100 * time.Millisecond): true} {
		sys := sim.System{
			Name: "dial", Nodes: 2, Network: netsim.Datagrams{}, Timing: timing,
			New: func(id sim.NodeID) sim.Service {
				if id == 0 {
					return &dialer{}
				}
				return &acceptor{}
			},
			Properties: []sim.Property{{Name: "attempts are left", Always: func(v *sim.View) bool {
				d := v.Service(0).(*dialer)
				return !d.Connected || d.Attempts < 5
			}}},
		}
		o := testOptions(sys)
		o.Search.Time, o.Search.MaxPaths, o.Dir = time.Minute, 2000, filepath.Join(t.TempDir(), "out")
		o.Respawn = nil
		r, err := check.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Verdict == search.Violation; got != violated {
			t.Fatalf("%v: verdict %v (%v), want a violation: %v", timing, r.Verdict, r.Message, violated)
		}
		if !violated {
			continue
		}
		sys.Timing = sim.ByDeadline // the file contains the timing
		if _, err := check.LoadFor(t.Context(), r.PathFile, &sys, nil); err == nil || !strings.HasSuffix(err.Error(), "the path has timing BoundedLiveness:100ms, but here it is ByDeadline") {
			t.Errorf("loaded for another timing: %v", err)
		}
		if sys, err = check.AsWritten(r.PathFile, sys); err != nil {
			t.Fatal(err)
		}
		l, err := check.LoadFor(t.Context(), r.PathFile, &sys, nil)
		if err != nil {
			t.Fatal(err)
		}
		trace, err := l.Trace(-1)
		if err != nil || trace.Finding == nil || trace.Finding.Property != "attempts are left" {
			t.Errorf("the run of %v does not recur: %v, %+v", timing, err, trace)
		}
	}
}

// partly is a service that a search does not observe completely, like those of package bubble.
type partly struct{ sim.Nop }

func (partly) Uncovered(sim.Interleave) string       { return "" }
func (partly) Sampled(sim.Interleave) map[string]int { return nil }

func TestLivenessTiming(t *testing.T) {
	goal := []sim.Property{{Name: "done", Eventually: func(*sim.View) bool { return true }}}
	goroutines, plain := func(sim.NodeID) sim.Service { return partly{} }, func(sim.NodeID) sim.Service { return sim.Nop{} }
	for _, c := range []struct {
		system sim.System
		want   sim.Timing
	}{
		{sim.System{Nodes: 1, New: goroutines, Properties: goal}, sim.BoundedLiveness(check.DefaultDelay)},
		{sim.System{Nodes: 1, New: goroutines}, sim.ByDeadline},
		{sim.System{Nodes: 1, New: plain, Properties: goal}, sim.SometimesBounded(check.DefaultDelay)},
		{sim.System{Nodes: 1, New: plain}, sim.ByDeadline},
		{sim.System{Nodes: 1, New: plain, Properties: goal, Quorums: make([]sim.AnyQuorum, 1)}, sim.ByDeadline},
		{sim.System{Nodes: 1, New: goroutines, Properties: goal, Timing: sim.AnyOrder}, sim.AnyOrder},
	} {
		if got := check.LivenessTiming(&c.system); got != c.want {
			t.Errorf("%+v: got %v, want %v", c.system, got, c.want)
		}
	}
}

type (
	ask   struct{}
	reply struct{}
	ping  struct{} // also a timer
	pong  struct{}
	dead  struct{} // a timer
)

// asker asks once.
type asker struct {
	sim.Nop
	Answered bool
}

func (a *asker) Boot(env sim.Env) { env.Send(1, ask{}) }

func (a *asker) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch msg.(type) {
	case reply:
		a.Answered = true
	case ping:
		env.Send(from, pong{})
	}
}

// greeter answers, and greets a node again that it takes for dead.
type greeter struct{ sim.Nop }

func (greeter) Boot(env sim.Env) { env.SetTimer(ping{}, 2*time.Second) }

func (g greeter) Timer(env sim.Env, t any) {
	switch t.(type) {
	case ping:
		env.Send(0, ping{})
		env.SetTimer(dead{}, time.Second)
	case dead:
		env.Send(0, reply{})
		g.Boot(env)
	}
}

func (g greeter) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch msg.(type) {
	case ask:
		env.Send(from, reply{})
	case pong:
		env.StopTimer(dead{})
		g.Boot(env)
	}
}

// Where a lost answer is sent again only to a healthy node that seems dead, the default timing finds that, and the
// report says that longer delays would rescue the run.
func TestLivenessTiming_FalseSuspicion(t *testing.T) {
	for _, byDefault := range []bool{true, false} {
		sys := sim.System{
			Name: "rescued", Nodes: 2, Network: netsim.Datagrams{Loss: 1},
			New: func(id sim.NodeID) sim.Service {
				if id == 0 {
					return &asker{}
				}
				return greeter{}
			},
			Properties: []sim.Property{{Name: "answered", Eventually: func(v *sim.View) bool { return v.Service(0).(*asker).Answered }}},
		}
		if byDefault {
			sys.Timing = check.LivenessTiming(&sys)
		}
		o := testOptions(sys)
		o.Search.Time, o.Search.MaxPaths, o.Dir, o.Respawn = time.Minute, 1000, filepath.Join(t.TempDir(), "out"), nil
		r, err := check.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Verdict == search.Violation && r.Critical != nil; got != byDefault {
			t.Fatalf("%v: verdict %v (%v)", sys.Timing, r.Verdict, r.Message)
		}
		if c := r.Critical; byDefault && (c.Step != 1 || c.Unbound.Walks == 0 || c.Unbound.Recovered != c.Unbound.Walks) {
			t.Errorf("critical step %d, with longer delays %+v", c.Step, c.Unbound)
		}
	}
}
