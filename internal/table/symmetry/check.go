package symmetry

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// CompareRoots checks that permutations map initial states to initial states.
func (s *Symmetry) CompareRoots(roots [][]uint32) {
	r := s.r
	for _, v := range roots {
		for node := range r.Nodes {
			if s.refs[node] == 0 {
				s.refs[node] = r.Configs.Tables[node].List[v[node]].Local + 1
			}
		}
	}
	for k, p := range s.perms {
		for node, to := range p {
			a, b := &r.World.Locals.List[s.refs[node]-1], &r.World.Locals.List[s.refs[to]-1]
			if !a.State.Up() || !b.State.Up() {
				s.Refute("n%d or n%d is down in the initial state", node, to)
				return
			}
			if hidden := hides(b.State.Service(), a.State.Service()); hidden != "" && int(to) != node && !r.Mutated(por.NoHidden) {
				s.Refute("n%d and n%d differ in %s, which is not part of the state", node, to, hidden)
				return
			}
		}
		for _, v := range roots {
			image := s.permute(k, v)
			if s.witness != "" || r.Mutated(por.NoSameStart) || slices.ContainsFunc(roots, func(o []uint32) bool { return slices.Equal(o, image) }) {
				continue
			}
			for node, to := range p {
				if image[to] != v[to] {
					s.Refute("n%d starts in another state than n%d%s", to, node,
						s.fields(r.Configs.Tables[to].List[v[to]].Local, r.Configs.Tables[to].List[image[to]].Local))
					return
				}
			}
		}
	}
}

// fields describes the differences of two local states of a node.
func (s *Symmetry) fields(is, other uint32) (text string) {
	e := s.r.World.Engine
	a, b := &e.Locals.List[is], &e.Locals.List[other]
	for i, c := range diff.Between(e.FieldsOf(b.Node, b.State), e.FieldsOf(a.Node, a.State)) {
		if i == 2 {
			return text + ", ..."
		}
		text += fmt.Sprintf("; %s is %s, not %s", c.Path, store.ValueText(c.New), store.ValueText(c.Old))
	}
	return text
}

// CompareLocal makes the permutations of a local state known, and compares their enabled events.
func (s *Symmetry) CompareLocal(id uint32) {
	r := s.r
	l := r.Local(id)
	for k, p := range s.perms {
		other := s.PermuteLocal(k, id)
		if s.witness != "" || other == id && int(p[l.Node]) != l.Node {
			return
		}
		if other == id {
			continue
		}
		m := r.Local(other)
		if !m.Reached {
			r.Add(other, m)
		}
		same := l.Up == m.Up && len(l.Own) == len(m.Own) && r.World.Failures.MayCrash(l.Node) == r.World.Failures.MayCrash(m.Node) &&
			r.World.Failures.MayHalt(l.Node) == r.World.Failures.MayHalt(m.Node)
		for i := 0; same && i < len(l.Own); i++ {
			x, y := l.Events[i], m.Events[i]
			x.Node, y.Node = 0, 0
			same = s.PermuteAct(p, l.Node, l.Own[i]) == m.Own[i] && x == y
		}
		if !same && !r.Mutated(por.NoSameEvents) {
			s.Refute("n%d and n%d have different actions, timers or crashes in one state", l.Node, m.Node)
			return
		}
		if l.Up && r.World.Sys.Crashes > 0 && r.World.Failures.MayCrash(l.Node) && !r.Mutated(por.NoSameCrashes) && !s.crashes(k, id, other) {
			s.Refute("n%d and n%d are in different states after a crash in one state", l.Node, m.Node)
			return
		}
	}
}

// crashes reports whether crashes between steps lead to corresponding states.
func (s *Symmetry) crashes(k int, id, other uint32) bool {
	e := s.r.World.Engine
	for kept := range e.Locals.List[id].State.Unsynced() + 1 {
		a, err := e.Crashed(id, kept)
		b, err2 := e.Crashed(other, kept)
		if err != nil || err2 != nil || s.PermuteLocal(k, a) != b {
			return false
		}
	}
	return true
}

// CompareStep makes the permutations of a step known, and compares their outcomes.
func (s *Symmetry) CompareStep(id, a uint32) {
	r := s.r
	node := r.Local(id).Node
	for k, p := range s.perms {
		other, b := s.PermuteLocal(k, id), s.PermuteAct(p, node, a)
		if s.witness != "" {
			return
		}
		if l := r.Local(other); !l.Knows[b] {
			r.Learn(other, l, b)
		}
		if how := s.differ(k, id, a, other, b); how != "" && s.witness == "" && !r.Mutated(por.NoSameSteps) {
			s.Refute("%s, and %s in the same state: %s (n0, n1, ... being %v)", r.StepText(id, a), r.StepText(other, b), how, p)
		}
		if s.witness != "" {
			return
		}
	}
}

