package table

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// begins compares the states in which runs begin: where a permutation moves one of them to, another one is.
func (s *symmetry) begins(roots [][]uint32) {
	r := s.r
	for _, v := range roots {
		for node := range r.nodes {
			if s.refs[node] == 0 {
				s.refs[node] = r.sites.tables[node].list[v[node]].local + 1
			}
		}
	}
	for k, p := range s.perms {
		for node, to := range p {
			a, b := &r.w.locals.list[s.refs[node]-1], &r.w.locals.list[s.refs[to]-1]
			if !a.state.Up() || !b.state.Up() {
				s.refute("n%d or n%d is down when runs begin", node, to)
				return
			}
			if hidden := hides(b.state.Service(), a.state.Service()); hidden != "" && int(to) != node && !r.mutated(noHidden) {
				s.refute("n%d and n%d differ in %s, which is not part of the state that is compared", node, to, hidden)
				return
			}
		}
		for _, v := range roots {
			image := s.permute(k, v)
			if s.witness != "" || r.mutated(noSameStart) || slices.ContainsFunc(roots, func(o []uint32) bool { return slices.Equal(o, image) }) {
				continue
			}
			for node, to := range p {
				if image[to] != v[to] {
					s.refute("n%d begins otherwise than n%d%s", to, node, s.fields(r.sites.tables[to].list[v[to]].local, r.sites.tables[to].list[image[to]].local))
					return
				}
			}
		}
	}
}

// fields says in what two local states of a node differ.
func (s *symmetry) fields(is, other uint32) (text string) {
	e := s.r.w.engine
	a, b := &e.locals.list[is], &e.locals.list[other]
	for i, c := range encoding.Diff(e.fieldsOf(b.node, b.state), e.fieldsOf(a.node, a.state)) {
		if i == 2 {
			return text + ", ..."
		}
		text += fmt.Sprintf("; %s is %s, not %s", c.Path, shown(c.New), shown(c.Old))
	}
	return text
}

// meets makes known that nodes may be in the local states that one may be moved to, and compares what can happen there.
func (s *symmetry) meets(id uint32) {
	r := s.r
	l := r.local(id)
	for k, p := range s.perms {
		other := s.local(k, id)
		if s.witness != "" || other == id && int(p[l.node]) != l.node {
			return
		}
		if other == id {
			continue
		}
		m := r.local(other)
		if !m.met {
			r.add(other, m)
		}
		same := l.up == m.up && len(l.own) == len(m.own) && r.w.mayCrash(l.node) == r.w.mayCrash(m.node) && r.w.mayHalt(l.node) == r.w.mayHalt(m.node)
		for i := 0; same && i < len(l.own); i++ {
			x, y := l.events[i], m.events[i]
			x.Node, y.Node = 0, 0
			same = s.act(p, l.node, l.own[i]) == m.own[i] && x == y
		}
		if !same && !r.mutated(noSameEvents) {
			s.refute("n%d and n%d cannot do the same in one state: actions and timers, or who may crash, differ", l.node, m.node)
			return
		}
		if l.up && r.w.sys.Crashes > 0 && r.w.mayCrash(l.node) && !r.mutated(noSameCrashes) && !s.crashes(k, id, other) {
			s.refute("n%d and n%d are not the same once they have crashed in one state", l.node, m.node)
			return
		}
	}
}

// crashes reports whether crashes between steps come to the same.
func (s *symmetry) crashes(k int, id, other uint32) bool {
	e := s.r.w.engine
	for kept := range e.locals.list[id].state.Unsynced() + 1 {
		a, err := e.crashed(id, kept)
		b, err2 := e.crashed(other, kept)
		if err != nil || err2 != nil || s.local(k, a) != b {
			return false
		}
	}
	return true
}

