package search_test

import (
	"reflect"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// n0's tick, news and ask are concurrent, as are n1's tick and tell. News prevents a later ask. The counts do not depend
// on the number of workers.
func TestOrders(t *testing.T) {
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
