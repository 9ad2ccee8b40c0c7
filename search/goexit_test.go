package search_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// quitter ends its goroutine, at the given place, in the third step.
type quitter struct {
	where string
	did   int
}

func (q *quitter) at(where string) {
	if q.where == where && q.did == 2 {
		runtime.Goexit()
	}
	if q.where == where+" panics" && q.did == 2 {
		panic("no")
	}
}

func (q *quitter) Boot(sim.Env)       {}
func (q *quitter) Timer(sim.Env, any) {}
func (q *quitter) Observe(_ sim.NodeID, did any) error {
	if q.where == "monitor" && did == 2 {
		runtime.Goexit()
	}
	return nil
}

func (q *quitter) Receive(env sim.Env, _ sim.NodeID, _ any) { q.at("Receive") }

func quits(where string) sim.System {
	each := func(held bool) func(*sim.View) bool {
		return func(v *sim.View) bool {
			for _, q := range sim.Nodes[*quitter](v) {
				q.at("property")
			}
			return held
		}
	}
	return sim.System{
		Name: "quitter", Nodes: 1, Network: netsim.Datagrams{}, Crashes: 1,
		New:      func(sim.NodeID) sim.Service { return &quitter{where: where} },
		MayCrash: func(sim.NodeID) bool { return true },
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &quitter{where: where} }},
		Actions: []sim.AnyAction{sim.Action[*quitter]{Name: "act", Times: 3,
			When: func(q *quitter) bool { q.at("When"); return true },
			Do: func(q *quitter, env sim.Env) {
				q.at("Do")
				q.did++
				env.Announce(q.did)
				env.Send(0, q.did)
			}}},
		Properties: []sim.Property{{Name: "always", Always: each(true)}},
	}
}

// Checked code that ends its goroutine is soon a finding, at any place, by every strategy and engine.
func TestGoexit_AllStrategies(t *testing.T) {
	for _, where := range []string{"Do", "When", "When panics", "Receive", "property", "monitor"} {
		for _, c := range []struct {
			strategy search.Name
			engine   string
		}{
			{search.Deepening, runloop.ReplayEngine}, {search.Deepening, runloop.TableEngine}, {search.Walk, runloop.ReplayEngine},
			{search.Walk, runloop.TableEngine}, {search.Faulty, runloop.AutoEngine}, {search.BFS, ""}, {search.DFS, ""},
		} {
			t.Run(fmt.Sprint(where, " ", c.strategy, " ", c.engine), func(t *testing.T) {
				message := " ended its goroutine (runtime.Goexit"
				if where == "When panics" {
					message = `the When of action "act" panicked: no`
				}
				began := time.Now()
				res, err := search.Run(t.Context(), search.Config{
					System: quits(where), Strategy: c.strategy, Engine: c.engine, Time: endless, Workers: 2, HandlerLimit: patient,
				})
				if err != nil {
					t.Fatal(err)
				}
				f := res.Finding
				if res.Verdict != search.Violation || f == nil || f.Kind != sim.Panic || !strings.Contains(f.Message, message) ||
					(f.Property == "always") != (where == "property") || f.Steps < 2 || !strings.Contains(f.Stack, "quitter).at") && where != "monitor" {
					t.Fatalf("%s, %+v", res.Verdict, f)
				}
				if took := time.Since(began); took > endless/2 {
					t.Errorf("it took %v", took)
				}
				sys := quits(where)
				if o, err := runs.Follow(&sys, f.Path); err != nil || o.Finding == nil || o.Finding.Message != f.Message {
					t.Errorf("its path shows %+v, %v", o.Finding, err)
				}
			})
		}
	}
}

// A MayCrash or MayHalt that panics or ends its goroutine is a finding, by every strategy and engine.
func TestMayCrash_PanicsOrExits(t *testing.T) {
	fails := map[string]func(){
		"MayCrash panicked: no": func() { panic("no") }, "MayCrash ended its goroutine": runtime.Goexit,
		"MayHalt panicked: no": func() { panic("no") }, "MayHalt ended its goroutine": runtime.Goexit,
	}
	for what, fail := range fails {
		for _, c := range []struct {
			strategy search.Name
			engine   string
		}{{search.Deepening, runloop.ReplayEngine}, {search.Walk, runloop.TableEngine}, {search.BFS, ""}, {search.DFS, ""}} {
			sys := staying(t, "", nil)
			may := func(sim.NodeID) bool { fail(); return true }
			if strings.HasPrefix(what, "MayHalt") {
				sys.Halts, sys.MayHalt = 1, may
			} else {
				sys.Crashes, sys.MayCrash = 1, may
			}
			res, err := search.Run(t.Context(), search.Config{System: sys, Strategy: c.strategy, Engine: c.engine, Time: endless, Workers: 2, HandlerLimit: patient})
			if err != nil {
				t.Fatal(err)
			}
			if f := res.Finding; res.Verdict != search.Violation || f == nil || f.Kind != sim.Panic || !strings.HasPrefix(f.Message, what) {
				t.Errorf("%s, %s: %s, %+v", what, c.strategy, res.Verdict, f)
			}
		}
	}
}
