package symmetry_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// member is a service with behavior given by a random table for its role.
type member struct {
	Phase, Count int
	Who          []byte // what a twist keeps of others

	me      sim.NodeID `macemc:"-"` // that of a twist alone
	society *society   `macemc:"-"`
}

// society is a random system of nodes with roles: first a node of its own, and then those of each role.
type society struct {
	sizes  []int
	phases int
	on     [][][]deed // by role, phase and class
	twist  twist      // keeps nodes from being interchangeable
	need   []int      // by phase
	guard  bool
}

// twist is something that a claim must not be believed with.
type twist int

const (
	straight twist = iota
	keepsSender
	keepsMask
	sendsToFirst
	looksWhoIsLess
	tellsName
	keepsHidden
	beginsOtherwise
	keepsOnDisk
	namesTimer
	actsAtOne
	crashesOne
	readsOne
	monitorsOne
	takesFromOne
	twists
)

// deed is what a node does.
type deed struct {
	phase, draw, arm, announce, fails int // -1: nothing
	count                             bool
	sends                             []address
}

// address selects the receiver of a message.
type address struct{ to, kind int }

// Addresses: roles from 0 on, and these.
const (
	toSender = -1 - iota
	toSelf
	toFirst // the node of its own
)

// Classes of deeds.
const (
	deedAct = iota
	deedTimer
	deedTaken
	deedHeard
	deedClasses = deedHeard + 2
)

type word2 struct {
	Kind, Left int
	Name       int
}

type bell struct{ Name int }

func (s *member) role(id sim.NodeID) int { return s.society.roleOf(id) }

func (c *society) roleOf(id sim.NodeID) int {
	at := 1
	for k, n := range c.sizes {
		if at += n; int(id) < at && id > 0 {
			return k + 1
		}
	}
	return 0
}

// members of a role.
func (c *society) members(role int) (first, end sim.NodeID) {
	at := 1
	for k := range role {
		at += c.sizes[k]
	}
	return sim.NodeID(at), sim.NodeID(at + c.sizes[role])
}

func (s *member) do(env sim.Env, class, left int, from sim.NodeID) {
	c := s.society
	d := &c.on[s.role(env.Self())][s.Phase][class]
	if d.phase >= 0 {
		s.Phase = d.phase
	}
	if d.draw >= 0 {
		s.Phase = (s.Phase + env.Choose("phase", 2)) % c.phases
	}
	switch c.twist {
	case keepsSender:
		if from > 0 && class >= deedHeard {
			s.Who = []byte{byte(from)}
		}
	case keepsMask:
		if from > 0 && class >= deedHeard {
			s.Who = []byte{byte(1 << from)}
		}
	case keepsHidden:
		if s.me > 1 && class == deedHeard {
			s.Phase = 0
		}
	case looksWhoIsLess:
		if from > 0 && from < env.Self() && class == deedHeard {
			s.Phase = 0
		}
	case keepsOnDisk:
		if env.Self() > 0 {
			env.Disk().Put("name", []byte{byte(env.Self())})
			env.Disk().Sync()
		}
	}
	if d.count && s.Count < 2 {
		s.Count++
	}
	for _, x := range d.sends {
		if left == 0 {
			break
		}
		s.send(env, x, left-1, from)
	}
	if d.arm >= 0 {
		t := bell{}
		if c.twist == namesTimer {
			t.Name = int(env.Self())
		}
		env.SetTimer(t, time.Second)
	}
	if d.announce >= 0 {
		env.Announce(reductions.Heard{What: d.announce})
	}
	env.Assert(d.fails < 0 || s.Count != d.fails, "the count is %d", d.fails)
}

func (s *member) send(env sim.Env, x address, left int, from sim.NodeID) {
	var msg any = word2{Kind: x.kind, Left: left}
	if x.kind == 2 {
		msg = reductions.Vote{Type: left % 2, Left: left}
	}
	if s.society.twist == tellsName && x.kind < 2 {
		msg = word2{x.kind, left, int(env.Self())}
	}
	switch x.to {
	case toSender:
		env.Send(from, msg)
	case toSelf:
		env.Send(env.Self(), msg)
	case toFirst:
		env.Send(0, msg)
	default:
		first, end := s.society.members(x.to)
		for id := first; id < end; id++ {
			env.Send(id, msg)
			if s.society.twist == sendsToFirst {
				break
			}
		}
	}
}

func (s *member) Boot(env sim.Env) {
	if _, ok := env.Disk().Get("name"); ok {
		s.Count = 1
	}
	if s.society.twist == beginsOtherwise && env.Self() == 1 {
		s.Phase = 1
	}
	if s.role(env.Self()) == 1 {
		env.SetTimer(bell{}, time.Second)
	}
}

func (s *member) Receive(env sim.Env, from sim.NodeID, msg any) {
	m := msg.(word2)
	if m.Name > 1 && s.Count < 2 {
		s.Count++
	}
	s.do(env, deedHeard+m.Kind, m.Left, from)
}

func (s *member) Timer(env sim.Env, t any) {
	left := 1
	if t.(bell).Name > 1 {
		left = 0
	}
	s.do(env, deedTimer, left, env.Self())
}

func (c *society) quorum() sim.AnyQuorum {
	q := sim.Quorum[*member, reductions.Vote]{
		Name: "ballots",
		Need: func(s *member) int { return c.need[s.Phase] },
		Fits: func(_ *member, from sim.NodeID, _ reductions.Vote) bool { return c.twist != takesFromOne || from < 2 },
		Do: func(s *member, env sim.Env, set []sim.From[reductions.Vote]) {
			left := 2
			for _, m := range set {
				left = min(left, m.Msg.Left)
			}
			s.do(env, deedTaken, left, 0)
		},
	}
	if c.guard {
		q.Guard = func(s *member, set []sim.From[reductions.Vote]) bool {
			sum := s.Count
			for _, m := range set {
				sum += m.Msg.Type
			}
			return sum%2 == 0
		}
	}
	return q
}

