package realnet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/test/ports"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/sim"
)

// custom runs a system that is not a bundled one.
func custom(t testing.TB, sys sim.System, messages ...any) *cluster {
	t.Helper()
	x := &cluster{t: t, sys: sys, nodes: make([]*running, sys.Nodes)}
	x.base = realnet.Config{System: &x.sys, Peers: ports.Free(t, sys.Nodes), Messages: messages, Await: time.Minute, StateEvery: 1,
		Record: &recording.Options{Dir: t.TempDir()}, Dir: t.TempDir()}
	for id := range x.nodes {
		x.start(sim.NodeID(id))
	}
	for _, r := range x.nodes {
		if err := r.Look(context.Background(), func(*runner.Runner) {}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(x.stop)
	return x
}

type (
	numbered struct{ N int }
	tick     struct{}
)

// pusher is a node that sends numbered messages to the next as fast as it can.
type pusher struct {
	sim.Nop
	Sent, Got, Refused, Errors, Wrong int
	total                             int
}

func (p *pusher) push(env sim.Env) {
	for p.Sent < p.total {
		if env.Stream(1).Send(numbered{p.Sent + 1}) != nil {
			p.Refused++
			return
		}
		p.Sent++
	}
}

func (p *pusher) PeerReady(env sim.Env, _ sim.NodeID) { p.push(env) }

func (p *pusher) PeerError(sim.Env, sim.NodeID, error) { p.Errors++ }

func (p *pusher) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	p.Got++
	if msg.(numbered).N != p.Got {
		p.Wrong++
	}
}

func pushSystem(total, buffer int) sim.System {
	return sim.System{
		Name: "push", Nodes: 2,
		New:     func(sim.NodeID) sim.Service { return &pusher{total: total} },
		Network: netsim.Streams{Buffer: buffer},
		Actions: []sim.AnyAction{sim.Action[*pusher]{Name: "push", Do: (*pusher).push, At: func(id sim.NodeID) bool { return id == 0 }}},
	}
}

// A send buffer of three messages refuses more, notifies when there is room, and loses nothing. In the model the
// sender must find the buffer equally full.
func TestRefusedSendsAndReadyCallBacks(t *testing.T) {
	const total = 500
	x := custom(t, pushSystem(total, 3), numbered{})
	x.act("push")
	x.until("all have arrived", func(s []sim.Service) bool { return s[1].(*pusher).Got == total })
	sender := 0
	x.all(func(s []sim.Service) bool { sender = s[0].(*pusher).Refused; return true })
	if sender < 2 {
		t.Errorf("a buffer of 3 has refused %d of %d messages", sender, total)
	}
	x.all(func(s []sim.Service) bool {
		if p := s[1].(*pusher); p.Wrong != 0 || p.Errors != 0 {
			t.Errorf("%d messages out of order, %d errors", p.Wrong, p.Errors)
		}
		return true
	})
	agrees(t, x.merged())
}

// closer closes its stream after each message, and its peer is notified each time.
type closer struct {
	sim.Nop
	Got, Errors int
}

func (c *closer) Receive(env sim.Env, from sim.NodeID, _ any) {
	c.Got++
	if env.Self() == 1 {
		_ = env.Stream(from).Send(numbered{c.Got})
		return
	}
	env.Stream(from).Close()
}

func (c *closer) PeerError(sim.Env, sim.NodeID, error) { c.Errors++ }

func TestService_CloseReachesPeer(t *testing.T) {
	x := custom(t, sim.System{
		Name: "close", Nodes: 2, New: func(sim.NodeID) sim.Service { return &closer{} }, Network: netsim.Streams{},
		Actions: []sim.AnyAction{sim.Action[*closer]{Name: "send", Do: func(_ *closer, env sim.Env) { _ = env.Stream(1).Send(numbered{}) }}},
	}, numbered{})
	for round := 1; round <= 3; round++ {
		if _, err := x.nodes[0].Act(context.Background(), "send"); err != nil {
			t.Fatal(err)
		}
		x.until("the peer is told", func(s []sim.Service) bool { return s[1].(*closer).Errors == round && s[0].(*closer).Got == round })
	}
	m := x.merged()
	agrees(t, m)
	if l := m.System.Limits(); l != (sim.Limits{}) {
		t.Errorf("closing is no fault, but the run has %+v", l)
	}
}

// Messages to a node that is down are refused. They arrive when it is up again.
func TestRefusedConnection(t *testing.T) {
	x := custom(t, sim.System{
		Name: "refuse", Nodes: 2, New: func(sim.NodeID) sim.Service { return &closer{} }, Network: netsim.Streams{},
		Actions: []sim.AnyAction{sim.Action[*closer]{Name: "send", Do: func(_ *closer, env sim.Env) { _ = env.Stream(1).Send(numbered{}) }}},
	}, numbered{})
	if err := x.nodes[1].end(); err != nil {
		t.Fatal(err)
	}
	x.nodes[1] = nil
	send := func() {
		if _, err := x.nodes[0].Act(context.Background(), "send"); err != nil {
			t.Fatal(err)
		}
	}
	send()
	x.until("it is refused", func(s []sim.Service) bool { return s[0].(*closer).Errors == 1 })
	x.start(1)
	x.until("it is up", func(s []sim.Service) bool { return s[1] != nil })
	send()
	x.until("it arrives", func(s []sim.Service) bool { return s[1].(*closer).Got == 1 })
	m := x.merged()
	agrees(t, m)
	text := new(strings.Builder)
	if _, err := fileOf(t, m).WriteTo(text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "error n0<-n1 connection refused") {
		t.Errorf("no refused connection in\n%s", text)
	}
}

// drawer draws, reads the clock, compares, counts ticks and keeps all of it on its disk.
type drawer struct {
	sim.Nop
	First, Last macetime.Time
	Tick        macetime.MonotoneTime
	Drawn       []int
	Late        int
	Kept        string
}

func (d *drawer) Boot(env sim.Env) {
	d.First = env.Clock().Now()
	old, _ := env.Disk().Get("kept")
	d.Kept = string(old)
	env.SetTimer(tick{}, time.Millisecond)
}

func (d *drawer) Timer(env sim.Env, _ any) {
	d.Last = env.Clock().Now()
	if env.Clock().Before(d.First.Add(20*time.Millisecond), d.Last) {
		d.Late++
	}
	d.Tick = env.Clock().Tick()
	d.Drawn = append(d.Drawn, env.Rand().IntN(1000), env.ChooseWeighted("loaded", 0, 1, 5))
	env.Disk().Put("kept", fmt.Append(nil, d.Kept, d.Drawn[len(d.Drawn)-2]))
	if len(d.Drawn)%4 == 0 {
		env.Disk().Sync()
	}
	env.SetTimer(tick{}, time.Millisecond)
}

func TestService_AnswersForced(t *testing.T) {
	x := custom(t, sim.System{Name: "draw", Nodes: 2, New: func(sim.NodeID) sim.Service { return &drawer{} }})
	late := func(s []sim.Service) bool {
		for _, s := range s {
			if d, ok := s.(*drawer); !ok || d.Late < 3 {
				return false
			}
		}
		return true
	}
	x.until("time passes", late)
	var before macetime.MonotoneTime
	x.all(func(s []sim.Service) bool { before = s[1].(*drawer).Tick; return true })
	if err := x.nodes[1].end(); err != nil {
		t.Fatal(err)
	}
	x.start(1)
	x.until("time passes again", late)
	x.all(func(s []sim.Service) bool {
		if d := s[1].(*drawer); !before.Older(d.Tick) || d.Kept == "" {
			t.Errorf("after the restart: tick %v, before %v; kept %q", d.Tick, before, d.Kept)
		}
		return true
	})
	m := x.merged()
	agrees(t, m)
	if m.Compared < 12 { // three starts, of a boot and three ticks at least
		t.Errorf("%d states were compared", m.Compared)
	}
}

// failing panics at the third message.
type failing struct {
	sim.Nop
	Got int
}

func (f *failing) Receive(env sim.Env, _ sim.NodeID, _ any) {
	f.Got++
	env.Assert(f.Got != 2, "two")
	if f.Got == 3 {
		panic("three")
	}
}

func failSystem() sim.System {
	return sim.System{
		Name: "fail", Nodes: 2, New: func(sim.NodeID) sim.Service { return &failing{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*failing]{Name: "send", Do: func(_ *failing, env sim.Env) { env.Send(1, numbered{}) }}},
	}
}

func TestPanicEndsItsNodeOnly(t *testing.T) {
	x := custom(t, failSystem(), numbered{})
	for range 3 {
		if _, err := x.nodes[0].Act(context.Background(), "send"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond) // in order
	}
	<-x.nodes[1].done
	f, ok := errors.AsType[*sim.Finding](x.nodes[1].err)
	if !ok || f.Kind != sim.Panic || f.Message != "three" || f.Node != 1 || !strings.Contains(f.Stack, "service_test.go") {
		t.Fatalf("the node ended with %v", x.nodes[1].err)
	}
	x.nodes[1] = nil
	if ok, err := x.nodes[0].Act(context.Background(), "send"); !ok || err != nil {
		t.Errorf("the other node: %v, %v", ok, err)
	}
	m := x.merged() // it ends with the failed assertion, as every run of the checker
	if m.Disagreement != nil {
		t.Error(m.Disagreement)
	}
	sys, err := x.sys.Only()
	if err != nil {
		t.Fatal(err)
	}
	m = merge(t, sys, x.base) // without assertions it continues
	if m.Disagreement != nil {
		t.Error(m.Disagreement)
	}
	if last := fileOf(t, m).Steps[len(fileOf(t, m).Steps)-1]; last.Key != "deliver n1<-n0 numbered{N:0}" {
		t.Errorf("the run ends with %q", last.Key)
	}
}

// The recording has a call from outside, but not its effect.
func TestCallsFromOutside(t *testing.T) {
	x := custom(t, failSystem(), numbered{})
	if err := x.nodes[0].Do(context.Background(), func(env sim.Env, s sim.Service) { env.Send(1, numbered{7}) }); err != nil {
		t.Fatal(err)
	}
	x.until("it arrives", func(s []sim.Service) bool { return s[1].(*failing).Got == 1 })
	m := x.merged()
	if m.Disagreement == nil || !strings.Contains(m.Disagreement.Error(), "step 1, event 2 of start 1 of n0 (action Do): it is a call from outside") {
		t.Errorf("disagreement %v", m.Disagreement)
	}
}

// forgetful has an input that the checker does not control.
type forgetful struct {
	sim.Nop
	hidden *atomic.Int64 `macemc:"-"`
	Got    int
}

func (f *forgetful) Receive(env sim.Env, from sim.NodeID, msg any) {
	f.Got++
	if n := msg.(numbered).N; n < 10 {
		env.Send(from, numbered{n + int(f.hidden.Add(1))%3})
	}
}

func TestService_Nondeterminism(t *testing.T) {
	var hidden atomic.Int64
	x := custom(t, sim.System{
		Name: "forget", Nodes: 2, New: func(sim.NodeID) sim.Service { return &forgetful{hidden: &hidden} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*forgetful]{Name: "send", Do: func(_ *forgetful, env sim.Env) { env.Send(1, numbered{}) }}},
	}, numbered{})
	if _, err := x.nodes[0].Act(context.Background(), "send"); err != nil {
		t.Fatal(err)
	}
	x.until("some were sent", func(s []sim.Service) bool { return s[0].(*forgetful).Got > 2 })
	x.stop()
	hidden.Store(1) // it was 0 when it was recorded
	m := merge(t, x.sys, x.base)
	d := m.Disagreement
	if d == nil || d.Step != 2 || d.Node != 1 || d.Event != 2 || !strings.Contains(d.Reason, "it sends other messages than were recorded") {
		t.Errorf("disagreement %v", d)
	}
	if len(fileOf(t, m).Steps) != 1 {
		t.Errorf("the run has %d steps, want the one before the disagreement", len(fileOf(t, m).Steps))
	}
}
