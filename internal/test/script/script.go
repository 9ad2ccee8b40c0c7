// Package script makes small random systems for tests: services as data, with choices, timers, datagrams and
// streams, refused sends, disk writes, times and monitors, under all faults.
package script

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// A script is a service as data: a program for each class of event and phase of the node.
const (
	Phases  = 3
	Classes = 6 // boot, action, timer, receive, error, ready
)

// ActionClass is the class of application actions.
const ActionClass = 1

// Opcode identifies an instruction.
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

// Program is the code of a script, by class of event and phase.
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

// NewOpaque returns an Opaque that holds 0.
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
					s.Kept[in.A%2].Phase = s.Phase // perhaps the target of Last
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

// Chorus is a monitor that limits the announcements of each node.
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

// Turns is a monitor that counts changes of the announcing node.
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
