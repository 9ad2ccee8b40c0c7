package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// mostPermutations is how many permutations of nodes there may be.
const mostPermutations = 5040

// symmetry merges states that are the same but for a permutation of nodes that have one role. A permutation moves what a node holds, and what is in flight to it, to
// another one as it is, and renames the senders of what is in flight; nothing within local states and messages is renamed. So the graph has to
// be shown to be the same under all permutations: this is done for all steps, sets and crashes that are known, for how runs begin, for what monitors
// make of what they hear, and for properties in all states that are visited. What shows that it is not is the witness against the claim.
//
// All that is known of a node is known of those that it may be exchanged with, and what a reduction relies on is decided for all of them. So
// the states that stand for others, with all others, and the same choices in each, are a reduced graph of the system.
type symmetry struct {
	r       *reduction
	perms   [][]sim.NodeID      // all but the identity: where each node goes
	moved   []map[uint32]uint32 // by permutation: where local states go
	sites   [][][]uint32        // by permutation and node: the node configurations that node configurations go to, plus one
	refs    []uint32            // by node: the local state in which it began, plus one
	witness string              // against the claim; "": there is none
	image   []uint32            // scratch
	least   []uint32            // scratch
	values  []bool              // scratch
	asked   int                 // how much of the tables of monitors was compared
}

