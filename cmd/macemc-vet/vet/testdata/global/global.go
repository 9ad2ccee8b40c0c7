// Package global shares variables among nodes.
package global

import (
	"sync"
	"sync/atomic"

	"github.com/macemc/macemc/sim"
)

type stats struct{ n, max int }

func (s *stats) inc()     { s.n++ }
func (s *stats) twice()   { s.inc(); s.inc() }
func (s *stats) get() int { return s.n }
func (s stats) copied()   { s.n++ }

var (
	count  int
	table  = map[string]int{"a": 1}
	total  stats
	ptr    = &stats{}
	ops    atomic.Int64
	hits   int64
	mu     sync.Mutex
	once   sync.Once
	cached []string
)

type node struct {
	sim.Nop
	n int
}

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	n.n++
	count++                   // want "shared variable: assigns to the package variable count"
	table["b"] = 2            // want "changes the package variable table"
	delete(table, "a")        // want "changes the package variable table"
	total.max = 1             // want "changes the package variable total"
	total.inc()               // want "calls .*stats..inc, which changes the package variable total"
	ptr.twice()               // want "calls .*stats..twice, which changes the package variable ptr"
	ops.Add(1)                // want "calls Add of the package variable ops, a sync/atomic.Int64"
	atomic.AddInt64(&hits, 1) // want "changes the package variable hits"
	mu.Lock()                 // want "calls Lock of the package variable mu"
	once.Do(func() {          // want "calls Do of the package variable once"
		cached = append(cached, "x") // want "assigns to the package variable cached"
	})
	_ = table["a"] + total.get() + int(ops.Load()) + len(cached)
	total.copied()
	count := count
	count++
}

// registry is shared by nodes that keep a pointer to it; limits never change.
type (
	registry struct{ taken map[int]bool }
	limits   struct{ most int }
)

func (r *registry) take(n int) { r.taken[n] = true }

var (
	names   = &registry{taken: map[int]bool{}}
	spare   registry
	allowed = &limits{most: 3}
)

type keeper struct {
	sim.Nop
	names, more *registry
	allowed     *limits
}

func (k *keeper) Boot(env sim.Env) {
	k.more = &spare // want "keeps a pointer to the value of the package variable spare"
	k.names.take(1)
	own := names
	_ = own
}

func Keepers() sim.System {
	return sim.System{Nodes: 2, New: func(sim.NodeID) sim.Service {
		return &keeper{names: names, allowed: allowed} // want "keeps a pointer to the value of the package variable names"
	}}
}

func System() sim.System {
	created, seen := 0, map[sim.NodeID]bool{}
	var last stats
	return sim.System{
		Nodes: 1,
		New: func(id sim.NodeID) sim.Service {
			created++       // want "assigns to created, a variable from outside the handler"
			seen[id] = true // want "changes seen, a variable from outside the handler"
			last.inc()      // want "calls .*stats..inc, which changes last, a variable from outside"
			return &node{}
		},
		Actions: []sim.AnyAction{sim.Action[*node]{Name: "poke", Do: func(n *node, env sim.Env) {
			local := 0
			add := func() { local++ }
			add()
			n.n = local
		}}},
	}
}