// chief is a monitor that depends on the announcing node.
type chief struct{ Heard int }

func (m *chief) Observe(from sim.NodeID, _ any) error {
	if from == 1 {
		m.Heard++
	}
	if m.Heard == 2 {
		return errors.New("n1 announced something twice")
	}
	return nil
}

func drawSociety(r *rand.Rand, t twist) sim.System {
	c := &society{phases: 2 + r.IntN(2), twist: t, guard: r.IntN(3) == 0}
	nodes := 1
	for range 1 + r.IntN(2) {
		c.sizes = append(c.sizes, 2+r.IntN(3)/2)
		nodes += c.sizes[len(c.sizes)-1]
	}
	quorums, announces, fails := r.IntN(3) == 0 || t == takesFromOne, r.IntN(4) == 0 || t == monitorsOne, r.IntN(4) == 0
	for range c.phases {
		c.need = append(c.need, r.IntN(4)-r.IntN(2))
	}
	if slices.Min(c.need) < 0 {
		for i := range c.need {
			c.need[i] = max(c.need[i], 0)
		}
	}
	kinds := 2
	if quorums {
		kinds = 3
	}
	for range len(c.sizes) + 1 {
		var all [][]deed
		for range c.phases {
			var row []deed
			for class := range deedClasses {
				d := deed{-1, -1, -1, -1, -1, r.IntN(3) == 0, nil}
				if r.IntN(2) == 0 {
					d.phase = r.IntN(c.phases)
				}
				if r.IntN(12) == 0 {
					d.draw = 0
				}
				if r.IntN(6) == 0 && class != deedTimer {
					d.arm = 0
				}
				if announces && r.IntN(3) == 0 {
					d.announce = r.IntN(2)
				}
				if fails && r.IntN(8) == 0 {
					d.fails = 2
				}
				for range r.IntN(3) {
					d.sends = append(d.sends, address{r.IntN(len(c.sizes)+3) - 3, r.IntN(kinds)})
				}
				row = append(row, d)
			}
			all = append(all, row)
		}
		c.on = append(c.on, all)
	}
	acting := r.IntN(len(c.sizes) + 1)
	careful := r.IntN(2)
	net := netsim.Datagrams{}
	sys := sim.System{
		Name: "society", Nodes: nodes, Timing: []sim.Timing{sim.AnyOrder, sim.ByDeadline}[r.IntN(2)],
		New: func(id sim.NodeID) sim.Service {
			s := &member{society: c}
			if t == keepsHidden {
				s.me = id
			}
			return s
		},
		Roles: func(id sim.NodeID) string {
			if k := c.roleOf(id); k > 0 {
				return fmt.Sprint("role ", k)
			}
			return ""
		},
		Actions: []sim.AnyAction{sim.Action[*member]{
			Name: "act", Times: 1, At: func(id sim.NodeID) bool { return c.roleOf(id) == acting && (t != actsAtOne || id < 2) },
			Do: func(s *member, env sim.Env) { s.do(env, deedAct, 2, env.Self()) },
		}},
		MayCrash: func(id sim.NodeID) bool { return c.roleOf(id) >= careful && (t != crashesOne || id < 2) },
	}
	if r.IntN(3) == 0 || t == crashesOne {
		net.Loss, net.Dup, sys.Crashes = r.IntN(2), r.IntN(2), r.IntN(2)
		if t == crashesOne {
			sys.Crashes = 1
		}
	}
	sys.Network = net
	if quorums {
		sys.Quorums = []sim.AnyQuorum{c.quorum()}
	}
	if announces {
		sys.Monitors = []func() sim.Monitor{func() sim.Monitor { return new(reductions.Turns) }}
		if t == monitorsOne {
			sys.Monitors = append(sys.Monitors, func() sim.Monitor { return new(chief) })
		}
	}
	drawViews(r, c, &sys)
	sys.Disturbing = reductions.Disturbing(r,
		sim.DisturbingMessages[word2](), sim.DisturbingTimers[bell](), sim.DisturbingQuorums[reductions.Vote]())
	return sys
}

func drawViews(r *rand.Rand, c *society, sys *sim.System) {
	many := func() func(*sim.View) int {
		role, phase, count := r.IntN(len(c.sizes)), r.IntN(c.phases), r.IntN(3)
		return func(v *sim.View) (n int) {
			first, end := c.members(role)
			for id := first; id < end; id++ {
				if s, ok := v.Service(id).(*member); ok && s.Phase == phase && s.Count >= count && (c.twist != readsOne || id == first) {
					n++
				}
			}
			return n
		}
	}
	a, b, d, e := many(), many(), many(), many()
	limit := r.IntN(3)
	sys.Properties = []sim.Property{
		{Name: "safe", Always: func(v *sim.View) bool { return a(v) < 2 || b(v) > 0 }},
		{Name: "safe too", Always: func(v *sim.View) bool { return c.twist != readsOne || a(v) < 1 || b(v) > 0 }},
		{Name: "each", Always: sim.Each(func(_ sim.NodeID, s *member) bool { return s.Count <= limit })},
		{Name: "live", Eventually: func(v *sim.View) bool { return d(v) > 0 || e(v) == 0 }},
		{Name: "seen", Sometimes: func(v *sim.View) bool { return b(v) > 0 && e(v) > 1 }},
	}
}
