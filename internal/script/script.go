// Package script makes small random systems for tests: services that are data, with choices, timers, datagrams and
// streams, refused sends, disk writes, times and monitors, under all faults.
package script

import (
	"encoding/binary"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/plan"
)

// A script is a service that is data: for each class of event, and phase of the node, what it does.
const (
	Phases  = 3
	Classes = 6 // boot, action, timer, receive, error, ready
)

// ActionClass is the class of application actions.
const ActionClass = 1

// Opcode says what an instruction does.
type Opcode uint8

const (
	OpNothing Opcode = iota
	OpSend
	OpStream
	OpRoom
	OpClose
	OpSetTimer
	OpStopTimer
	OpChoose
	OpWeighted
	OpPut
	OpDelete
	OpSync
	OpGet
	OpAnnounce
	OpNow
	OpBefore
	OpTick
	OpAssert
	OpPanic
	OpPhase
	OpRemember
	OpOnlySometimes
	OpBadTimer
	opcodes
)

// Instr is an instruction; A and B are its operands.
type Instr struct {
	Op   Opcode
	A, B int
}

// Program is what a script does: by class of event and phase.
type Program [Classes][Phases][]Instr

type (
	note struct {
		Phase int
		List  []int
		At    macetime.Time
	}
	alarm struct{ K int }
	said  struct{ What []int }
)

// Opaque is encoded by a function and has no rule for copying.
type Opaque struct{ n *int }

// NewOpaque returns one that holds 0.
func NewOpaque() Opaque { return Opaque{new(int)} }

// Plain runs a Program.
type Plain struct {
	Phase int
	Got   map[sim.NodeID]int
	Last  *note
	Kept  []*note
	Times [2]macetime.Time
	Room  int
	run   *Program `macemc:"-"`
}

type scripted interface {
	sim.Service
	act(env sim.Env, class int, from sim.NodeID, msg *note)
	phase() int
}

func (s *Plain) phase() int { return s.Phase }

func (s *Plain) act(env sim.Env, class int, from sim.NodeID, msg *note) {
	for _, in := range s.run[class][s.Phase] {
		peer := sim.NodeID(in.A % env.Nodes())
		switch in.Op {
		case OpSend:
			env.Send(peer, s.note(env))
		case OpStream:
			if env.Stream(peer).Send(*s.note(env)) != nil {
				s.Room = -1
			}
		case OpRoom:
			s.Room = env.Stream(peer).Room()
		case OpClose:
			env.Stream(peer).Close()
		case OpSetTimer:
			env.SetTimer(alarm{in.A % 3}, time.Duration(1+in.B%3)*time.Second)
		case OpStopTimer:
			env.StopTimer(alarm{in.A % 3})
		case OpChoose:
			s.Phase = (s.Phase + env.Choose("phase", 1+in.B%3)) % Phases
		case OpWeighted:
			s.Phase = (s.Phase + env.ChooseWeighted("weighted", 1, in.B)) % Phases
		case OpPut:
			env.Disk().Put(fmt.Sprint(in.A%2), []byte{byte(s.Phase)})
		case OpDelete:
			env.Disk().Delete(fmt.Sprint(in.A % 2))
		case OpSync:
			env.Disk().Sync()
		case OpGet:
			if v, ok := env.Disk().Get(fmt.Sprint(in.A % 2)); ok {
				s.Phase = int(v[0])
			}
		case OpAnnounce:
			env.Announce(said{[]int{s.Phase}})
		case OpNow:
			s.Times[in.A%2] = env.Clock().Now().Add(time.Duration(in.B%2) * time.Second)
		case OpBefore:
			if env.Clock().Before(s.Times[0], s.Times[1], 1, 2) {
				s.Phase = in.B % Phases
			}
		case OpTick:
			s.Room = int(env.Clock().Tick().Count % 3)
		case OpAssert:
			env.Assert(s.Phase != in.A%Phases || s.Room != 2, "phase %d", s.Phase)
		case OpPanic:
			if s.Phase == in.A%Phases && s.Room == 1 {
				panic(fmt.Sprintf("panic in phase %d", s.Phase))
			}
		case OpPhase:
			s.Phase = in.A % Phases
		case OpRemember:
			if msg != nil {
				s.Last = msg
				if len(s.Kept) < 2 {
					s.Kept = append(s.Kept, msg)
				} else {
					s.Kept[in.A%2].Phase = s.Phase // what Last points to, perhaps
				}
			}
			s.Got[from] = (s.Got[from] + 1) % 3
		case OpBadTimer:
			if s.Phase == in.A%Phases {
				env.SetTimer([]int{1}, 1) // not comparable
			}
		case OpOnlySometimes:
			if s.Room > 0 {
				return
			}
		}
	}
}

func (s *Plain) note(env sim.Env) *note {
	n := &note{Phase: s.Phase}
	if s.Last != nil {
		n.List = append(n.List, s.Last.Phase)
	}
	if s.Phase == 2 {
		n.At = s.Times[0]
	}
	return n
}

