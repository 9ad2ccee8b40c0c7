package transport

import (
	"errors"
	"time"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// fakeEnv records the effects of one of two nodes. Methods that a transport does not need panic.
type fakeEnv struct {
	sim.Env
	self  sim.NodeID
	sent  []any // messages to the other node
	ticks uint64
	armed map[any]bool
	disk  map[string][]byte
	old   bool // everything is too old
	fail  bool // an assertion failed
}

func newFakeEnv(self sim.NodeID) *fakeEnv {
	return &fakeEnv{self: self, armed: map[any]bool{}, disk: map[string][]byte{}}
}

func (e *fakeEnv) Self() sim.NodeID                   { return e.self }
func (e *fakeEnv) Nodes() int                         { return 2 }
func (e *fakeEnv) Send(_ sim.NodeID, msg any)         { e.sent = append(e.sent, msg) }
func (e *fakeEnv) SetTimer(t any, _ time.Duration)    { e.armed[t] = true }
func (e *fakeEnv) StopTimer(t any)                    { delete(e.armed, t) }
func (e *fakeEnv) Clock() macetime.Clock              { return fakeClock{e} }
func (e *fakeEnv) Disk() sim.Disk                     { return fakeDisk{e: e} }
func (e *fakeEnv) Assert(ok bool, _ string, _ ...any) { e.fail = e.fail || !ok }

// take returns the sent messages and clears them.
func (e *fakeEnv) take() []any {
	sent := e.sent
	e.sent = nil
	return sent
}

type fakeClock struct{ e *fakeEnv }

func (c fakeClock) Now() macetime.Time                       { return macetime.Time{} }
func (c fakeClock) Before(_, _ macetime.Time, _ ...int) bool { return c.e.old }
func (c fakeClock) Tick() macetime.MonotoneTime {
	c.e.ticks++
	return macetime.MonotoneTime{Node: int(c.e.self), Count: c.e.ticks}
}

type fakeDisk struct {
	sim.Disk
	e *fakeEnv
}

func (d fakeDisk) Put(key string, value []byte)  { d.e.disk[key] = value }
func (d fakeDisk) Get(key string) ([]byte, bool) { v, ok := d.e.disk[key]; return v, ok }
func (d fakeDisk) Sync()                         {}

// fakeApplication records up-calls.
type fakeApplication struct {
	got      []any
	failures []error
	clear    int
}

func (a *fakeApplication) Deliver(_ sim.Env, _ sim.NodeID, msg any) { a.got = append(a.got, msg) }
func (a *fakeApplication) Failed(_ sim.Env, _ sim.NodeID, err error) {
	a.failures = append(a.failures, err)
}
func (a *fakeApplication) ClearToSend(sim.Env, sim.NodeID) { a.clear++ }

// end is one of two transports.
type end struct {
	env *fakeEnv
	up  fakeApplication
	Transport
}

func newEnd(self sim.NodeID, c Config) *end {
	e := &end{env: newFakeEnv(self)}
	e.Transport = New(&e.up, c)
	e.Boot(e.env)
	return e
}

// fire fires an armed timer.
func (e *end) fire(t any) {
	delete(e.env.armed, t)
	e.Timer(e.env, t)
}

// exchange delivers everything in order and at once until nothing is in flight.
func exchange(a, b *end) error {
	for a.env.sent != nil || b.env.sent != nil {
		for _, e := range []struct{ from, to *end }{{a, b}, {b, a}} {
			for _, m := range e.from.env.take() {
				if !e.to.Receive(e.to.env, e.from.env.self, m) {
					return errors.New("a packet of the transport was not taken for one")
				}
			}
		}
	}
	return nil
}
