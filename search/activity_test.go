package search_test

import (
	"reflect"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// The tellers are live once news was sent. After that no tell is possible, the timers tick, and news comes once in each
// walk that is long enough. The three ticks of n0 in half of the walks are counted, too.
func TestAfterLive(t *testing.T) {
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
		t.Errorf("%+v", tell)
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
