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

// Member is the service of the other nodes. All members do the work, and one of them leads.
type Member struct {
	Inc    int // names this life of the node: never used twice
	Worker Worker
	Leader Leader
	Leaves bool // it is to give away what it has
	Over   bool // the search has come to an end, here at least
}

// Boot implements [sim.Service]. What a member has on its disk is only what makes its incarnation another one: in production that
// is drawn at random.
func (m *Member) Boot(env sim.Env) {
	lives, _ := env.Disk().Get("lives")
	n, _ := strconv.Atoi(string(lives)) // 0 the first time
	env.Disk().Put("lives", []byte(strconv.Itoa(n+1)))
	env.Disk().Sync()
	m.Start(env, n+1)
}

// Start begins a life of a member, of which no other has the incarnation.
func (m *Member) Start(env sim.Env, inc int) {
	m.Inc = inc
	m.Leader.Known, m.Leader.Heard = make([]int, env.Nodes()-1), make([]bool, env.Nodes()-1)
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

// Miss is called when something that was sent to a member, or that it must read, is known not to come.
func (m *Member) Miss(env sim.Env) {
	if m.Worker.Commit.Epoch != 0 {
		m.missed(env)
	}
}

// IsGap reports whether a timer asks whether something is missing. It may be long: others may still be at work.
func IsGap(t any) bool { _, ok := t.(gap); return ok }

// Leave has a member give away what it has, and end. One that is in no epoch has nothing, and one that is alone has nobody to give it to.
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

// alone reports whether a member takes part, and no other.
func (c *Commit) alone(id sim.NodeID) bool {
	for i, inc := range c.Incs {
		if (inc != 0) != (sim.NodeID(i+1) == id) {
			return false
		}
	}
	return true
}

// beat says hello, and asks again what was not answered.
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

// mayLeave reports whether there is something to give away.
func (m *Member) mayLeave() bool { return !m.Over && !m.Leaves && m.Worker.Commit.Epoch != 0 }