func (s *Plain) Boot(env sim.Env) { s.act(env, 0, 0, nil) }
func (s *Plain) Timer(env sim.Env, t any) {
	s.Room = t.(alarm).K
	s.act(env, 2, 0, nil)
}
func (s *Plain) Receive(env sim.Env, from sim.NodeID, msg any) {
	n, ok := msg.(*note)
	if !ok {
		v := msg.(note)
		n = &v
	}
	n.Phase = (n.Phase + 1) % Phases // a private copy may be changed
	s.act(env, 3, from, n)
}
func (s *Plain) PeerError(env sim.Env, peer sim.NodeID, err error) {
	if err == sim.ErrRefused {
		s.Room = 3
	}
	s.act(env, 4, peer, nil)
}
func (s *Plain) PeerReady(env sim.Env, peer sim.NodeID) { s.act(env, 5, peer, nil) }

// OddOne is a Plain with a field that the state plan cannot copy.
type OddOne struct {
	Plain
	Odd Opaque
}

func (s *OddOne) Receive(env sim.Env, from sim.NodeID, msg any) {
	*s.Odd.n = (*s.Odd.n + 1) % 3
	s.Plain.Receive(env, from, msg)
}

// Chorus is a monitor that wants each node to be heard a few times only.
type Chorus struct {
	Heard [8]int
	limit int
}

func (c *Chorus) Observe(from sim.NodeID, event any) error {
	k := event.(said).What[0]
	c.Heard[int(from)%8] = (c.Heard[int(from)%8] + 1 + k) % 7
	if c.Heard[int(from)%8] >= c.limit {
		return fmt.Errorf("node %d was heard %d times", from, c.Heard[int(from)%8])
	}
	return nil
}

// OddChorus is a Chorus that the state plan cannot copy.
type OddChorus struct {
	Chorus
	Odd Opaque
}

func (c *OddChorus) Observe(from sim.NodeID, event any) error {
	*c.Odd.n = (*c.Odd.n + 1) % 2
	return c.Chorus.Observe(from, event)
}

// Turns is a monitor to which it matters who speaks only when that was not the one who spoke last.
type Turns struct {
	Last  sim.NodeID
	Taken int
	limit int
}

func (m *Turns) Observe(from sim.NodeID, _ any) error {
	if m.Taken > 0 && from == m.Last {
		return nil
	}
	if m.Last, m.Taken = from, m.Taken+1; m.Taken >= m.limit {
		return fmt.Errorf("node %d took turn %d", from, m.Taken)
	}
	return nil
}

// Config describes a system.
type Config struct {
	Nodes      int
	Timing     sim.Timing
	Odd        bool
	Network    sim.Network
	Crashes    int
	Late       int // nodes from this one on are late
	Sturdy     int // the node that may not crash; -1: all may
	Monitor    int // the limit of the monitors that count; 0: none
	Turns      int // the limit of the monitor of turns; 0: none
	ActionTime int
	Programs   []Program
}

// System builds the system.
func (c *Config) System() *sim.System {
	holds := func(_ sim.NodeID, s scripted) bool { return s.phase() != 2 }
	sys := &sim.System{
		Name: "script", Nodes: c.Nodes, Timing: c.Timing, Network: c.Network, Crashes: c.Crashes,
		New: func(id sim.NodeID) sim.Service {
			p := Plain{run: &c.Programs[int(id)%len(c.Programs)], Got: map[sim.NodeID]int{}}
			if c.Odd && id == 0 {
				return &OddOne{p, NewOpaque()}
			}
			return &p
		},
		State: []sim.StateRule{OpaqueRule()},
		Actions: []sim.AnyAction{
			sim.Action[scripted]{Name: "act", When: func(s scripted) bool { return s.phase() != 1 },
				Do: func(s scripted, env sim.Env) { s.act(env, 1, 0, nil) }},
			sim.Action[scripted]{Name: "again", Times: c.ActionTime, At: func(id sim.NodeID) bool { return id != 1 },
				Do: func(s scripted, env sim.Env) { s.act(env, 1, 0, nil) }},
		},
		Properties: []sim.Property{
			{Name: "not all in phase 2", Always: func(v *sim.View) bool {
				n := 0
				for _, s := range sim.Nodes[scripted](v) {
					if s.phase() == 2 {
						n++
					}
				}
				return n < v.Len()
			}, Explain: func(v *sim.View) string { return fmt.Sprint(v.Service(0) != nil) }},
			{Name: "few messages", Always: func(v *sim.View) bool {
				n, sum := 0, 0
				for m := range v.InFlight() {
					n++
					sum += int(m.From)*7 + int(m.To)
				}
				return n < 12 || sum%2 == 0
			}},
			{Name: "each", Eventually: sim.Each(holds)},
			{Name: "armed", Eventually: sim.EachArmed(alarm{1}, func(_ sim.NodeID, s scripted, armed bool) bool { return armed || s.phase() == 0 })},
			{Name: "timer", Sometimes: func(v *sim.View) bool { return v.TimerSet(0, alarm{0}) }},
		},
	}
	if c.Late < c.Nodes {
		sys.Late = func(id sim.NodeID) bool { return int(id) >= c.Late }
	}
	if c.Sturdy >= 0 {
		sys.MayCrash = func(id sim.NodeID) bool { return int(id) != c.Sturdy }
	}
	if c.Monitor > 0 {
		sys.Monitors = []func() sim.Monitor{
			func() sim.Monitor { return &Chorus{limit: 7} },
			func() sim.Monitor {
				m := Chorus{limit: c.Monitor}
				if c.Odd {
					return &OddChorus{m, NewOpaque()}
				}
				return &m
			},
		}
	}
	if c.Turns > 0 {
		sys.Monitors = append(sys.Monitors, func() sim.Monitor { return &Turns{limit: c.Turns} })
	}
	return sys
}

