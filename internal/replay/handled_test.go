package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type (
	asked   struct{}
	told    struct{}
	renewed struct{}
	odd     struct{}
	partial struct{ N int }
	late    struct{} // a timer
)

// office passes what it receives to its own functions.
type office struct {
	sim.Nop
	Said int
}

func (o *office) Send(env sim.Env) {
	env.Send(1, asked{})
	env.Send(1, told{})
	env.Send(1, &renewed{})
	env.Send(1, odd{})
	env.Send(1, partial{1})
	env.SetTimer(late{}, 1)
}

func (o *office) Receive(env sim.Env, from sim.NodeID, msg any) {
	if !o.mine(msg) {
		o.dispatch(env, msg)
	}
}

func (o *office) mine(any) bool { return false }

func (o *office) dispatch(env sim.Env, msg any) {
	if m, ok := msg.(told); ok { // line of told
		o.Said++
		_ = m
		return
	}
	switch m := msg.(type) {
	case asked:
		o.onAsked(env, m)
	case *renewed: // line of renewed
		o.Said++
		o.note(env)
	case partial: // line of partial
		o.add(env, m.N)
	default:
		o.note(env)
	}
}

func (o *office) onAsked(env sim.Env, _ asked) { // line of asked
	o.note(env)
}

func (o *office) add(env sim.Env, n int) {
	o.Said += n
	o.note(env)
}

//go:noinline
func (o *office) note(env sim.Env) { env.StopTimer(late{}) } // line of odd

func (o *office) Timer(env sim.Env, t any) {
	switch t.(type) {
	case late:
		o.tooLate(env)
	}
}

func (o *office) tooLate(sim.Env) { o.Said = 0 } // line of late

// lineOf finds a comment in this file.
func lineOf(t *testing.T, comment string) int {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(l, "// line of "+comment) {
			return i + 1
		}
	}
	t.Fatalf("there is no line of %s", comment)
	return 0
}

// A delivery and a timer have the place of the code that handled them: the case of the type switch, or the
// function that is all that it calls with the whole message; where no case is found, the deepest function before the first effect.
func TestPlaceOfTheHandler(t *testing.T) {
	sys := &sim.System{
		Name: "offices", Nodes: 2, New: func(sim.NodeID) sim.Service { return &office{} }, Network: netsim.Datagrams{}, Timing: sim.AnyOrder,
		Actions: []sim.AnyAction{sim.Action[*office]{Name: "send", Do: (*office).Send}},
	}
	trace := record(t, sys, follow(t, sys, "action n0 send", "deliver n1<-n0 asked{}", "deliver n1<-n0 told{}", "deliver n1<-n0 &renewed{}", "deliver n1<-n0 odd{}", "deliver n1<-n0 partial{N:1}", "timer n0 late{}"))
	for i, name := range []string{"", "asked", "told", "renewed", "odd", "partial", "late"} {
		if name == "" {
			continue
		}
		if got, want := trace.Steps[i].Source, fmt.Sprintf("handled_test.go:%d", lineOf(t, name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	first, lines, err := trace.Steps[1].Code(1)
	if err != nil || first != lineOf(t, "asked")-1 || !slices.Contains(lines, "    o.note(env)") {
		t.Errorf("the source: from %d %q, %v", first, lines, err)
	}
	// From another folder of the module the path is relative; from outside it has only the last folder.
	for dir, want := range map[string]string{filepath.Join("..", "report"): "../replay/handled_test.go:", t.TempDir(): "replay/handled_test.go:"} {
		t.Run(want, func(t *testing.T) {
			t.Chdir(dir)
			if got := record(t, sys, follow(t, sys, "action n0 send", "deliver n1<-n0 asked{}")).Steps[1].Source; !strings.HasPrefix(got, want) {
				t.Errorf("in %s: %s, want %s", dir, got, want)
			}
		})
	}
}

// carrier carries a program, and its own lines say nothing to a user.
type carrier struct{ office }

func (c *carrier) Receive(env sim.Env, _ sim.NodeID, _ any) { env.StopTimer(late{}) }
func (c *carrier) Timer(env sim.Env, _ any)                 { env.SetTimer(late{}, 1) }
func (c *carrier) Carries()                                 {}

// No line of a service that carries a program is shown as the one that handled an event or asked for an effect.
func TestCarrierHasNoPlace(t *testing.T) {
	sys := &sim.System{
		Name: "carriers", Nodes: 2, New: func(sim.NodeID) sim.Service { return &carrier{} }, Network: netsim.Datagrams{}, Timing: sim.AnyOrder,
		Actions: []sim.AnyAction{sim.Action[*carrier]{Name: "send", Do: func(c *carrier, env sim.Env) { c.Send(env) }}},
	}
	trace := record(t, sys, follow(t, sys, "action n0 send", "deliver n1<-n0 told{}", "timer n0 late{}"))
	for _, s := range trace.Steps[1:] {
		if s.Source != "" {
			t.Errorf("step %d is handled by %s", s.Number, s.Source)
		}
		if len(s.Effects) == 0 {
			t.Fatalf("step %d asks for nothing", s.Number)
		}
		for _, e := range s.Effects {
			if e.From != "" {
				t.Errorf("step %d asks for an effect in %s", s.Number, e.From)
			}
		}
	}
}
