// Package reductions draws random systems, and compares explorations that leave states out with explorations of all
// states.
package reductions

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// drawn is a service with behavior given by a random table.
type drawn struct {
	Phase, Count int
	me           int
	rules        *randomRules `macemc:"-"`
}

type note struct{ Type, Left int }

// Vote is a message for quorums. Those that no quorum takes any more do not distinguish states of [States].
type Vote struct{ Type, Left int }

// voteTypes is how many types of votes there are, and votings how many quorums may take them.
const voteTypes, votings = 2, 2

type alarm struct{ Kind int }

// Heard is an announcement.
type Heard struct{ What int }

// randomRules are what the nodes of a system do.
type randomRules struct {
	phases, types, nodes int
	keeps                bool // the phase is written to the disk
	on                   [][][]rule
	votes                bool
	votings              []voting
	boots                [][]int // by node: receivers of messages at boot, or nil
}

// voting selects the votes that a quorum takes.
type voting struct {
	need   []int // by phase
	fits   []int // by phase: the type of votes; voteTypes: any
	from   []int // by phase: what the numbers of senders are divided by
	keyed  bool
	guard  int // 0: none, 1: the sum of types is even, 2: that, and sets have any size
	second int // the sum of types from which on the second rule is followed
}

// Classes of rules, behind those of messages by type.
const (
	doing = iota
	firing
	firingOther
	voted
	receiving = voted + 2*votings
)

type rule struct {
	phase     int // -1: it stays
	count     bool
	only      int // if the count is that; -1: always
	draw      int // 0: none; otherwise the phase is one of two, and the second may have weight 0
	sends     [][2]int
	arm, stop int // -1: none
	announce  int // -1: none
	sync      bool
	fails     int // the count at which it does; -1: none
}

func (s *drawn) do(env sim.Env, r *rule, left int) {
	if r.only >= 0 && s.Count != r.only {
		return
	}
	if r.phase >= 0 {
		s.Phase = r.phase
	}
	switch r.draw {
	case 1:
		s.Phase = (s.Phase + env.Choose("phase", 2)) % s.rules.phases
	case 2:
		s.Phase = (s.Phase + env.ChooseWeighted("phase", 1, 0)) % s.rules.phases
	}
	if r.count && s.Count < 3 {
		s.Count++
	}
	for _, x := range r.sends {
		switch {
		case left == 0:
		case x[1] < s.rules.types:
			env.Send(sim.NodeID(x[0]), note{x[1], left - 1})
		default:
			env.Send(sim.NodeID(x[0]), Vote{x[1] - s.rules.types, left - 1})
		}
	}
	if r.arm >= 0 {
		env.SetTimer(alarm{r.arm}, time.Duration(r.arm+1)*time.Second)
	}
	if r.stop >= 0 {
		env.StopTimer(alarm{r.stop})
	}
	if s.rules.keeps {
		env.Disk().Put("phase", []byte{byte(s.Phase)})
		if r.sync || s.rules.votes { // otherwise unsynced writes are unbounded, when sets are taken again and again
			env.Disk().Sync()
		}
	}
	if r.announce >= 0 {
		env.Announce(Heard{r.announce})
	}
	env.Assert(r.fails < 0 || s.Count != r.fails, "the count is %d", r.fails)
}

func (s *drawn) Boot(env sim.Env) {
	if b, ok := env.Disk().Get("phase"); ok {
		s.Phase = int(b[0])
	}
	if s.me%2 == 0 {
		env.SetTimer(alarm{0}, time.Second)
	}
	if s.rules.boots != nil {
		for _, to := range s.rules.boots[s.me] {
			env.Send(sim.NodeID(to), note{0, 1})
		}
	}
}

func (s *drawn) rule(class int) *rule { return &s.rules.on[s.me][s.Phase][class] }

func (s *drawn) Receive(env sim.Env, _ sim.NodeID, msg any) {
	n := msg.(note)
	s.do(env, s.rule(receiving+n.Type), n.Left)
}

// take is the handler of the quorum with a number.
func (s *drawn) take(env sim.Env, number int, set []sim.From[Vote]) {
	sum, left := 0, 2
	for _, m := range set {
		sum, left = sum+m.Msg.Type, min(left, m.Msg.Left)
	}
	class := voted + 2*number
	if sum >= s.rules.votings[number].second {
		class++
	}
	s.do(env, s.rule(class), left)
}

