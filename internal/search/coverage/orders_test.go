package coverage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// kind is the tag of messages.
type kind uint8

const (
	put kind = iota
	get
)

func (k kind) String() string { return [...]string{"put", "get"}[k] }

type (
	request struct {
		Number int
		Kind   kind
	}
	answer struct{ Number int }
	tick   struct{ Number int }
)

// server answers requests, and counts ticks.
type server struct {
	sim.Nop
	Ticks  int
	Closed bool
}

func (s *server) Boot(env sim.Env) { env.SetTimer(tick{1}, 0) }

func (s *server) Receive(env sim.Env, from sim.NodeID, msg any) {
	if r, ok := msg.(request); ok {
		if s.Closed = s.Closed || r.Kind == get; env.Self() == 0 {
			env.Send(from, answer{r.Number})
		}
	}
}

func (s *server) Timer(env sim.Env, _ any) {
	if s.Ticks++; s.Ticks < 2 {
		env.SetTimer(tick{s.Ticks}, 0)
	}
}

// servers is a system in which some orders never happen: a get closes the server for the action audit.
func servers(crashes int) sim.System {
	ask := func(k kind) func(*server, sim.Env) {
		return func(s *server, env sim.Env) { env.Send(0, request{int(k), k}) }
	}
	one := func(*server) bool { return true }
	return sim.System{
		Name: "servers", Nodes: 2, Crashes: crashes, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service { return &server{} },
		Actions: []sim.AnyAction{
			sim.Action[*server]{Name: "put", Times: 1, When: one, Do: ask(put)},
			sim.Action[*server]{Name: "get", Times: 1, When: one, Do: ask(get)},
			sim.Action[*server]{Name: "audit", Times: 1, When: func(s *server) bool { return !s.Closed }, Do: func(*server, sim.Env) {}},
		},
	}
}

// step is a step of a run as the oracle sees it, with names of classes.
type step struct {
	enabled      map[sim.NodeID][]string
	node         sim.NodeID
	class        string
	fault, boots bool
}

// oracleClass names the class of an event by the text of its label.
func oracleClass(w kernel.World, ev netmodel.Event) string {
	l := w.Label(ev)
	name, rest, _ := strings.Cut(l.Content, "{")
	switch ev.Kind {
	case eventkind.Deliver:
		if strings.HasSuffix(name, "request") {
			name += " " + [...]string{"put", "get"}[strings.Count(rest, "1")/2] // the number and the kind
		}
		return fmt.Sprintf("message %s from n%d", name[strings.LastIndexByte(name, '.')+1:], ev.Peer)
	case eventkind.FireTimer:
		return "timer " + name[strings.LastIndexByte(name, '.')+1:]
	case eventkind.DoAction:
		return "action " + l.Content
	}
	return ev.Kind.String()
}

// oracle counts the orders of runs by definition.
type oracle struct{ pairs, seen map[coverage.Order]bool }

func (o *oracle) add(run []step) {
	for j, s := range run {
		for node, classes := range s.enabled {
			for _, a := range classes {
				for _, b := range classes {
					o.pairs[coverage.Order{Node: node, First: a, Then: b}] = true
				}
			}
		}
		for i := j; i >= 0; i-- {
			e := &run[i]
			if e.node == s.node && i < j && (e.boots || e.fault) && s.fault {
				break // the node was not up all the time
			}
			if s.fault {
				for _, a := range e.enabled[s.node] {
					o.pairs[coverage.Order{Node: s.node, First: a, Then: s.class}] = true
					o.pairs[coverage.Order{Node: s.node, First: s.class, Then: a}] = true
				}
			}
			if e.node == s.node && i < j && (s.fault || slices.Contains(e.enabled[s.node], s.class)) {
				o.seen[coverage.Order{Node: s.node, First: e.class, Then: s.class}] = true
			}
		}
	}
}

func (o *oracle) count() (pairs, both int, missing []coverage.Order) {
	for p := range o.pairs {
		if p.First == p.Then {
			continue
		}
		pairs++
		if !o.seen[p] {
			missing = append(missing, p)
		} else if o.seen[coverage.Order{Node: p.Node, First: p.Then, Then: p.First}] {
			both++
		}
	}
	slices.SortFunc(missing, compareOrders)
	return pairs / 2, both / 2, missing
}

