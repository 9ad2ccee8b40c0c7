package pastry

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/sim"
)

// fakeEnv records the effects of a handler as texts, such as "2: Inform{}" and "set joinTimer". Methods that no handler
// of this package uses are missing: they panic.
type fakeEnv struct {
	sim.Env
	self sim.NodeID
	room map[sim.NodeID]int // in send buffers; missing means enough
	did  []string
}

func (e *fakeEnv) Self() sim.NodeID       { return e.self }
func (e *fakeEnv) Nodes() int             { return 1 }
func (e *fakeEnv) Choose(string, int) int { return 0 }

func (e *fakeEnv) Send(to sim.NodeID, msg any) {
	e.did = append(e.did, fmt.Sprintf("%d by datagram: %s", to, text(msg)))
}

func (e *fakeEnv) Stream(peer sim.NodeID) sim.Stream { return &fakeStream{env: e, peer: peer} }

func (e *fakeEnv) SetTimer(t any, _ time.Duration) { e.did = append(e.did, "set "+text(t)) }
func (e *fakeEnv) StopTimer(t any)                 { e.did = append(e.did, "stop "+text(t)) }

// take returns the recorded effects and clears them.
func (e *fakeEnv) take() []string {
	did := e.did
	e.did = nil
	return did
}

type fakeStream struct {
	sim.Stream
	env  *fakeEnv
	peer sim.NodeID
}

func (s *fakeStream) Send(msg any) error {
	if room, limited := s.env.room[s.peer]; limited {
		if room == 0 {
			return sim.ErrFull
		}
		s.env.room[s.peer]--
	}
	s.env.did = append(s.env.did, fmt.Sprintf("%d: %s", s.peer, text(msg)))
	return nil
}

// text returns a value with the name of its type, without the package.
func text(v any) string { return fmt.Sprintf("%T%v", v, v)[len("pastry."):] }

// spaceOfBytes returns a space of keys of 8 bits.
func spaceOfBytes(leaves int, keys ...uint64) *space {
	all := make([]Key, len(keys))
	for i, k := range keys {
		all[i] = Key{k << 56}
	}
	return spaceOf(all, 8, 4, leaves)
}

// newNode returns a node that has booted.
func newNode(self sim.NodeID, s *space, b bugs) (*Node, *fakeEnv) {
	n, env := &Node{space: s, bugs: b}, &fakeEnv{self: self}
	n.Boot(env)
	return n, env
}
