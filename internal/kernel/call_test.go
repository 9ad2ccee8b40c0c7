package kernel

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/sim"
)

// A call costs no memory if calls are not traced.
func TestEnter_AllocatesNothing(t *testing.T) {
	var e sim.Env = &env{}
	to, msg := sim.NodeID(3), any(struct{ A, B int }{1, 2})
	if n := testing.AllocsPerRun(100, func() { defer sim.Enter(e, "transport", "Send", to, msg, "x", e).Leave() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Leave works on a Frame of an Env that does not trace calls. An Env that does is notified of both ends.
func TestEnterElsewhere(t *testing.T) {
	sim.Enter(plainEnv{}, "a", "b").Leave()
	e := &tracerEnv{}
	func() {
		defer sim.Enter(e, "a", "b", 1, nil).Leave()
		if e.entered != "a.b" || e.args != 2 || e.left {
			t.Errorf("got %+v, want a.b with 2 arguments, entered", e)
		}
	}()
	if !e.left {
		t.Error("was not told of the end")
	}
}

type plainEnv struct{ sim.Env }

type tracerEnv struct {
	sim.Env
	entered string
	args    int
	left    bool
}

func (e *tracerEnv) ShowsCalls() bool { return true }

func (e *tracerEnv) EnterCall(service, name string, args []any) func() {
	e.entered, e.args = service+"."+name, len(args)
	return func() { e.left = true }
}

func TestCallArguments(t *testing.T) {
	w := newTestMachine(t)
	for _, c := range []struct {
		arg  any
		want string
	}{
		{nil, "nil"},
		{sim.NodeID(2), "n2"},
		{errors.New("no room"), "no room"},
		{7, "7"},
		{"a b", `"a b"`},
		{struct{ T sim.Timing }{sim.Prompt}, "struct { T Timing }{T:Prompt}"},
		{func() {}, "func()"},
	} {
		if got := w.argument(c.arg); got != c.want {
			t.Errorf("%v: got %s, want %s", c.arg, got, c.want)
		}
	}
}

func newTestMachine(t *testing.T) *Machine {
	t.Helper()
	w, err := NewWorld(&sim.System{Name: "x", Nodes: 1, New: func(sim.NodeID) sim.Service { return &idleService{} }}, Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	return w.(*Machine)
}

type idleService struct{ sim.Nop }
