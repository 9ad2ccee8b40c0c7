package replay_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// top is a service over chunker, which is a service over counter.
type top struct {
	sim.Nop
	mid   chunker
	Heard string
}

func newTop() *top {
	n := &top{}
	n.mid.up = n
	return n
}

func (n *top) Boot(env sim.Env) { n.mid.Boot(env) }

func (n *top) Receive(env sim.Env, from sim.NodeID, msg any) {
	n.mid.Receive(env, from, msg)
	env.Log().Info("received")
}

// Delivered is an up-call, which calls down again.
func (n *top) Delivered(env sim.Env, from sim.NodeID, text string) {
	defer sim.Enter(env, "top", "Delivered", from, text).Leave()
	n.Heard = text
	if text != "thanks" {
		n.mid.Say(env, from, "thanks")
	}
}

type upper interface {
	Delivered(env sim.Env, from sim.NodeID, text string)
}

// chunk is what a chunker sends.
type chunk struct{ Nr int }

type chunker struct {
	up    upper
	count counter
	said  string
}

func (c *chunker) Boot(env sim.Env) {
	defer sim.Enter(env, "chunker", "Boot").Leave()
	c.count.Add(env, 10)
}

func (c *chunker) Say(env sim.Env, to sim.NodeID, text string) {
	defer sim.Enter(env, "chunker", "Say", to, text).Leave()
	c.said = text
	c.count.Add(env, 1)
	env.Send(to, chunk{c.count.n})
	env.SetTimer("quiet", 1)
}

func (c *chunker) Receive(env sim.Env, from sim.NodeID, _ any) {
	defer sim.Enter(env, "chunker", "Receive", from).Leave()
	text := "hello"
	if c.said == "hello" {
		text = "thanks"
	}
	c.up.Delivered(env, from, text)
}

type counter struct{ n int }

func (c *counter) Add(env sim.Env, n int) {
	defer sim.Enter(env, "counter", "Add", n).Leave()
	c.n += n
	if c.n < 0 {
		env.Log().Info("never")
	}
}

func stack() *sim.System {
	return &sim.System{
		Name: "stack", Nodes: 2, Network: netsim.Datagrams{}, Timing: sim.AnyOrder,
		New: func(sim.NodeID) sim.Service { return newTop() },
		Actions: []sim.AnyAction{sim.Action[*top]{Name: "greet", Times: 1,
			Do: func(n *top, env sim.Env) { n.mid.Say(env, 1-env.Self(), "hello") }}},
		Properties: []sim.Property{{Name: "true", Eventually: func(*sim.View) bool { return true }}},
	}
}

// Calls between the services of a node are in the trace, in order among the effects, with caller, service, argument
// and depth.
func TestCalls(t *testing.T) {
	sys := stack()
	trace := record(t, sys, follow(t, sys, "action n0 greet", "deliver n1<-n0 chunk{Nr:11}", "deliver n0<-n1 chunk{Nr:11}"))
	var text, js bytes.Buffer
	if err := trace.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "calls.txt", text.Bytes())
	if err := writeJSON(&js, trace); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "calls.json", js.Bytes())
	for i, want := range []string{
		// Caller, function, arguments and effects, by depth.
		`top>chunker.Say(n1, "hello") .chunker>counter.Add(1) .send .set timer`,
		`top>chunker.Receive(n0) .chunker>top.Delivered(n0, "hello") ..top>chunker.Say(n0, "thanks")` +
			` ...chunker>counter.Add(1) ...send ...set timer log`,
		`top>chunker.Receive(n1) .chunker>top.Delivered(n1, "thanks") log`,
	} {
		if got := outline(&trace.Steps[i]); got != want {
			t.Errorf("step %d:\n got  %s\n want %s", i+1, got, want)
		}
	}
	if got, want := outline(&trace.Boot), "chunker.Boot() .chunker>counter.Add(10) chunker.Boot() .chunker>counter.Add(10)"; got != want {
		t.Errorf("first boots:\n got  %s\n want %s", got, want)
	}
}

func outline(s *replay.TraceStep) string {
	var parts []string
	for _, e := range s.Effects {
		text := strings.Repeat(".", e.Depth)
		switch {
		case e.Call == nil:
			text += e.Kind
		case e.Call.Caller == "":
			text += e.Text
		default:
			text += e.Call.Caller + ">" + e.Text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}