func (v *voting) quorum(number int) sim.AnyQuorum {
	q := sim.Quorum[*drawn, Vote]{
		Name: fmt.Sprintf("voting %d", number),
		Need: func(s *drawn) int { return v.need[s.Phase] },
		Fits: func(s *drawn, _ sim.NodeID, m Vote) bool {
			return v.fits[s.Phase] == voteTypes || v.fits[s.Phase] == m.Type
		},
		Do: func(s *drawn, env sim.Env, set []sim.From[Vote]) { s.take(env, number, set) },
	}
	if v.keyed {
		q.Key = func(m Vote) any { return m.Type }
	}
	if v.guard > 0 {
		q.Guard = func(s *drawn, set []sim.From[Vote]) bool {
			sum := s.Count
			for _, m := range set {
				sum += m.Msg.Type
			}
			return sum%2 == 0
		}
	}
	if v.guard == 2 {
		q.Need = nil
	}
	return q
}

func drawVoting(r *rand.Rand, p *randomRules, o Odds) (v voting) {
	never := r.IntN(o.never) == 0
	for range p.phases {
		need := r.IntN(3)
		if never && r.IntN(2) == 0 {
			need = -1
		}
		v.need, v.fits = append(v.need, need), append(v.fits, r.IntN(voteTypes+2))
		v.from = append(v.from, 1+r.IntN(2))
	}
	v.keyed, v.guard, v.second = r.IntN(2) == 0, max(0, r.IntN(6)-3), r.IntN(4)
	return v
}

func (s *drawn) Timer(env sim.Env, t any) { s.do(env, s.rule(firing+t.(alarm).Kind), 1) }

// Turns is a monitor that depends on the order of announcements.
type Turns struct{ Last, Same int }

// Observe implements [sim.Monitor].
func (t *Turns) Observe(_ sim.NodeID, ev any) error {
	what := ev.(Heard).What
	if t.Same++; what != t.Last {
		t.Last, t.Same = what, 0
	}
	if t.Same == 3 {
		return fmt.Errorf("%d was announced too often", what)
	}
	return nil
}

// kind is what a random system is made of.
type kind struct{ timers, loops, fails, announces, keeps bool }

// Odds are how rare quorums, and those that take nothing any more, are: one in so many.
type Odds struct{ votes, never int }

var (
	Usual    = Odds{3, 20}
	Breaking = Odds{1, 2} // of quorums that say that they never take anything again, and often do
)

// System draws a system whose nodes follow random rules.
func System(r *rand.Rand, o Odds) sim.System {
	k := kind{r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(4) == 0, r.IntN(3) == 0}
	n := 2 + r.IntN(3)
	p := &randomRules{phases: 2 + r.IntN(3), types: 2 + r.IntN(2), nodes: n, keeps: k.keeps}
	density := r.Float64()
	if p.votes = r.IntN(o.votes) == 0; p.votes {
		for range 1 + r.IntN(votings) {
			p.votings = append(p.votings, drawVoting(r, p, o))
		}
	}
	for range n {
		var all [][]rule
		for range p.phases {
			var row []rule
			for class := range receiving + p.types {
				row = append(row, drawRule(r, p, k, density, class))
			}
			all = append(all, row)
		}
		p.on = append(p.on, all)
	}
	acting, careful := 1+r.IntN(n), r.IntN(n+1)
	net := netsim.Datagrams{}
	sys := sim.System{
		Name: "drawn", Nodes: n, Timing: []sim.Timing{sim.AnyOrder, sim.ByDeadline}[r.IntN(2)],
		New: func(id sim.NodeID) sim.Service { return &drawn{me: int(id), rules: p} },
		Actions: []sim.AnyAction{sim.Action[*drawn]{
			Name: "act", Times: 1 + r.IntN(2), Disturbs: r.IntN(8) == 0, At: func(id sim.NodeID) bool { return int(id) < acting },
			Do: func(s *drawn, env sim.Env) { s.do(env, s.rule(doing), 2) },
		}},
		MayCrash: func(id sim.NodeID) bool { return int(id) != careful },
	}
	if r.IntN(3) == 0 {
		net.Loss, net.Dup, sys.Crashes = r.IntN(2), r.IntN(2), r.IntN(2)
	}
	sys.Network = net
	for number := range p.votings {
		sys.Quorums = append(sys.Quorums, p.votings[number].quorum(number))
	}
	if k.announces {
		sys.Monitors = []func() sim.Monitor{func() sim.Monitor { return new(Turns) }}
	}
	drawProperties(r, p, &sys)
	drawHalts(r, &sys)
	sys.Disturbing = Disturbing(r, sim.DisturbingMessages[note](), sim.DisturbingTimers[alarm](), sim.DisturbingQuorums[Vote]())
	return sys
}

