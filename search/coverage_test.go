package search_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// The tellers are live once news was sent. After that no tell is possible, the timers tick, and news comes once in each
// walk that is long enough. The three ticks of n0 in half of the walks are counted, too.
func TestCoverage_AfterLive(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	var all []search.Stats
	for _, workers := range []int{1, 3} {
		sys := tellers()
		sys.Properties = []sim.Property{
			{Name: "sent", Eventually: func(v *sim.View) bool {
				for range v.InFlight() {
					return true
				}
				return v.Service(0).(*teller).Told
			}},
			{Name: "two ticks", Sometimes: func(v *sim.View) bool { return v.Service(0).(*teller).Ticks == 2 }},
		}
		all = append(all, run(t, search.Config{System: sys, Workers: workers, Strategy: search.Walk, MaxPaths: 2000}).Stats)
	}
	s := all[0]
	if !reflect.DeepEqual(s.AfterLive, all[1].AfterLive) || !reflect.DeepEqual(s.Sometimes, all[1].Sometimes) {
		t.Errorf("one worker: %+v, %+v; three: %+v, %+v", s.AfterLive, s.Sometimes, all[1].AfterLive, all[1].Sometimes)
	}
	if len(s.AfterLive) != 3 || s.AfterLiveWalks < 150 || s.AfterLiveWalks > 300 {
		t.Fatalf("%+v in %d walks", s.AfterLive, s.AfterLiveWalks)
	}
	tell, news, tick := s.AfterLive[0], s.AfterLive[1], s.AfterLive[2]
	if tell != (stats.AfterLive{What: "action tell"}) {
		t.Errorf("got %+v, want action tell, which never happened", tell)
	}
	if news.What != "message string" || news.Times != news.Walks || news.Walks == 0 || news.Walks > s.AfterLiveWalks {
		t.Errorf("%+v of %d", news, s.AfterLiveWalks)
	}
	if tick.What != "timer string" || tick.Times < 10*tick.Walks {
		t.Errorf("%+v of %d", tick, s.AfterLiveWalks)
	}
	if x := s.Sometimes[0]; x.Of != s.Paths || x.Walks != x.Runs || x.Walks == 0 || x.Walks >= x.Of {
		t.Errorf("%+v of %d", x, s.Paths)
	}
}

// n0's tick, news and ask are concurrent, as are n1's tick and tell. News prevents a later ask. The counts do not depend
// on the number of workers.
func TestCoverage_Orders(t *testing.T) {
	var all []stats.Orders
	for _, workers := range []int{1, 3} {
		sys := tellers()
		sys.Properties = nil
		sys.Actions = append(sys.Actions, sim.Action[*teller]{
			Name: "ask", Times: 1, When: func(s *teller) bool { return s.self == 0 && !s.Told }, Do: func(*teller, sim.Env) {},
		})
		s := run(t, search.Config{System: sys, Workers: workers, Strategy: search.Walk, MaxPaths: 3000}).Stats
		all = append(all, s.Orders)
	}
	if !reflect.DeepEqual(all[0], all[1]) {
		t.Errorf("one worker: %+v; three: %+v", all[0], all[1])
	}
	o := all[0]
	if o.Walks < 50 || o.Walks > 300 {
		t.Errorf("%d walks", o.Walks)
	}
	o.Walks = 0
	want := stats.Orders{Pairs: 4, Both: 3, Missing: []stats.MissingOrder{{First: "message string from n1", Then: "action ask"}}}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got %+v, want %+v", o, want)
	}
}

type (
	hello   struct{ N int }
	goodbye struct{}
	soon    struct{}
	never   struct{}
)

type talker struct {
	sim.Nop
	Heard int
}

func (s *talker) Boot(env sim.Env) {
	env.SetTimer(soon{}, time.Second)
	env.SetTimer(never{}, time.Hour)
}

func (s *talker) Timer(env sim.Env, timer any) {
	if timer == (soon{}) {
		env.StopTimer(never{})
		env.Send(1, hello{1})
		if s.Heard > 0 {
			env.Send(1, goodbye{})
		}
	}
}

func (s *talker) Receive(_ sim.Env, _ sim.NodeID, m any) { s.Heard++ }

type listener struct {
	sim.Nop
	Heard int
}

func (s *listener) Receive(sim.Env, sim.NodeID, any) { s.Heard++ }

// The action dance is never enabled, and soon always stops the timer never before it fires. Walks of two steps (ask;
// soon; deliveries of their messages) are too short to send a goodbye, and inject no faults.
func TestCoverage_NeverHappened(t *testing.T) {
	sys := sim.System{
		Name: "talk", Nodes: 2, Crashes: 1, Network: netsim.Datagrams{Dup: 1},
		MayCrash: func(id sim.NodeID) bool { return id == 0 },
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &talker{}
			}
			return &listener{}
		},
		Actions: []sim.AnyAction{
			sim.Action[*talker]{Name: "ask", Times: 1, Do: func(_ *talker, env sim.Env) { env.Send(0, hello{0}) }},
			sim.Action[*talker]{Name: "dance", When: func(*talker) bool { return false }, Do: func(*talker, sim.Env) {}},
		},
		Properties: []sim.Property{
			{Name: "heard", Sometimes: sim.Each(func(_ sim.NodeID, l *listener) bool { return l.Heard > 0 })},
			{Name: "heard much", Sometimes: sim.Each(func(_ sim.NodeID, l *listener) bool { return l.Heard > 9 })},
		},
	}
	for _, workers := range []int{1, 3} {
		res := run(t, search.Config{System: sys, Strategy: search.Walk, MaxPaths: 500, Workers: workers, WalkSteps: 2})
		want := []string{"action dance", "fault crash", "fault duplication", "sometimes heard much", "timer never"}
		if !slices.Equal(res.Stats.NeverHappened, want) {
			t.Errorf("%d workers: never happened: %q, want %q", workers, res.Stats.NeverHappened, want)
		}
		for _, s := range res.Stats.Sometimes {
			if (s.Property == "heard") != (s.Runs > 0 && s.Runs < 500) {
				t.Errorf("got %+v, want runs with heard, and none with heard much", s)
			}
		}
	}
	// The prefix contains everything possible: ask, and the rest in order. Its coverage counts.
	w, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := replay.NewRun(w)
	err = whole.Start(choose.First)
	for err == nil && len(w.Enabled()) > 0 {
		err = whole.Step(0, choose.First)
	}
	if err != nil {
		t.Fatal(err)
	}
	after := run(t, search.Config{System: sys, Strategy: search.Walk, MaxPaths: 2, Workers: 1, Prefix: whole.Path})
	if want := []string{"action dance", "fault crash", "fault duplication", "sometimes heard much", "timer never"}; !slices.Equal(after.Stats.NeverHappened, want) {
		t.Errorf("after a prefix: never happened: %q, want %q", after.Stats.NeverHappened, want)
	}
	// Everything else happens within 6 choices: the longest path is to ask, hear, say goodbye and deliver it.
	res := run(t, search.Config{System: sys, Strategy: search.Deepening, MaxDepth: 6})
	if want := []string{"action dance", "sometimes heard much", "timer never"}; !slices.Equal(res.Stats.NeverHappened, want) {
		t.Errorf("deepening: never happened: %q, want %q", res.Stats.NeverHappened, want)
	}
	if res.Stats.FaultsUsed != (sim.Limits{sim.Crashes: 1, sim.Dup: 1}) {
		t.Errorf("faults used: %+v", res.Stats.FaultsUsed)
	}
}
