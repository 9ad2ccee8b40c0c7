// Package maporder ranges over maps.
package maporder

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/macemc/macemc/sim"
)

type peer struct {
	load int
	seen bool
}

type node struct {
	sim.Nop
	peers map[sim.NodeID]*peer
	votes map[string]int
	ratio map[string]float64
	list  []sim.NodeID
	all   sync.Map
}

// Sends and draws in no order.
func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	for id := range n.peers { // want "order of a map: range over map n.peers calls sim.Env.Send in line 32"
		env.Send(id, msg)
	}
	for id := range n.peers { // want "calls .*node..forward in line 35, which requests effects"
		n.forward(env, id)
	}
	for range n.peers { // want "calls sim.Env.Choose"
		_ = env.Choose("x", 2)
	}
	for id := range n.peers { // want "calls sim.Stream.Send"
		_ = env.Stream(id).Send(msg)
	}
	for id := range maps.Keys(n.peers) { // want "range over maps.Keys.n.peers. calls sim.Env.SetTimer"
		env.SetTimer(id, 1)
	}
	for k, v := range n.votes { // want "calls sim.Disk.Put"
		env.Disk().Put(k, []byte{byte(v)})
	}
	for _, id := range slices.Sorted(maps.Keys(n.peers)) {
		env.Send(id, msg)
	}
	for id, p := range n.peers { // reads only
		if room := env.Stream(id).Room(); room > 0 {
			p.seen = true
		}
	}
	n.all.Range(func(k, v any) bool { return true }) // want "uses .*Map..Range"
}

func (n *node) forward(env sim.Env, to sim.NodeID) { n.hop(env, to) }
func (n *node) hop(env sim.Env, to sim.NodeID)     { env.Send(to, "x") }

// Chooses what comes first or last.
func (n *node) Timer(env sim.Env, t any) {
	n.first()
	n.last()
	var who sim.NodeID
	best := -1
	for id, p := range n.peers { // want "keeps the last element in who in line 72"
		if p.load > best {
			best = p.load
			who = id
		}
	}
	_ = who
}

func (n *node) first() sim.NodeID {
	for id, p := range n.peers { // want "returns the first element found in line 81"
		if p.seen {
			return id
		}
	}
	return -1
}

func (n *node) last() (id sim.NodeID) {
	for id = range n.peers { // want "keeps the last key in id"
	}
	return id
}

// Shows the order in what it makes.
func (n *node) PeerError(env sim.Env, peer sim.NodeID, err error) {
	for id := range n.peers { // want "appends to n.list in line 96, which is not sorted afterwards"
		n.list = append(n.list, id)
	}
	text, b := "", strings.Builder{}
	sum := 0.0
	for k, f := range n.ratio { // want "adds to text"
		text += k
		sum += f
	}
	for _, f := range n.ratio { // want "adds to sum"
		sum += f
	}
	for k := range n.votes { // want "writes to b"
		fmt.Fprintf(&b, "%s,", k)
	}
	for k := range n.votes { // want "writes to b"
		b.WriteString(k)
	}
	_ = slices.Collect(maps.Keys(n.peers)) // want "slices.Collect.maps.Keys.n.peers.. is in the order of the map"
	env.Send(peer, fmt.Sprint(text, b.String(), sum))
}

func (n *node) all2() func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range n.votes { // want "yields in the order of the map"
			if !yield(k) {
				return
			}
		}
	}
}

// What does not depend on the order.
func (n *node) PeerReady(env sim.Env, peer sim.NodeID) {
	_ = n.all2()
	count, sum, most, any := 0, 0, 0, false
	inverse := map[int]string{}
	var ids []sim.NodeID
	for id, p := range n.peers {
		count++
		sum += p.load
		most = max(most, p.load)
		any = any || p.seen
		ids = append(ids, id)
	}
	slices.Sort(ids)
	names := make([]string, 0)
	for k, v := range n.votes {
		inverse[v] = k
		names = append(names, k)
		if v == 0 {
			delete(n.votes, k)
		}
	}
	sort.Strings(names)
	least := 1 << 30
	for _, v := range n.votes {
		if v < least {
			least = v
		}
	}
	keys := slices.Collect(maps.Keys(n.peers))
	slices.Sort(keys)
	who, best := sim.NodeID(-1), -1
	for id, p := range n.peers {
		if p.load > best || p.load == best && id < who {
			best, who = p.load, id
		}
	}
	_ = n.anyone() && len(slices.Collect(maps.Keys(n.votes))) > 0
	n.votes = maps.Collect(maps.All(n.votes))
	for id := range n.peers {
		n.drop(id)
	}
}

func (n *node) anyone() bool {
	for _, p := range n.peers {
		if p.seen {
			return true
		}
	}
	return false
}

func (n *node) drop(id sim.NodeID) { delete(n.peers, id) }

// Generic code over maps is looked at, too.
func each[M ~map[K]V, K comparable, V any](env sim.Env, m M) {
	for k := range m { // want "calls sim.Env.Send"
		env.Send(0, k)
	}
}