// knows makes a step known of all nodes that it may be moved to, and compares what it does.
func (s *symmetry) knows(id, a uint32) {
	r := s.r
	node := r.local(id).node
	for k, p := range s.perms {
		other, b := s.local(k, id), s.act(p, node, a)
		if s.witness != "" {
			return
		}
		if l := r.local(other); !l.knows[b] {
			r.learn(other, l, b)
		}
		if how := s.differ(k, id, a, other, b); how != "" && s.witness == "" && !r.mutated(noSameSteps) {
			s.refute("%s, and %s in the same state: %s (n0, n1, ... being %v)", r.does(id, a), r.does(other, b), how, p)
		}
		if s.witness != "" {
			return
		}
	}
}

// differ says in what a step differs from what a permutation makes of it; "": in nothing.
func (s *symmetry) differ(k int, id, a, other, b uint32) string {
	r := s.r
	x, y := r.step(id, a), r.step(other, b)
	switch {
	case x == nil && y == nil:
		return ""
	case x == nil || y == nil:
		return "only one of them can"
	case x.unsure || y.unsure:
		return "not all that may come of it can be looked at"
	case len(x.list) != len(y.list):
		return "they ask for other choices"
	}
	for i := range x.list {
		p, q := &x.list[i], &y.list[i]
		switch {
		case !slices.Equal(p.picks, q.picks):
			return "they ask for other choices"
		case p.failed != q.failed:
			return "only one of them fails"
		case p.ordinary != q.ordinary:
			return "only one of them is a way to a live state"
		case p.failed:
			continue
		case !slices.Equal(p.tells, q.tells):
			return "they announce something else"
		case !slices.Equal(s.sends(k, p.sends), q.sends):
			return "they send something else, or not to nodes that go together"
		}
		if next := s.local(k, p.next); next != q.next {
			return "they come to different states" + s.fields(q.next, next)
		}
		if !r.mutated(noSameCuts) && !s.crashesInside(k, id, other, p, q) {
			if r.w.sys.CrashCut == sim.CutSubset {
				return "their effects are in another order, and crashes inside are compared in that order, with crash cut subset too"
			}
			return "a crash inside the step, between two of its effects, tells them apart"
		}
	}
	return ""
}

// sends is what a permutation makes of datagrams.
func (s *symmetry) sends(k int, sends []effectOp) []effectOp {
	p := s.perms[k]
	out := make([]effectOp, len(sends))
	for i, o := range sends {
		d := s.r.sites.tables[o.peer].all[o.index]
		out[i] = effectOp{uint32(p[o.peer]), s.r.sites.datagramTo(p[o.peer], p[d.from], d.msg)}
	}
	slices.SortFunc(out, func(a, b effectOp) int { return cmp.Or(cmp.Compare(a.peer, b.peer), cmp.Compare(a.index, b.index)) })
	return out
}

// crashesInside reports whether crashes and halts inside a step, between two of its effects, come to the same.
func (s *symmetry) crashesInside(k int, id, other uint32, p, q *outcome) bool {
	e := s.r.w.engine
	a, b := e.steps.leaves.at(p.leaf), e.steps.leaves.at(q.leaf)
	node, to := sim.NodeID(s.r.local(id).node), sim.NodeID(s.r.local(other).node)
	crashes := e.sys.Crashes > 0 && e.mayCrash(int(node))
	if !crashes && !(e.sys.Halts > 0 && e.mayHalt(int(node))) {
		return true
	}
	if a.outlast != b.outlast || a.heard != b.heard || a.outlast == 0 && a.heard == 0 {
		return a.outlast == b.outlast && a.heard == b.heard
	}
	if len(a.effects) != len(b.effects) || len(a.ops) != len(b.ops) {
		return false
	}
	for i := range a.ops {
		x, y := a.ops[i], b.ops[i]
		if x.kind == kernel.SendEffect {
			x.peer = s.perms[k][x.peer]
		}
		if x.kind != y.kind || x.at != y.at || x.id != y.id || x.kind == kernel.SendEffect && x.peer != y.peer {
			return false
		}
	}
	for at := range a.effects {
		if a.effects[at].Kind != b.effects[at].Kind {
			return false
		}
	}
	if !crashes {
		return true
	}
	for _, way := range e.cutsOf(a, kernel.EffectKind.Outlasts) {
		c := a.cut(way)
		outcomes := e.crashedInside(node, p.leaf, c).outcomes
		if e.crashedInside(to, q.leaf, c).outcomes != outcomes {
			return false
		}
		for kept := range outcomes {
			x, err := e.survived(node, p.leaf, c, kept)
			y, err2 := e.survived(to, q.leaf, c, kept)
			if err != nil || err2 != nil || s.local(k, x) != y {
				return false
			}
		}
	}
	return true
}

