package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// stays does not return in the third step.
type stays struct {
	sim.Nop
	how string
	did int
}

func (s *stays) act(end *atomic.Bool, asked <-chan struct{}) {
	if s.did == 2 {
		switch s.how {
		case "loop":
			for !end.Load() { // ends with the test, to release the processor
			}
		case "channel":
			<-make(chan int)
		case "select":
			select {}
		case "slow":
			if !end.Swap(true) { // the first time
				<-asked
			}
		}
	}
	s.did++
}

// staying is a system with a slow handler that returns once asked is closed.
func staying(t *testing.T, how string, asked <-chan struct{}) sim.System {
	end := new(atomic.Bool)
	t.Cleanup(func() { end.Store(true) })
	return sim.System{
		Name: "stays", Nodes: 1,
		New: func(sim.NodeID) sim.Service { return &stays{how: how} },
		Actions: []sim.AnyAction{sim.Action[*stays]{Name: "act", Times: 3,
			When: func(s *stays) bool {
				if s.how == "When" && s.did == 2 {
					select {}
				}
				return true
			},
			Do: func(s *stays, _ sim.Env) { s.act(end, asked) }}},
		Properties: []sim.Property{{Name: "true", Always: func(*sim.View) bool { return true }}},
	}
}

// overdue searches a system, in which checked code must not return, and returns the only suspect.
func overdue(t *testing.T, cfg search.Config) *search.Suspect {
	t.Helper()
	asked := 0
	cfg.Time, cfg.Workers, cfg.HandlerLimit = endless, 1, 100*time.Millisecond
	cfg.Confirm = func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
		asked++
		return search.Confirmed{Violation: s.Overdue}, nil
	}
	res, err := search.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	f := res.Finding
	if res.Verdict != search.Violation || f == nil || f.Kind != sim.Divergence || !f.Overdue || asked != 1 ||
		!strings.Contains(f.Message, "did not return within") {
		t.Fatalf("%s, %+v, %d", res.Verdict, f, asked)
	}
	return f
}

// A handler that does not return is suspected soon, both by strategies that visit states and by those that execute
// runs, and the path leads into it.
func TestHang_AllStrategies(t *testing.T) {
	if testing.Short() {
		t.Skip("waits")
	}
	for how, strategies := range map[string][]search.Name{
		"loop":    {search.Deepening, search.Walk, search.BFS, search.DFS},
		"channel": {search.Walk, search.BFS, search.DFS},
		"select":  {search.Deepening, search.BFS, search.DFS},
		"When":    {search.BFS},
	} {
		for _, name := range strategies {
			t.Run(fmt.Sprint(how, " ", name), func(t *testing.T) {
				t.Parallel()
				began := time.Now()
				f := overdue(t, search.Config{System: staying(t, how, nil), Strategy: name})
				if !strings.Contains(f.Message, "the handler did not return within") {
					t.Error(f.Message)
				}
				if name.Can(strategy.VisitsStates) && (len(f.Path) < 2 || f.Steps < 2) {
					t.Errorf("path %v, %d steps", f.Path, f.Steps)
				}
				if took := time.Since(began); took > endless/2 {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}

// A slow handler ends no exploration. If slowness is undecided, the exploration covers nothing beyond.
func TestHang_SlowHandlerInBFS(t *testing.T) {
	if testing.Short() {
		t.Skip("waits")
	}
	for _, refuted := range []bool{true, false} {
		asked, first := 0, make(chan struct{})
		res, err := search.Run(t.Context(), search.Config{
			System: staying(t, "slow", first), Strategy: search.BFS, HandlerLimit: 100 * time.Millisecond,
			Confirm: func(context.Context, search.Suspect) (search.Confirmed, error) {
				if asked++; asked == 1 {
					close(first)
				}
				return search.Confirmed{Refuted: refuted}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := search.Inconclusive
		if refuted {
			want = search.OK
		}
		if res.Verdict != want || res.Stats.Complete != refuted || asked != 1 {
			t.Errorf("refuted %v: %s, complete %v, asked %d times", refuted, res.Verdict, res.Stats.Complete, asked)
		}
	}
}

// At the time limit, a handler with an extended limit has no more time than others.
func TestHang_ExcuseEndsAtTimeLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for what does not return")
	}
	t.Parallel()
	asked := 0
	began := time.Now()
	res, err := search.Run(t.Context(), search.Config{
		System: staying(t, "channel", nil), Time: 3 * time.Second, Workers: 1, HandlerLimit: 2 * time.Second,
		Confirm: func(context.Context, search.Suspect) (search.Confirmed, error) {
			asked++
			return search.Confirmed{Refuted: true}, nil
		},
	})
	if err != nil || res.Verdict != search.Inconclusive || asked != 2 {
		t.Errorf("got %+v, %v, asked %d times, want inconclusive after 2", res, err, asked)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("took %v, want about 3s: the extended limit lasts for 20s", took)
	}
}

// The handler does not return in state 1: the second step of the first run that gets there.
func TestHang_Confirmation(t *testing.T) {
	var asked []search.Suspect
	searched := func(answer search.Confirmed) *search.Result {
		var end atomic.Bool // ends with its search, to release the processor
		defer end.Store(true)
		return run(t, search.Config{
			Workers: 2, HandlerLimit: 100 * time.Millisecond,
			System: oneAction(func(n *node, env sim.Env) {
				if n.State == 1 && env.Choose("which", 3) == 1 {
					for !end.Load() {
					}
				}
				n.State++
			}),
			Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
				asked = append(asked, s)
				return answer, nil
			},
		})
	}
	res := searched(search.Confirmed{Violation: true, Detail: "confirmed"})
	if res.Verdict != search.Violation || res.Detail != "confirmed" || len(asked) != 1 {
		t.Fatalf("got %+v, asked %+v", res, asked)
	}
	f := res.Finding
	if f.Kind != sim.Divergence || !f.Overdue || f.Steps != 2 || !slices.Equal(f.Path, choose.Path{0, 0, 1}) {
		t.Errorf("got %+v, want a divergence in step 2 of 0 0 1", f)
	}
	// The confirmation is undecided.
	if res = searched(search.Confirmed{}); res.Verdict != search.Inconclusive || res.Stopped != stats.StoppedStuck || res.Undecided != 1 {
		t.Errorf("undecided: got %+v", res)
	}
}

// A handler that is slow, but returns, does not end the search.
func TestHang_SlowHandler(t *testing.T) {
	var release atomic.Bool
	res := run(t, search.Config{
		Workers: 1, HandlerLimit: 100 * time.Millisecond,
		System: oneAction(func(n *node, _ sim.Env) {
			for n.State == 1 && !release.Load() {
				time.Sleep(time.Millisecond)
			}
			n.State++
		}),
		Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
			release.Store(true)
			return search.Confirmed{Refuted: s.Overdue}, nil
		},
	})
	if res.Verdict != search.OK || res.Suspects != 1 || res.Slow != 1 || !res.Stats.Complete || res.Stats.States != 4 {
		t.Errorf("got %+v", res)
	}
}
