package symmetry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// mostPermutations is the maximum number of permutations of nodes.
const mostPermutations = 5040

// Symmetry merges states that differ by a permutation of nodes of one role. A permutation moves the local state of a
// node and its inbox unchanged to another node, and renames the senders of messages in flight. It renames nothing
// inside local states and messages. Thus the graph must be shown to be invariant under all permutations. This is
// checked for all known steps, sets and crashes, for initial states, for the reactions of monitors to announcements,
// and for properties in all visited states. A difference is the witness against the symmetry.
//
// All known steps of a node are made known for the nodes of its role, and assumptions of a reduction are decided for
// all of them. Thus the representatives, together with their permutations and the same choices in each, are a reduced
// graph of the system.
type Symmetry struct {
	r       *por.ReducedGraph
	perms   [][]sim.NodeID      // all but the identity: the image of each node
	moved   []map[uint32]uint32 // by permutation: the images of local states
	sites   [][][]uint32        // by permutation and node: the images of node configurations, plus one
	refs    []uint32            // by node: its first local state, plus one
	witness string              // against the symmetry, or ""
	image   []uint32            // scratch
	least   []uint32            // scratch
	values  []bool              // scratch
	asked   int                 // size of the compared part of the monitors' tables
}

// RolesOf returns the nodes of each role with several nodes.
func RolesOf(sys *sim.System) (roles [][]sim.NodeID, names []string) {
	if sys.Roles == nil {
		return nil, nil
	}
	by := map[string]int{}
	var all [][]sim.NodeID
	var allNames []string
	for id := range sim.NodeID(sys.Nodes) {
		name := sys.Roles(id)
		if name == "" {
			continue
		}
		k, ok := by[name]
		if !ok {
			k = len(all)
			by[name] = k
			all, allNames = append(all, nil), append(allNames, name)
		}
		all[k] = append(all[k], id)
	}
	for k, nodes := range all {
		if len(nodes) > 1 {
			roles, names = append(roles, nodes), append(names, allNames[k])
		}
	}
	return roles, names
}

// New returns a symmetry, or the reason why there is none.
func New(r *por.ReducedGraph) (s por.Permuter, why string) {
	sys := r.World.Sys
	roles, names := RolesOf(sys)
	if len(roles) == 0 {
		return nil, "no role (System.Roles) has several nodes"
	}
	if len(sys.State) > 0 {
		return nil, "rules for the state (System.State) may hide the identity of a node"
	}
	count := 1
	for _, nodes := range roles {
		for n := 2; n <= len(nodes); n++ {
			if count *= n; count > mostPermutations {
				return nil, fmt.Sprintf("the roles %s have more than %d permutations", strings.Join(names, ", "), mostPermutations)
			}
		}
	}
	all := make([]sim.NodeID, sys.Nodes)
	for i := range all {
		all[i] = sim.NodeID(i)
	}
	made := &Symmetry{r: r, refs: make([]uint32, sys.Nodes)}
	for _, p := range Permutations([][]sim.NodeID{all}, roles) {
		if !slices.Equal(p, all) {
			made.perms = append(made.perms, p)
			made.moved = append(made.moved, map[uint32]uint32{})
			made.sites = append(made.sites, make([][]uint32, sys.Nodes))
		}
	}
	return made, ""
}

func (s *Symmetry) Permutations() [][]sim.NodeID { return s.perms }

// Refutation returns a difference between declared interchangeable nodes, or an empty string while none is known.
func (s *Symmetry) Refutation() string { return s.witness }

// Permutations extends each permutation in all by each permutation of each role.
func Permutations(all [][]sim.NodeID, roles [][]sim.NodeID) [][]sim.NodeID {
	for _, nodes := range roles {
		var next [][]sim.NodeID
		var exchange func(p []sim.NodeID, k int)
		exchange = func(p []sim.NodeID, k int) {
			if k == len(nodes) {
				next = append(next, slices.Clone(p))
				return
			}
			for j := k; j < len(nodes); j++ {
				p[nodes[k]], p[nodes[j]] = p[nodes[j]], p[nodes[k]]
				exchange(p, k+1)
				p[nodes[k]], p[nodes[j]] = p[nodes[j]], p[nodes[k]]
			}
		}
		for _, p := range all {
			exchange(p, 0)
		}
		all = next
	}
	return all
}

// Refute records the first witness against the symmetry. The states are explored again without it.
func (s *Symmetry) Refute(format string, args ...any) {
	if s.witness == "" {
		s.witness = fmt.Sprintf(format, args...)
		s.r.Err = por.ErrAgain
	}
}

// PermuteLocal returns the image of a local state.
func (s *Symmetry) PermuteLocal(k int, id uint32) uint32 {
	e := s.r.World.Engine
	node := e.Locals.List[id].Node
	to := s.perms[k][node]
	if to == node {
		return id
	}
	next, ok := s.moved[k][id]
	if !ok {
		if next, ok = s.move(to, id); !ok {
			next = e.Boots.Initial[to] // arbitrary
		}
		s.moved[k][id] = next
	}
	return next
}

