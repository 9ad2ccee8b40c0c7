package check_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// methods is a service whose methods, and those of its values, harm the process in one place, for the value 2.
type methods struct {
	harm  harmful `macemc:"-"`
	N     level
	State opaque
}

// harmful names the place and the harm.
type harmful struct{ where, what string }

func (h harmful) at(where string, n int) {
	if h.where == where && n == 2 {
		h.do()
	}
}

func (h harmful) do() {
	switch h.what {
	case "panic":
		panic("no")
	case "goexit":
		runtime.Goexit()
	case "loop":
		for {
			runtime.Gosched()
		}
	case "exit":
		os.Exit(5)
	}
}

// showing are the places that only show values.
var showing = []string{"String", "ShowBy", "own text", "MarshalJSON", "argument", "LogValue", "Explain"}

// current is the harm of values, which have no room for it.
var current harmful

type (
	level  int                   // with a name
	shy    int                   // shown by a function
	opaque struct{ n int }       // encoded by a function
	closed struct{ n int }       // likewise, with MarshalJSON
	ring   struct{ Level level } // a timer
)

func (l level) String() string {
	current.at("String", int(l))
	return fmt.Sprint("level ", int(l))
}

func (o opaque) String() string {
	current.at("own text", o.n)
	return fmt.Sprint("opaque ", o.n)
}

func (c closed) MarshalJSON() ([]byte, error) {
	current.at("MarshalJSON", c.n)
	return json.Marshal(c.n)
}

// failure is the error of a monitor.
type failure int

func (f failure) Error() string {
	current.at("Error", int(f))
	return "failed"
}

// argument is an argument of a call between services.
type argument int

func (a argument) Error() string {
	current.at("argument", int(a))
	return "failed"
}

type logged int

func (l logged) LogValue() slog.Value {
	current.at("LogValue", int(l))
	return slog.IntValue(int(l))
}

type message struct {
	Level level
	Shy   shy
	Own   opaque
	JSON  closed
}

func (m *methods) Boot(sim.Env) {}

func (m *methods) Receive(env sim.Env, _ sim.NodeID, msg any) {
	m.harm.at("Receive", int(msg.(message).Level))
	defer sim.Enter(env, "methods", "receive", argument(msg.(message).Level), msg).Leave()
}

func (m *methods) Timer(_ sim.Env, t any) { m.harm.at("Timer", int(t.(ring).Level)) }

// observer is a monitor.
type observer struct {
	harm harmful `macemc:"-"`
	Last int
}

func (o *observer) Observe(_ sim.NodeID, event any) error {
	o.Last = int(event.(level))
	o.harm.at("Observe", o.Last)
	if o.harm.where == "Error" && o.Last == 2 {
		return failure(2)
	}
	return nil
}

func (o *observer) Obliges() bool { return true }

func (o *observer) Obligations() []sim.Obligation {
	o.harm.at("Obligations", o.Last)
	return nil
}

func (o *observer) Passed() (hot, settled []string) { return nil, nil }

// methodsSystem violates a property when node 0 reaches level 3, if the harmful place only shows values.
func methodsSystem(where, what string) sim.System {
	h := harmful{where, what}
	current = h
	at := func(v *sim.View) int {
		if s, ok := v.Service(0).(*methods); ok {
			return int(s.N)
		}
		return 0
	}
	property := func(name string, holds bool) func(*sim.View) bool {
		return func(v *sim.View) bool { h.at(name, at(v)); return holds }
	}
	sys := sim.System{
		Name: "methods", Nodes: 2, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service { return &methods{harm: h} },
		State: []sim.StateRule{
			sim.ShowBy(func(s shy) string { h.at("ShowBy", int(s)); return "shy" + strings.Repeat("!", int(s)) }),
			sim.EncodeBy(func(dst []byte, o opaque) []byte { h.at("EncodeBy", o.n); return append(dst, byte(o.n)) }),
			sim.CopyBy(func(o opaque) opaque { h.at("CopyBy", o.n); return o }),
			sim.EncodeBy(func(dst []byte, c closed) []byte { return append(dst, byte(c.n)) }),
			sim.CopyBy(func(c closed) closed { return c }),
		},
		Actions: []sim.AnyAction{sim.Action[*methods]{
			Name: "act", Times: 3, At: func(id sim.NodeID) bool { return id == 0 },
			When: func(s *methods) bool { h.at("When", int(s.N)); return true },
			Do: func(s *methods, env sim.Env) {
				s.N++
				s.State.n++
				n := s.N
				h.at("Do", int(n))
				env.Send(1, message{n, shy(n), s.State, closed{int(n)}})
				env.SetTimer(ring{n}, 1)
				env.Announce(n)
				env.Log().Info("acts", "level", n, "logged", logged(n))
			},
		}},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &observer{harm: h} }},
		Properties: []sim.Property{
			{Name: "small", Always: func(v *sim.View) bool { h.at("Always", at(v)); return at(v) < 3 || !slices.Contains(showing, where) },
				Explain: func(v *sim.View) string { h.at("Explain", at(v)-1); return "it is large" }},
			{Name: "live", Eventually: property("Eventually", true)},
			{Name: "some", Sometimes: property("Sometimes", false)},
		},
	}
	switch where {
	case "MayCrash":
		sys.Crashes, sys.MayCrash = 1, func(sim.NodeID) bool { h.at(where, 2); return true }
	case "MayHalt":
		sys.Halts, sys.MayHalt = 1, func(sim.NodeID) bool { h.at(where, 2); return true }
	}
	return sys
}

