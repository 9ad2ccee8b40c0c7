package search_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// register counts the Close calls of each service that was made.
type register struct {
	sync.Mutex
	closed []int
}

// closer is a service with a Close method that is recorded in the register.
type closer struct {
	sim.Nop
	Value int
	fail  func(*closer) error
	of    *register `macemc:"-"`
	name  int       `macemc:"-"`
}

func (h *closer) Receive(_ sim.Env, _ sim.NodeID, msg any) { h.Value = msg.(int) }

func (h *closer) Close() error {
	h.of.Lock()
	h.of.closed[h.name]++
	h.of.Unlock()
	if h.fail != nil {
		return h.fail(h)
	}
	return nil
}

func closers(r *register, fail func(*closer) error) sim.System {
	return sim.System{
		Nodes: 2, Crashes: 1, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service {
			r.Lock()
			defer r.Unlock()
			r.closed = append(r.closed, 0)
			return &closer{fail: fail, of: r, name: len(r.closed) - 1}
		},
		State: []sim.StateRule{sim.IgnoreField[closer]("fail")},
		Actions: []sim.AnyAction{sim.Action[*closer]{Name: "send", Times: 2, Do: func(h *closer, env sim.Env) {
			env.Send(1-env.Self(), h.Value+1)
		}}},
		Properties: []sim.Property{{Name: "up", Eventually: func(v *sim.View) bool { return v.Len() == 2 }}},
	}
}

// Each service that a search makes is closed once: after a crash, at the end of its run, or if it was made only to be
// inspected.
func TestClose_CalledOnce(t *testing.T) {
	for _, strategy := range runStrategies {
		for _, workers := range []int{1, 2} {
			var r register
			res, err := search.Run(t.Context(), search.Config{System: closers(&r, nil), Strategy: strategy, Workers: workers, MaxPaths: 300, HandlerLimit: patient})
			if err != nil || res.Verdict != search.OK {
				t.Fatalf("%s: %v, %+v", strategy, err, res)
			}
			wrong := 0
			for _, n := range r.closed {
				if n != 1 {
					wrong++
				}
			}
			if len(r.closed) < 600 || wrong > 0 {
				t.Errorf("%s, %d workers: of %d services %d were not closed once", strategy, workers, len(r.closed), wrong)
			}
		}
	}
}

// Resources of a service with a Close method are not copied, so tables reject it by name, and searches with a choice
// execute runs by replay.
func TestClose_ForbidsCopies(t *testing.T) {
	var r register
	for _, cfg := range []search.Config{{Strategy: search.BFS}, {Strategy: search.Walk, Engine: runloop.TableEngine, MaxPaths: 10}} {
		cfg.System = closers(&r, nil)
		if _, err := search.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "with a method Close") {
			t.Errorf("%s: %v", cfg.Strategy, err)
		}
	}
	for i, n := range r.closed {
		if n != 1 {
			t.Errorf("service %d was closed %d times", i, n)
		}
	}
}

// A Close that fails is a finding, after a crash and at the end of a run, and a replay reproduces it.
func TestClose_Fails(t *testing.T) {
	for _, c := range []struct {
		strategy search.Name
		fail     func(*closer) error
		want     string
	}{
		{search.Walk, func(h *closer) error { return errors.New("busy") }, "Close failed: busy"},
		{search.Faulty, func(h *closer) error {
			if h.Value == 1 {
				panic("leaked")
			}
			return nil
		}, "Close: leaked"},
		{search.Deepening, func(h *closer) error {
			if h.Value == 1 {
				panic("leaked")
			}
			return nil
		}, "Close: leaked"},
	} {
		var r register
		sys := closers(&r, c.fail)
		if c.strategy == search.Walk {
			sys.Crashes = 0
		}
		res, err := search.Run(t.Context(), search.Config{System: sys, Strategy: c.strategy, Workers: 1, MaxPaths: 500, HandlerLimit: patient})
		if err != nil || res.Verdict != search.Violation {
			t.Errorf("%s: %v, %+v", c.strategy, err, res)
			continue
		}
		if f := res.Finding; f.Kind != sim.Panic || f.Message != c.want {
			t.Errorf("%s: %s: %s, want %s", c.strategy, f.Kind, f.Message, c.want)
		}
		trace, err := replay.Record(&sys, res.Finding.Path, kernel.Options{Contain: true})
		if err != nil || trace.Finding == nil || trace.Finding.Message != c.want {
			t.Errorf("%s: replay: %v, %+v", c.strategy, err, trace.Finding)
		}
	}
}