// move converts the local state of a node to one of another node.
func (s *Symmetry) move(to sim.NodeID, id uint32) (next uint32, ok bool) {
	e := s.r.World.Engine
	from := e.Locals.List[id]
	moved, err := e.Bench.Moved(to, from.State)
	if err != nil {
		s.Refute("the state of n%d cannot be copied for comparison with that of n%d: %v", from.Node, to, err)
		return 0, false
	}
	unlisted := e.Unlisted
	known := len(e.Locals.List)
	next, err = e.Intern(to, moved, nil)
	e.Unlisted = unlisted
	if err != nil {
		s.Refute("n%d cannot be in a state that n%d may be in: %v", to, from.Node, err)
		return 0, false
	}
	l := &e.Locals.List[next]
	if int(next) == known {
		l.Permuted = true
	}
	if l.Encoding[1:] != from.Encoding[1:] {
		s.Refute("the state of n%d holds times of its clock, which are not valid at n%d", from.Node, to)
		return 0, false
	}
	if ref := s.refs[to]; ref > 0 && int(next) == known && l.State.Up() && !s.r.Mutated(por.NoHidden) {
		if hidden := hides(e.Locals.List[ref-1].State.Service(), l.State.Service()); hidden != "" {
			s.Refute("n%d and n%d differ in %s, which is not part of the state", from.Node, to, hidden)
			return 0, false
		}
	}
	return next, true
}

// PermuteAct returns the image of an event of a node.
func (s *Symmetry) PermuteAct(p []sim.NodeID, node int, a uint32) uint32 {
	r := s.r
	x := r.Nodes[node].Acts[a]
	switch x.Kind {
	case eventkind.Deliver:
		x.From = p[x.From]
	case eventkind.TakeQuorum:
		x.Msg = s.PermuteSet(p, x.Msg)
	}
	return r.Nodes[p[node]].Id(x)
}

// PermuteSet returns the image of a set that a quorum takes.
func (s *Symmetry) PermuteSet(p []sim.NodeID, id uint32) uint32 {
	old := s.r.World.Quorums.Sets[id]
	next := steptree.MessageSet{Quorum: old.Quorum}
	order := make([]int, len(old.From))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(p[old.From[a]]) - int(p[old.From[b]]) })
	for _, i := range order {
		next.From, next.Msgs = append(next.From, p[old.From[i]]), append(next.Msgs, old.Msgs[i])
	}
	return s.r.World.SetOf(next)
}

// site returns the image of a node configuration.
func (s *Symmetry) site(k, node int, id uint32) uint32 {
	known := s.sites[k][node]
	for int(id) >= len(known) {
		known = append(known, 0)
		s.sites[k][node] = known
	}
	if known[id] > 0 {
		return known[id] - 1
	}
	r, p := s.r, s.perms[k]
	here := r.Configs.Tables[node].List[id]
	bag := uint32(0)
	for _, it := range r.World.Inboxes.List[here.Inbox].Items {
		if bag = r.World.Inboxes.AfterSend(bag, p[it.From], it.Msg); bag == store.Overrun {
			s.Refute("messages in flight to n%d do not fit at n%d", node, p[node])
			bag = 0
		}
	}
	next := r.Configs.Config(int(p[node]), s.PermuteLocal(k, here.Local), bag)
	s.sites[k][node][id] = next + 1
	return next
}

// permute sets image to the image of v.
func (s *Symmetry) permute(k int, v []uint32) []uint32 {
	s.image = append(s.image[:0], v...)
	for node, to := range s.perms[k] {
		s.image[to] = s.site(k, node, v[node])
	}
	return s.image
}

// Canonicalize replaces a state by the least of its permutations. It returns the permutation, or -1 if the state is
// the least.
func (s *Symmetry) Canonicalize(v []uint32) (by int) {
	by = -1
	s.least = append(s.least[:0], v...)
	for k := range s.perms {
		if image := s.permute(k, v); slices.Compare(image, s.least) < 0 {
			s.least = append(s.least[:0], image...)
			by = k
		}
	}
	copy(v, s.least)
	return by
}

// HoldsForAll reports whether a claim holds under all permutations.
func (s *Symmetry) HoldsForAll(l *por.Assumptions, c por.Claim, decide func(por.Claim) bool) bool {
	ok, known := l.All[c]
	if known {
		return ok
	}
	ok = l.Holds(c, decide)
	node := s.r.Local(c.Local).Node
	for k := 0; ok && k < len(s.perms) && !s.r.Mutated(por.NoSameClaims); k++ {
		ok = l.Holds(por.Claim{Local: s.PermuteLocal(k, c.Local), Act: s.PermuteAct(s.perms[k], node, c.Act)}, decide)
	}
	l.All[c] = ok
	return ok
}

// AddCoverage counts the permutations of covered steps as covered.
func (s *Symmetry) AddCoverage() {
	r := s.r
	leaves := &r.World.Trees.Leaves
	for node := range r.Nodes {
		for _, id := range r.Nodes[node].Reached {
			l := r.Local(id)
			for _, a := range l.Known {
				of := l.Steps[a]
				for k := 0; of != nil && k < len(s.perms) && !r.Mutated(por.NoSameCover); k++ {
					there := r.Step(s.PermuteLocal(k, id), s.PermuteAct(s.perms[k], node, a))
					for i := 0; there != nil && i < len(there.List) && i < len(of.List); i++ {
						if leaves.At(of.List[i].Leaf).Taken {
							leaves.At(there.List[i].Leaf).Taken = true
						}
					}
				}
			}
		}
	}
}