// differ describes how a step differs from its permutation, or returns "".
func (s *Symmetry) differ(k int, id, a, other, b uint32) string {
	r := s.r
	x, y := r.Step(id, a), r.Step(other, b)
	switch {
	case x == nil && y == nil:
		return ""
	case x == nil || y == nil:
		return "only one of them can"
	case x.Unsure || y.Unsure:
		return "not all outcomes are known"
	case len(x.List) != len(y.List):
		return "they make other choices"
	}
	for i := range x.List {
		p, q := &x.List[i], &y.List[i]
		switch {
		case !slices.Equal(p.Picks, q.Picks):
			return "they make other choices"
		case p.Failed != q.Failed:
			return "only one of them fails"
		case p.Ordinary != q.Ordinary:
			return "only one of them counts as recovery"
		case p.Failed:
			continue
		case !slices.Equal(p.Announced, q.Announced):
			return "their announcements differ"
		case !slices.Equal(s.sends(k, p.Sends), q.Sends):
			return "their messages or the receivers differ"
		}
		if next := s.PermuteLocal(k, p.Next); next != q.Next {
			return "they lead to different states" + s.fields(q.Next, next)
		}
		if !r.Mutated(por.NoSameCuts) && !s.crashesInside(k, id, other, p, q) {
			if r.World.Sys.CrashCut == sim.CutSubset {
				return "their effects are in another order, which matters to crashes inside the step, also with crash cut subset"
			}
			return "a crash inside the step, between two of its effects, leads to different states"
		}
	}
	return ""
}

// sends returns the permutation of datagrams.
func (s *Symmetry) sends(k int, sends []statespace.EffectOp) []statespace.EffectOp {
	p := s.perms[k]
	out := make([]statespace.EffectOp, len(sends))
	for i, o := range sends {
		d := s.r.Configs.Tables[o.Peer].All[o.Index]
		out[i] = statespace.EffectOp{Peer: uint32(p[o.Peer]), Index: s.r.Configs.DatagramTo(p[o.Peer], p[d.From], d.Msg)}
	}
	slices.SortFunc(out, func(a, b statespace.EffectOp) int {
		return cmp.Or(cmp.Compare(a.Peer, b.Peer), cmp.Compare(a.Index, b.Index))
	})
	return out
}

// crashesInside reports whether crashes and halts between two effects of a step lead to corresponding states.
func (s *Symmetry) crashesInside(k int, id, other uint32, p, q *por.Outcome) bool {
	e := s.r.World.Engine
	a, b := e.Trees.Leaves.At(p.Leaf), e.Trees.Leaves.At(q.Leaf)
	node, to := sim.NodeID(s.r.Local(id).Node), sim.NodeID(s.r.Local(other).Node)
	crashes := e.Sys.Crashes > 0 && e.Failures.MayCrash(int(node))
	if !crashes && !(e.Sys.Halts > 0 && e.Failures.MayHalt(int(node))) {
		return true
	}
	if a.CrashCuts != b.CrashCuts || a.HaltCuts != b.HaltCuts || a.CrashCuts == 0 && a.HaltCuts == 0 {
		return a.CrashCuts == b.CrashCuts && a.HaltCuts == b.HaltCuts
	}
	if len(a.Effects) != len(b.Effects) || len(a.Ops) != len(b.Ops) {
		return false
	}
	for i := range a.Ops {
		x, y := a.Ops[i], b.Ops[i]
		if x.Kind == stepinfo.SendEffect {
			x.Peer = s.perms[k][x.Peer]
		}
		if x.Kind != y.Kind || x.At != y.At || x.ID != y.ID || x.Kind == stepinfo.SendEffect && x.Peer != y.Peer {
			return false
		}
	}
	for at := range a.Effects {
		if a.Effects[at].Kind != b.Effects[at].Kind {
			return false
		}
	}
	if !crashes {
		return true
	}
	for _, way := range e.CutsOf(a, stepinfo.EffectKind.SurvivesCrash) {
		c := a.CutOf(way)
		outcomes := e.CrashedInside(node, p.Leaf, c).Outcomes
		if e.CrashedInside(to, q.Leaf, c).Outcomes != outcomes {
			return false
		}
		for kept := range outcomes {
			x, err := e.Survived(node, p.Leaf, c, kept)
			y, err2 := e.Survived(to, q.Leaf, c, kept)
			if err != nil || err2 != nil || s.PermuteLocal(k, x) != y {
				return false
			}
		}
	}
	return true
}

