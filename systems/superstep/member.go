package superstep

import (
	"strconv"
	"time"

	"github.com/macemc/macemc/sim"
)

const (
	beatPeriod    = 200 * time.Millisecond
	gapPeriod     = time.Second
	silencePeriod = 3 * time.Second
)

// Member is the service of the other nodes. All members work, and one of them leads.
type Member struct {
	Inc    int // incarnation of the node, unique
	Worker Worker
	Leader Leader
	Leaves bool // it must hand over its parts
	Over   bool // the search has ended for this member
}

// Boot implements [sim.Service]. The disk of a member serves only to make its incarnation unique. In production
// that is drawn at random.
func (m *Member) Boot(env sim.Env) {
	lives, _ := env.Disk().Get("lives")
	n, _ := strconv.Atoi(string(lives)) // 0 the first time
	env.Disk().Put("lives", []byte(strconv.Itoa(n+1)))
	env.Disk().Sync()
	m.Start(env, n+1)
}

// Start begins a life of a member, with a unique incarnation.
func (m *Member) Start(env sim.Env, inc int) {
	m.Inc = inc
	m.Leader.Incarnations, m.Leader.Responded = make([]int, env.Nodes()-1), make([]bool, env.Nodes()-1)
	m.beat(env)
}

// Timer implements [sim.Service].
func (m *Member) Timer(env sim.Env, t any) {
	switch t.(type) {
	case beat:
		m.beat(env)
	case gap:
		m.missed(env)
	case silence:
		m.silent(env)
	}
}

// Receive implements [sim.Service].
func (m *Member) Receive(env sim.Env, from sim.NodeID, msg any) {
	if m.Over {
		return
	}
	switch msg := msg.(type) {
	case Hello:
		m.hello(env, from, msg)
	case Go:
		m.begin(env, msg.Commit)
	case Batch, Ended:
		m.sent(env, from, msg)
	case Log:
		m.logged(env, msg)
	case Done:
		m.done(env, from, msg)
	case Lost:
		m.lost(env, msg)
	case Halt:
		m.halt(env, msg)
	case Granted:
		m.granted(env, msg)
	case Swapped:
		m.swapped(env, msg.Commit, msg.Lens)
	}
}

// Miss reports that something sent to the member, or to be read by it, will not arrive.
func (m *Member) Miss(env sim.Env) {
	if m.Worker.Commit.Epoch != 0 {
		m.missed(env)
	}
}

// IsGap reports whether a timer checks for missing messages. It may be long, since other members may still be
// working.
func IsGap(t any) bool { _, ok := t.(gap); return ok }

// Leave makes a member hand over its parts and end. A member without an epoch has none, and the only one ends
// without a successor.
func (m *Member) Leave(env sim.Env) {
	if m.Over || m.Leaves {
		return
	}
	m.Leaves = true
	l := &m.Leader
	if l.Leading {
		l.Leading = false
		env.Send(0, Release{})
	}
	if c := &m.Worker.Commit; c.Epoch == 0 || c.alone(env.Self()) {
		m.end(env)
		return
	}
	m.beat(env)
}

// alone reports whether a member is the only one that takes part.
func (c *Commit) alone(id sim.NodeID) bool {
	for i, inc := range c.Incs {
		if (inc != 0) != (sim.NodeID(i+1) == id) {
			return false
		}
	}
	return true
}

// beat sends heartbeats, and repeats unanswered requests.
func (m *Member) beat(env sim.Env) {
	env.SetTimer(beat{}, beatPeriod)
	for id := range sim.NodeID(env.Nodes()) {
		if id != 0 && id != env.Self() {
			env.Send(id, Hello{m.Inc, m.Leaves})
		}
	}
	if !m.Leaves {
		env.Send(0, Claim{})
	}
	m.ask(env)
	m.lead(env)
}

// end ends the search at this member.
func (m *Member) end(env sim.Env) {
	m.Over = true
	env.StopTimer(beat{})
	env.StopTimer(gap{})
	env.StopTimer(silence{})
}

// mayLeave reports whether the member has parts to give away.
func (m *Member) mayLeave() bool { return !m.Over && !m.Leaves && m.Worker.Commit.Epoch != 0 }
