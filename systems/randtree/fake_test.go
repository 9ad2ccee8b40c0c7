package randtree

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// fakeEnv records the effects of a handler as texts, such as "2: Remove{}" and "set joinTimer". Methods that no handler
// of this package uses are missing: they panic.
type fakeEnv struct {
	sim.Env
	self   sim.NodeID
	nodes  int
	draw   int                 // result of Choose
	full   map[sim.NodeID]bool // peers whose send buffers have no room
	ticks  uint64
	did    []string
	failed []string // assertions
}

func (e *fakeEnv) Self() sim.NodeID { return e.self }
func (e *fakeEnv) Nodes() int       { return e.nodes }

func (e *fakeEnv) Stream(peer sim.NodeID) sim.Stream { return &fakeStream{env: e, peer: peer} }

func (e *fakeEnv) SetTimer(t any, _ time.Duration) {
	e.did = append(e.did, fmt.Sprintf("set %s", name(t)))
}
func (e *fakeEnv) StopTimer(t any) { e.did = append(e.did, fmt.Sprintf("stop %s", name(t))) }

func (e *fakeEnv) Choose(string, int) int { return e.draw }
func (e *fakeEnv) Clock() macetime.Clock  { return fakeClock{env: e} }

func (e *fakeEnv) Assert(ok bool, format string, args ...any) {
	if !ok {
		e.failed = append(e.failed, fmt.Sprintf(format, args...))
	}
}

type fakeStream struct {
	sim.Stream
	env  *fakeEnv
	peer sim.NodeID
}

func (s *fakeStream) Send(msg any) error {
	if s.env.full[s.peer] {
		return sim.ErrFull
	}
	s.env.did = append(s.env.did, fmt.Sprintf("%d: %s%v", s.peer, name(msg), msg))
	return nil
}

type fakeClock struct {
	macetime.Clock
	env *fakeEnv
}

func (c fakeClock) Tick() macetime.MonotoneTime {
	c.env.ticks++
	return epoch(c.env.self, c.env.ticks)
}

func epoch(node sim.NodeID, count uint64) macetime.MonotoneTime {
	return macetime.MonotoneTime{Node: int(node), Count: count}
}

// name returns the name of v's type without its package.
func name(v any) string {
	text := fmt.Sprintf("%T", v)
	return text[len("randtree."):]
}