// CompareAll compares what depends on all known steps: the sets that quorums take of all messages ever sent, and
// the reactions of monitors to announcements.
func (s *Symmetry) CompareAll() {
	for node := range s.r.Nodes {
		if s.r.Mutated(por.NoSameSets) {
			break
		}
		for _, id := range slices.Clone(s.r.Nodes[node].Reached) {
			if s.witness == "" && s.r.World.Quorums.Any && s.r.Local(id).Up {
				s.takes(id)
			}
		}
	}
	for s.witness == "" && !s.r.Mutated(por.NoSameHearing) && s.asked < len(s.r.World.Monitors.Outs) {
		s.asked = len(s.r.World.Monitors.Outs)
		for _, slot := range slices.Clone(s.r.World.Monitors.Sees.Slots) {
			if slot.Key > 0 && s.witness == "" {
				s.hears(slot.Key - 1)
			}
		}
	}
}

// takes compares the sets that quorums take in a local state.
func (s *Symmetry) takes(id uint32) {
	r := s.r
	l := r.Local(id)
	can := r.Possible(id)
	for k, p := range s.perms {
		other := s.PermuteLocal(k, id)
		there := r.Possible(other)
		same := can.Unknown == there.Unknown && len(can.Acts) == len(there.Acts)
		for i := 0; same && i < len(can.Acts); i++ {
			same = slices.Contains(there.Acts, s.PermuteAct(p, l.Node, can.Acts[i]))
		}
		for _, it := range r.Nodes[l.Node].Sent {
			same = same && r.ForQuorum(id, &por.Act{Kind: eventkind.Deliver, From: it.From, Msg: it.Msg}) ==
				r.ForQuorum(other, &por.Act{Kind: eventkind.Deliver, From: p[it.From], Msg: it.Msg})
		}
		if !same {
			s.Refute("quorums of n%d and n%d take other sets in one state", l.Node, r.Local(other).Node)
		}
	}
}

// hears compares the reactions of a monitor to an announcement by different nodes.
func (s *Symmetry) hears(key uint64) {
	e := s.r.World.Engine
	id, event, node := uint32(key>>32), uint32(key)/uint32(e.Nodes), sim.NodeID(uint32(key)%uint32(e.Nodes))
	next, err := e.Observe(id, node, event)
	for _, p := range s.perms {
		other, err2 := e.Observe(id, p[node], event)
		if other != next || (err == nil) != (err2 == nil) {
			s.Refute("%s handles %+v of n%d differently from that of n%d", sim.MonitorName(e.Monitors.List[id].State),
				e.Announcements.List[event], p[node], node)
			return
		}
	}
}

// CompareProperties reports whether all properties have the same values in a state and in its permutations.
func (s *Symmetry) CompareProperties(v []uint32) bool {
	r := s.r
	if r.Mutated(por.NoSameView) {
		return true
	}
	r.Configs.Unpack(v, r.World.Vector)
	s.values = s.evaluate(s.values[:0])
	count := len(s.values)
	for k, p := range s.perms {
		r.Configs.Unpack(s.permute(k, v), r.World.Vector)
		s.values = s.evaluate(s.values[:count])
		for i := range count {
			if s.values[i] != s.values[count+i] {
				s.Refute("property %q has another value when nodes are exchanged (n0, n1, ... are %v)", r.Properties()[i/2].Name, p)
			}
		}
	}
	r.Configs.Unpack(v, r.World.Vector)
	return s.witness == ""
}

// evaluate appends for each property whether it panics and whether it holds.
func (s *Symmetry) evaluate(values []bool) []bool {
	for _, p := range s.r.Properties() {
		holds, fails := s.value(p.Property)
		values = append(values, fails, holds)
	}
	return values
}

func (s *Symmetry) value(p *world.Property) (holds, fails bool) {
	defer func() {
		if failed := recover(); failed != nil {
			holds, fails = false, true
			if err, _ := failed.(error); store.IsOverdue(err) {
				s.Refute("property %q does not return", p.Name)
			}
		}
	}()
	return s.r.World.Value(p), false
}