// DrawSmall draws a system of few states and without streams, so that a search can go deep, and everywhere by
// the fast ways that a search has for such systems.
func DrawSmall(t *rapid.T) *Config {
	const nodes = 2
	c := &Config{Nodes: nodes, Timing: sim.AnyOrder, Late: nodes, Sturdy: -1, Turns: rapid.IntRange(2, 5).Draw(t, "turns"), ActionTime: rapid.IntRange(0, 2).Draw(t, "times")}
	ops := []Opcode{OpSetTimer, OpAnnounce, OpAnnounce, OpPhase, OpChoose}
	if rapid.Bool().Draw(t, "datagrams") {
		c.Network = netsim.Datagrams{Loss: rapid.IntRange(0, 1).Draw(t, "loss")}
		ops = append(ops, OpSend)
	}
	operand := rapid.IntRange(0, 5)
	ins := rapid.Custom(func(t *rapid.T) Instr {
		return Instr{rapid.SampledFrom(ops).Draw(t, "op"), operand.Draw(t, "a"), operand.Draw(t, "b")}
	})
	for range nodes {
		var p Program
		for class := range p {
			for phase := range p[class] {
				p[class][phase] = rapid.SliceOfN(ins, 0, 2).Draw(t, "instructions")
			}
		}
		c.Programs = append(c.Programs, p)
	}
	return c
}

// Draw draws a system.
func Draw(t *rapid.T) *Config {
	c := &Config{
		Nodes:      rapid.IntRange(1, 3).Draw(t, "nodes"),
		Timing:     rapid.SampledFrom([]sim.Timing{sim.ByDeadline, sim.AnyOrder, sim.Prompt}).Draw(t, "timing"),
		Odd:        rapid.Bool().Draw(t, "odd"),
		Crashes:    rapid.IntRange(0, 3).Draw(t, "crashes"),
		Late:       rapid.IntRange(1, 4).Draw(t, "late"),
		Sturdy:     rapid.IntRange(-1, 2).Draw(t, "sturdy"),
		Monitor:    rapid.IntRange(0, 6).Draw(t, "monitor"),
		ActionTime: rapid.IntRange(0, 4).Draw(t, "times"),
	}
	limit := rapid.IntRange(0, 2)
	d := netsim.Datagrams{Loss: limit.Draw(t, "loss"), Dup: limit.Draw(t, "dup")}
	s := netsim.Streams{Buffer: rapid.IntRange(1, 3).Draw(t, "buffer"), Errors: limit.Draw(t, "errors")}
	cuts := limit.Draw(t, "partitions")
	switch rapid.IntRange(0, 7).Draw(t, "network") {
	case 0:
		d.Partitions = cuts
		c.Network = d
	case 1:
		s.Partitions = cuts
		c.Network = s
	case 2:
	default:
		c.Network = netsim.Both{Datagrams: d, Streams: s, Partitions: cuts}
	}
	ins := rapid.Custom(func(t *rapid.T) Instr {
		op := Opcode(rapid.IntRange(0, int(opcodes)-1).Draw(t, "op"))
		if op == OpAssert || op == OpPanic || op == OpBadTimer {
			op = Opcode(rapid.IntRange(0, int(opcodes)-1).Draw(t, "op again")) // rarely
		}
		if c.Network == nil && (op == OpSend || op == OpStream || op == OpRoom || op == OpClose) {
			op = OpSetTimer
		}
		if _, both := c.Network.(netsim.Both); !both && rapid.IntRange(0, 9).Draw(t, "lack") > 0 {
			_, streams := c.Network.(netsim.Streams)
			switch {
			case op == OpSend && streams:
				op = OpStream
			case (op == OpStream || op == OpRoom || op == OpClose) && !streams && c.Network != nil:
				op = OpSend
			}
		}
		return Instr{op, rapid.IntRange(0, 5).Draw(t, "a"), rapid.IntRange(0, 5).Draw(t, "b")}
	})
	for range c.Nodes {
		var p Program
		for class := range p {
			for phase := range p[class] {
				p[class][phase] = rapid.SliceOfN(ins, 0, 5).Draw(t, "instructions")
			}
		}
		c.Programs = append(c.Programs, p)
	}
	return c
}

// OpaqueRule encodes an Opaque, without telling how to copy it.
func OpaqueRule() sim.StateRule {
	return plan.EncodeBy(func(dst []byte, o Opaque) []byte { return binary.AppendVarint(dst, int64(*o.n)) })
}