// settles compares what hangs on all that is known: what quorums take of all that was ever sent, and what monitors make of what they hear.
func (s *symmetry) settles() {
	for node := range s.r.nodes {
		if s.r.mutated(noSameSets) {
			break
		}
		for _, id := range slices.Clone(s.r.nodes[node].met) {
			if s.witness == "" && s.r.w.quorums.any && s.r.local(id).up {
				s.takes(id)
			}
		}
	}
	for s.witness == "" && !s.r.mutated(noSameHearing) && s.asked < len(s.r.w.monitors.outs) {
		s.asked = len(s.r.w.monitors.outs)
		for _, slot := range slices.Clone(s.r.w.monitors.sees.slots) {
			if slot.key > 0 && s.witness == "" {
				s.hears(slot.key - 1)
			}
		}
	}
}

// takes compares the sets that quorums take in a local state.
func (s *symmetry) takes(id uint32) {
	r := s.r
	l := r.local(id)
	can := r.possible(id)
	for k, p := range s.perms {
		other := s.local(k, id)
		there := r.possible(other)
		same := can.unknown == there.unknown && len(can.acts) == len(there.acts)
		for i := 0; same && i < len(can.acts); i++ {
			same = slices.Contains(there.acts, s.act(p, l.node, can.acts[i]))
		}
		for _, it := range r.nodes[l.node].sent {
			same = same && r.forQuorum(id, &act{kind: sim.Deliver, from: it.from, msg: it.msg}) ==
				r.forQuorum(other, &act{kind: sim.Deliver, from: p[it.from], msg: it.msg})
		}
		if !same {
			s.refute("quorums of n%d and n%d take other sets in one state", l.node, r.local(other).node)
		}
	}
}

// hears compares what a monitor makes of an event, by whom it is announced.
func (s *symmetry) hears(key uint64) {
	e := s.r.w.engine
	id, event, node := uint32(key>>32), uint32(key)/uint32(e.nodes), sim.NodeID(uint32(key)%uint32(e.nodes))
	next, err := e.observe(id, node, event)
	for _, p := range s.perms {
		other, err2 := e.observe(id, p[node], event)
		if other != next || (err == nil) != (err2 == nil) {
			s.refute("%s makes something else of %+v when n%d announces it than when n%d does", sim.MonitorName(e.monitors.list[id].state), e.events.list[event], p[node], node)
			return
		}
	}
}

// agrees reports whether all properties are the same in a state and in those that permutations move it to.
func (s *symmetry) agrees(v []uint32) bool {
	r := s.r
	if r.mutated(noSameView) {
		return true
	}
	r.sites.unpack(v, r.w.v)
	s.values = s.evaluate(s.values[:0])
	said := len(s.values)
	for k, p := range s.perms {
		r.sites.unpack(s.permute(k, v), r.w.v)
		s.values = s.evaluate(s.values[:said])
		for i := range said {
			if s.values[i] != s.values[said+i] {
				s.refute("property %q does not say the same when nodes are exchanged (n0, n1, ... are %v)", r.properties()[i/2].Name, p)
			}
		}
	}
	r.sites.unpack(v, r.w.v)
	return s.witness == ""
}

// evaluate appends of each property whether it panics and whether it holds.
func (s *symmetry) evaluate(values []bool) []bool {
	for _, p := range s.r.properties() {
		holds, fails := s.value(p.property)
		values = append(values, fails, holds)
	}
	return values
}

func (s *symmetry) value(p *property) (holds, fails bool) {
	defer func() {
		if failed := recover(); failed != nil {
			holds, fails = false, true
			if err, _ := failed.(error); overdue(err) {
				s.refute("property %q does not return", p.Name)
			}
		}
	}()
	return s.r.w.value(p), false
}