// rolesOf returns the nodes of each role that has several.
func rolesOf(sys *sim.System) (roles [][]sim.NodeID, names []string) {
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

// newSymmetry says why there is none, or returns one.
func newSymmetry(r *reduction) (s permuter, why string) {
	sys := r.w.sys
	roles, names := rolesOf(sys)
	if len(roles) == 0 {
		return nil, "no role (System.Roles) has several nodes"
	}
	if len(sys.State) > 0 {
		return nil, "rules for the state (System.State) may hide what a node is"
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
	made := &symmetry{r: r, refs: make([]uint32, sys.Nodes)}
	for _, p := range permutations([][]sim.NodeID{all}, roles) {
		if !slices.Equal(p, all) {
			made.perms = append(made.perms, p)
			made.moved = append(made.moved, map[uint32]uint32{})
			made.sites = append(made.sites, make([][]uint32, sys.Nodes))
		}
	}
	return made, ""
}

func (s *symmetry) permutations() [][]sim.NodeID { return s.perms }

// refutation says why nodes are not interchangeable; "": so far they are.
func (s *symmetry) refutation() string { return s.witness }

// permutations are those in all, followed by each permutation of each role.
func permutations(all [][]sim.NodeID, roles [][]sim.NodeID) [][]sim.NodeID {
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

// refute notes the first witness against the claim: the states are to be explored once more, without.
func (s *symmetry) refute(format string, args ...any) {
	if s.witness == "" {
		s.witness = fmt.Sprintf(format, args...)
		s.r.err = errAgain
	}
}

// local is where a permutation moves a local state to.
func (s *symmetry) local(k int, id uint32) uint32 {
	e := s.r.w.engine
	node := e.locals.list[id].node
	to := s.perms[k][node]
	if to == node {
		return id
	}
	next, ok := s.moved[k][id]
	if !ok {
		if next, ok = s.move(to, id); !ok {
			next = e.initial[to] // as good as any
		}
		s.moved[k][id] = next
	}
	return next
}

// move makes the local state of a node one of another node.
func (s *symmetry) move(to sim.NodeID, id uint32) (next uint32, ok bool) {
	e := s.r.w.engine
	from := e.locals.list[id]
	moved, err := e.bench.Moved(to, from.state)
	if err != nil {
		s.refute("the state of n%d cannot be copied, so that it cannot be compared with that of n%d: %v", from.node, to, err)
		return 0, false
	}
	unlisted := e.unlisted
	known := len(e.locals.list)
	next, err = e.intern(to, moved, nil)
	e.unlisted = unlisted
	if err != nil {
		s.refute("n%d cannot be in a state that n%d may be in: %v", to, from.node, err)
		return 0, false
	}
	l := &e.locals.list[next]
	if int(next) == known {
		l.moved = true
	}
	if l.enc[1:] != from.enc[1:] {
		s.refute("the state of n%d holds times of its clock, which mean nothing to n%d", from.node, to)
		return 0, false
	}
	if ref := s.refs[to]; ref > 0 && int(next) == known && l.state.Up() && !s.r.mutated(noHidden) {
		if hidden := hides(e.locals.list[ref-1].state.Service(), l.state.Service()); hidden != "" {
			s.refute("n%d and n%d differ in %s, which is not part of the state that is compared", from.node, to, hidden)
			return 0, false
		}
	}
	return next, true
}

// act is what a permutation makes of an event of a node.
func (s *symmetry) act(p []sim.NodeID, node int, a uint32) uint32 {
	r := s.r
	x := r.nodes[node].acts[a]
	switch x.kind {
	case sim.Deliver:
		x.from = p[x.from]
	case sim.TakeQuorum:
		x.msg = s.set(p, x.msg)
	}
	return r.nodes[p[node]].id(x)
}

// set is what a permutation makes of a set that a quorum takes.
func (s *symmetry) set(p []sim.NodeID, id uint32) uint32 {
	old := s.r.w.quorums.sets[id]
	next := assembled{quorum: old.quorum}
	order := make([]int, len(old.from))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(p[old.from[a]]) - int(p[old.from[b]]) })
	for _, i := range order {
		next.from, next.msgs = append(next.from, p[old.from[i]]), append(next.msgs, old.msgs[i])
	}
	return s.r.w.setOf(next)
}

// site is where a permutation moves a node configuration to.
func (s *symmetry) site(k, node int, id uint32) uint32 {
	known := s.sites[k][node]
	for int(id) >= len(known) {
		known = append(known, 0)
		s.sites[k][node] = known
	}
	if known[id] > 0 {
		return known[id] - 1
	}
	r, p := s.r, s.perms[k]
	here := r.sites.tables[node].list[id]
	bag := uint32(0)
	for _, it := range r.w.inboxes.list[here.inbox].items {
		if bag = r.w.inboxes.sent(bag, p[it.from], it.msg); bag == overrun {
			s.refute("messages in flight to n%d do not fit at n%d", node, p[node])
			bag = 0
		}
	}
	next := r.sites.config(int(p[node]), s.local(k, here.local), bag)
	s.sites[k][node][id] = next + 1
	return next
}

// permute makes image the state that a permutation moves v to.
func (s *symmetry) permute(k int, v []uint32) []uint32 {
	s.image = append(s.image[:0], v...)
	for node, to := range s.perms[k] {
		s.image[to] = s.site(k, node, v[node])
	}
	return s.image
}

// canonicalize replaces a state by the one that stands for it, the least of those that permutations move it to. It returns the permutation; -1: it stands for itself.
func (s *symmetry) canonicalize(v []uint32) (by int) {
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

// all reports whether a claim holds for all that permutations make of it.
func (s *symmetry) all(l *assumptions, c claim, decide func(claim) bool) bool {
	ok, known := l.all[c]
	if known {
		return ok
	}
	ok = l.holds(c, decide)
	node := s.r.local(c.local).node
	for k := 0; ok && k < len(s.perms) && !s.r.mutated(noSameClaims); k++ {
		ok = l.holds(claim{s.local(k, c.local), s.act(s.perms[k], node, c.act)}, decide)
	}
	l.all[c] = ok
	return ok
}

// cover has what was covered count for all that permutations make of it.
func (s *symmetry) cover() {
	r := s.r
	leaves := &r.w.steps.leaves
	for node := range r.nodes {
		for _, id := range r.nodes[node].met {
			l := r.local(id)
			for _, a := range l.known {
				of := l.steps[a]
				for k := 0; of != nil && k < len(s.perms) && !r.mutated(noSameCover); k++ {
					there := r.step(s.local(k, id), s.act(s.perms[k], node, a))
					for i := 0; there != nil && i < len(there.list) && i < len(of.list); i++ {
						if leaves.at(of.list[i].leaf).met {
							leaves.at(there.list[i].leaf).met = true
						}
					}
				}
			}
		}
	}
}