// judged are the places that decide whether a run is a finding.
var judged = []string{"Do", "Receive", "Timer", "When", "Observe", "Obligations", "Error", "Always", "Eventually", "Sometimes",
	"MayCrash", "MayHalt", "EncodeBy", "CopyBy"}

// A call of user code that panics or ends its goroutine is a finding with a path, whatever the code and the strategy. If the
// code only shows values, it does not change the findings.
func TestMethodsThatFail(t *testing.T) {
	if testing.Short() {
		t.Skip("makes many searches")
	}
	for i, where := range slices.Concat(judged, showing) {
		for j, what := range []string{"panic", "goexit"} {
			way := ways[(i+j)%len(ways)]
			t.Run(where+" "+what+" "+way, func(t *testing.T) {
				harm := "at " + where + "/" + what
				t.Setenv("CHECK_TEST_DIR", filepath.Join(t.TempDir(), "out"))
				t.Setenv(harmVar, harm)
				t.Setenv(statesVar, way)
				o := testOptions(meanSystem(harm))
				o.Respawn, o.NoShrink = nil, true
				rep, err := check.Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				fails(t, rep, where, what, nil)
			})
		}
	}
}

var ways = []string{"bfs exact none 2", "dfs 64 auto 2", "walk"}

// A call that ends its process, or does not return, is a finding, too. Other tests end it in the other places.
func TestSupervisedMethods(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for _, c := range []struct{ where, what, way string }{
		{"Timer", "exit", ways[2]}, {"Obligations", "exit", ways[2]}, {"Error", "exit", ways[0]}, {"Eventually", "exit", ways[2]},
		{"Sometimes", "exit", ways[0]}, {"EncodeBy", "exit", ways[0]}, {"CopyBy", "exit", ways[1]},
		{"Observe", "loop", ways[0]}, {"Sometimes", "loop", ways[2]}, {"EncodeBy", "loop", ways[2]}, {"String", "loop", ways[1]}, // each takes seconds
		{"Receive", "panic", ways[1]}, {"Explain", "goexit", ways[0]},
	} {
		t.Run(c.where+" "+c.what+" "+c.way, func(t *testing.T) {
			harm := "at " + c.where + "/" + c.what
			rep, _, _ := visits(t, harm, c.way)
			fails(t, rep, c.where, c.what, harmed(harm))
		})
	}
}

// fails expects the finding of harm in a place, and a path that shows it.
func fails(t *testing.T, rep *report.Report, where, what string, respawn func() *exec.Cmd) {
	t.Helper()
	kind, message := sim.Panic, map[string]string{"panic": "no", "goexit": "ended its goroutine", "exit": "ends the process with exit status 5"}[what]
	if what == "loop" {
		kind, message = sim.Divergence, "did not return within"
	}
	shows := slices.Contains(showing, where)
	if shows {
		kind, message = sim.Safety, ""
	}
	if rep.Verdict != search.Violation || rep.Kind != kind || !strings.Contains(rep.Message, message) {
		t.Errorf("got %s, %s: %s; want %s: %s", rep.Verdict, rep.Kind, rep.Message, kind, message)
	}
	if _, err := os.Stat(rep.PathFile); err != nil {
		t.Fatal(err)
	}
	if what == "loop" && !shows {
		return // it takes long
	}
	sys := methodsSystem(where, what)
	l, err := check.LoadFor(t.Context(), rep.PathFile, &sys, respawn)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := l.Trace(-1)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Violation(trace); !strings.HasPrefix(got, string(kind)+": ") || !strings.Contains(got, message) {
		t.Errorf("the path shows %q, want %s: %s", got, kind, message)
	}
}