// Disturbing draws events excluded from recovery, in one of eight systems.
func Disturbing(r *rand.Rand, typed ...sim.Disturbance) []sim.Disturbance {
	if r.IntN(8) > 0 {
		return nil
	}
	all := append(typed, sim.DisturbingBoots(), sim.DisturbingMessages[any](), sim.DisturbingTimers[any]())
	return []sim.Disturbance{all[r.IntN(len(all))]}
}

// drawHalts draws which nodes may halt, and a goal that exempts halted nodes.
func drawHalts(r *rand.Rand, sys *sim.System) {
	if r.IntN(4) > 0 {
		return
	}
	lasting, excused := r.IntN(sys.Nodes+1), sim.NodeID(r.IntN(sys.Nodes))
	sys.Halts = 1 + r.IntN(2)
	sys.MayHalt = func(id sim.NodeID) bool { return int(id) != lasting }
	for i := range sys.Properties {
		if goal := sys.Properties[i].Eventually; goal != nil && r.IntN(2) == 0 {
			sys.Properties[i].Eventually = func(v *sim.View) bool { return v.Halted(excused) || goal(v) }
		}
	}
}

func drawRule(r *rand.Rand, p *randomRules, k kind, density float64, class int) rule {
	x := rule{phase: -1, only: -1, arm: -1, stop: -1, announce: -1, fails: -1}
	if r.Float64() < 0.4*density {
		x.phase = r.IntN(p.phases)
	}
	x.count = r.Float64() < 0.3
	if r.Float64() < 0.1 {
		x.draw = 1 + r.IntN(2)
	}
	for range r.IntN(3) {
		types := p.types
		if p.votes {
			types += voteTypes
		}
		x.sends = append(x.sends, [2]int{r.IntN(p.nodes), r.IntN(types)})
	}
	isTimer := class == firing || class == firingOther
	if k.timers && r.Float64() < 0.2 && (k.loops || !isTimer) {
		x.arm = r.IntN(2)
	}
	if k.timers && r.Float64() < 0.15 {
		x.stop = r.IntN(2)
	}
	if r.Float64() < 0.15 {
		x.only = r.IntN(3)
	}
	if k.announces && r.Float64() < 0.4 {
		x.announce = r.IntN(2)
	}
	if k.fails && r.Float64() < 0.1 {
		x.fails = 2 + r.IntN(2)
	}
	x.sync = r.IntN(2) == 0
	return x
}

func drawProperties(r *rand.Rand, p *randomRules, sys *sim.System) {
	pair := func(f func(s, t *drawn) bool, down bool) func(*sim.View) bool {
		a, b := sim.NodeID(r.IntN(p.nodes)), sim.NodeID(r.IntN(p.nodes))
		return func(v *sim.View) bool {
			s, _ := v.Service(a).(*drawn)
			t, _ := v.Service(b).(*drawn)
			if s == nil || t == nil {
				return down
			}
			return f(s, t)
		}
	}
	safe := func() func(*sim.View) bool {
		x, y, what := r.IntN(p.phases), r.IntN(p.phases), r.IntN(3)
		return pair(func(s, t *drawn) bool {
			switch what {
			case 0:
				return s.Phase != x || t.Phase != y || s.Count < 1
			case 1:
				return s.Count < 2 || t.Phase != y
			}
			return s.Count < 3 || t.Count < 2
		}, true)
	}
	goal := func() func(*sim.View) bool {
		phase, count := r.IntN(p.phases), r.IntN(4)
		return pair(func(s, t *drawn) bool { return s.Phase == phase || t.Count >= count }, false)
	}
	limit := r.IntN(3)
	sys.Properties = []sim.Property{
		{Name: "safe", Always: safe()},
		{Name: "safe too", Always: safe()},
		{Name: "each", Always: sim.Each(func(_ sim.NodeID, s *drawn) bool { return s.Count <= 1+limit })},
		{Name: "live", Eventually: goal()},
		{Name: "seen", Sometimes: pair(func(s, t *drawn) bool { return s.Phase == limit && t.Count == 2 }, false)},
	}
}
