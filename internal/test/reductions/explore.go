package reductions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/symmetry"
	"github.com/macemc/macemc/sim"
)

// States is an exploration with the fingerprints of its states.
type States struct {
	*table.Exploration
	Terminal map[graph.Fingerprint]bool // states in which only the remaining faults can happen
	Orbits   map[graph.Fingerprint]bool // states up to permutations of nodes of one role; empty without roles
}

// terminals notes the terminal states of a graph.
type terminals struct {
	graph.Graph
	sites *statespace.NodeConfigs
	met   map[graph.Fingerprint]bool
	roles [][]sim.NodeID             // compare states up to permutations of these
	all   map[graph.Fingerprint]bool // expanded states, if not nil

	perms [][]sim.NodeID
	texts map[moved]string
}

// moved is what a permutation makes of a node and its messages.
type moved struct {
	permutation, node int
	place             uint32
	terminal          bool
}

func (t *terminals) Expand(state []uint32, number int, e *graph.Edges) error {
	if number == 0 {
		clear(t.met) // of the round before
		clear(t.all)
	}
	if t.all != nil {
		t.all[t.orbit(state, false)] = true
	}
	e.By = 0 // all edges are wanted
	from := len(e.Ends)
	err := t.Graph.Expand(state, number, e)
	for _, note := range e.Notes[from:] {
		if note&graph.Recovery != 0 {
			return err
		}
	}
	if t.roles != nil {
		t.met[t.orbit(state, true)] = true
		return err
	}
	f := t.sites.Fingerprint(state)
	f = f.Sub(t.sites.WordShare(t.sites.Global, state[t.sites.Global]))
	for node := range t.sites.Tables {
		f = f.Sub(t.sites.WordShare(node, state[node])).Add(t.sites.WordShare(node, withoutVotes(t.sites, node, state[node])))
	}
	t.met[f] = true
	return err
}

// orbit is the same for all states that differ by a permutation of nodes of one role; terminal ones also by messages for quorums in flight.
func (t *terminals) orbit(state []uint32, terminal bool) graph.Fingerprint {
	e, s := t.sites.Engine, t.sites
	rest := ""
	for _, id := range state[s.Monitors:s.Global] {
		rest += fmt.Sprintf("%q", e.Monitors.List[id].Enc)
	}
	if f := s.Globals[state[s.Global]]; !terminal { // budgets may be spent in vain
		rest += fmt.Sprint(e.NetGlobals.List[f.Net].State, f.Budget)
	}
	if t.perms == nil {
		nodes := make([]sim.NodeID, len(s.Tables))
		for i := range nodes {
			nodes[i] = sim.NodeID(i)
		}
		t.perms, t.texts = symmetry.Permutations([][]sim.NodeID{nodes}, t.roles), map[moved]string{}
	}
	least, parts := "", make([]string, len(s.Tables))
	for k, p := range t.perms {
		for i, to := range p {
			key := moved{k, i, state[i], terminal}
			text, ok := t.texts[key]
			if !ok {
				text = t.moved(key)
				t.texts[key] = text
			}
			parts[to] = text
		}
		if text := strings.Join(parts, "\n") + rest; least == "" || text < least {
			least = text
		}
	}
	sum := sha256.Sum256([]byte(least))
	return graph.Fingerprint{Lo: binary.LittleEndian.Uint64(sum[:]), Hi: binary.LittleEndian.Uint64(sum[8:])}
}

// moved describes the local state of a node, and the messages to it with their senders.
func (t *terminals) moved(m moved) string {
	e := t.sites.Engine
	here := t.sites.Tables[m.node].List[m.place]
	var flight []string
	for _, it := range e.Inboxes.List[here.Inbox].Items {
		if _, is := e.Contents.List[it.Msg].Body.(Vote); is && m.terminal {
			continue
		}
		flight = append(flight, fmt.Sprintf("%d:%#v", t.perms[m.permutation][it.From], e.Contents.List[it.Msg].Body))
	}
	slices.Sort(flight)
	return fmt.Sprintf("%q %q", e.Locals.List[here.Local].Encoding[1:], flight)
}

// withoutVotes removes from a node configuration the votes that no quorum takes any more: they may be dropped.
func withoutVotes(s *statespace.NodeConfigs, node int, id uint32) uint32 {
	here := s.Tables[node].List[id]
	bag := here.Inbox
	for place := 0; place < len(s.Engine.Inboxes.List[bag].Items); {
		if _, is := s.Engine.Contents.List[s.Engine.Inboxes.List[bag].Items[place].Msg].Body.(Vote); is {
			bag = s.Engine.Inboxes.Without(bag, int32(place))
		} else {
			place++
		}
	}
	return s.Config(node, here.Local, bag)
}

// Explore explores a system, and collects the fingerprints of its states.
func Explore(sys *sim.System, opts options.Options) (*States, error) {
	s := &States{Terminal: map[graph.Fingerprint]bool{}, Orbits: map[graph.Fingerprint]bool{}}
	roles, _ := symmetry.RolesOf(sys)
	opts.SkipRehearsal, opts.MaxBytes = true, cmp.Or(opts.MaxBytes, 512<<20)
	opts.Wrap = func(g graph.Graph) graph.Graph {
		t := &terminals{Graph: g, met: s.Terminal, roles: roles}
		if roles != nil {
			t.all = s.Orbits
		}
		switch g := g.(type) {
		case *statespace.Graph:
			t.sites = g.Configs
		case *por.ReducedGraph:
			t.sites = g.Configs
		}
		return t
	}
	var err error
	s.Exploration, err = table.Explore(context.Background(), sys, opts)
	if len(sys.Disturbing) > 0 {
		clear(s.Terminal) // recovery identifies them: a disturbing message without effect may be there or not
	}
	return s, err
}