func compareOrders(x, y coverage.Order) int {
	return strings.Compare(fmt.Sprint(x), fmt.Sprint(y))
}

// All runs of a few steps, and random samples of longer ones, are counted as the definition does, also if the runs are
// divided and the counts merged, and by both engines.
func TestOrders_Oracle(t *testing.T) {
	for _, c := range []struct {
		crashes, steps int
		random         uint64 // number of random runs; 0 means all runs
	}{{0, 3, 0}, {1, 3, 0}, {0, 12, 3}, {0, 12, 200}, {1, 12, 5}, {1, 14, 400}} {
		sys := servers(c.crashes)
		for name, open := range map[string]func(*sim.System, kernel.Options) (kernel.World, error){
			"replay": kernel.NewWorld, "table": world.New,
		} {
			w, err := open(&sys, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			o := oracle{map[coverage.Order]bool{}, map[coverage.Order]bool{}}
			parts := [3]*coverage.Orders{coverage.NewOrders(2), coverage.NewOrders(2), coverage.NewOrders(2)}
			runs := 0
			one := func(src choose.Source) {
				orders := parts[runs%len(parts)]
				o.add(follow(t, w, src, orders, c.steps))
				runs++
			}
			if c.random == 0 {
				var all choose.Enumerate
				for all.Next() {
					one(&all)
				}
			}
			for i := range c.random {
				var r choose.Random
				r.Seed(7, i)
				one(&r)
			}
			all := coverage.NewOrders(2)
			for _, p := range parts {
				all.Merge(p)
			}
			pairs, both, missing := all.Count(coverage.New(&sys))
			slices.SortFunc(missing, compareOrders)
			wantPairs, wantBoth, wantMissing := o.count()
			if pairs != wantPairs || both != wantBoth || !slices.Equal(missing, wantMissing) || all.Walks != runs || pairs == 0 {
				t.Errorf("%+v, %s: %d of %d pairs, missing %v\nwant %d of %d, missing %v", c, name, both, pairs, missing,
					wantBoth, wantPairs, wantMissing)
			}
			if impossible := (coverage.Order{Node: 0, First: "message request get from n1", Then: "action audit"}); c.crashes == 0 && c.random > 100 &&
				!slices.Contains(missing, impossible) {
				t.Errorf("%+v, %s: %v is not among the missing %v", c, name, impossible, missing)
			}
		}
	}
}

// Two faults that leave a node up are concurrent: each could have struck before the other.
func TestOrders_Faults(t *testing.T) {
	jump, sync := sim.ClockJumps.Event(), sim.LostSyncs.Event()
	o := coverage.NewOrders(1)
	for _, walk := range [][]eventkind.Kind{{jump, jump, sync}, {sync, jump}} {
		o.Begin()
		for _, kind := range walk {
			o.Before(nil, nil, &netmodel.Event{Kind: kind, Peer: -1})
		}
	}
	sys := sim.System{Name: "faults", Nodes: 1, New: func(sim.NodeID) sim.Service { return sim.Nop{} }}
	if pairs, both, missing := o.Count(coverage.New(&sys)); pairs != 1 || both != 1 || len(missing) > 0 {
		t.Errorf("%d of %d pairs, missing %v; want 1 of 1", both, pairs, missing)
	}
}

// follow makes a run of at most so many steps.
func follow(t *testing.T, w kernel.World, src choose.Source, orders *coverage.Orders, steps int) (run []step) {
	t.Helper()
	if err := w.Start(src); err != nil {
		t.Fatal(err)
	}
	orders.Begin()
	for range steps {
		enabled := w.Enabled()
		events := w.Injections(slices.Clone(enabled))
		if len(events) == 0 {
			break
		}
		ev := events[src.Choose(choose.Point{Kind: choose.Event, Arity: len(events)})]
		s := step{enabled: map[sim.NodeID][]string{}, node: ev.Node, class: oracleClass(w, ev), fault: ev.Kind.Injection(),
			boots: ev.Kind == eventkind.Boot}
		for _, e := range enabled {
			s.enabled[e.Node] = append(s.enabled[e.Node], oracleClass(w, e))
		}
		run = append(run, s)
		orders.Before(w, enabled, &ev)
		if err := w.Step(ev, src); err != nil {
			t.Fatal(err)
		}
	}
	return run
}
