package hardbugs

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Stale is a replicated register with elected leaders, which confirm their leadership before they answer a read.
// Each leader numbers its confirmations from 1, without the term. So a confirmation that is delayed during two
// elections confirms an obsolete leadership.
func Stale() Case {
	system := func(corrected bool) sim.System {
		return sim.System{
			Name: "stale", Nodes: 3,
			New:     func(sim.NodeID) sim.Service { return &register{Corrected: corrected} },
			Network: netsim.Datagrams{},
			Actions: []sim.AnyAction{
				sim.Action[*register]{Name: "read", Times: 4, When: (*register).safe, Do: (*register).read},
			},
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &reads{} }},
			Properties: []sim.Property{{Name: "somebody leads", Eventually: func(v *sim.View) bool {
				for _, s := range sim.Nodes[*register](v) {
					if s.Leader {
						return true
					}
				}
				return false
			}}},
		}
	}
	return Case{
		Name: "stale acknowledgement", Why: "a message must be delayed during two elections, long after the first live state",
		System: system(false), Corrected: system(true),
	}
}

type (
	vote    struct{ Term int }
	granted struct{ Term, Version int }
	ping    struct{ Term, Round int }
	pong    struct{ Term, Round int }
	store   struct{ Term, Version int }
	stored  struct{ Term, Version int }

	campaign struct{}

	committed struct{ Version int }
	asked     struct{ Read int }
	answered  struct{ Read, Version int }
)

const electionTimeout = 100 * time.Millisecond

// register is a node of [Stale].
type register struct {
	sim.Nop
	Corrected bool

	Term    int
	Leader  bool
	Votes   uint8 // by node
	Version int   // of the register: the term of the leader that wrote it

	Stored  uint8 // by node, of the current write; 0 for none
	Safe    bool  // something was committed in this term
	Round   int   // number of confirmations in this term
	Reading int   // identity of the current read; 0 for none
	Pongs   uint8
}

func majority(set uint8) bool { return bits.OnesCount8(set) >= 2 }

func (r *register) Boot(env sim.Env) { env.SetTimer(campaign{}, electionTimeout) }

func (r *register) replicate(env sim.Env) {
	r.Stored = 1 << env.Self()
	r.others(env, store{r.Term, r.Version})
}

func (r *register) safe() bool { return r.Safe && r.Stored == 0 && r.Reading == 0 }

func (r *register) read(env sim.Env) {
	r.Round++
	r.Reading, r.Pongs = 8*r.Version+r.Round, 1<<env.Self()
	env.Announce(asked{r.Reading})
	r.others(env, ping{r.Term, r.Round})
}

func (r *register) others(env sim.Env, msg any) {
	for id := range sim.NodeID(env.Nodes()) {
		if id != env.Self() {
			env.Send(id, msg)
		}
	}
}

// enter begins a term, as a follower.
func (r *register) enter(term int) {
	r.Term, r.Leader, r.Votes, r.Stored, r.Safe, r.Round, r.Reading, r.Pongs = term, false, 0, 0, false, 0, 0, 0
}

func (r *register) Timer(env sim.Env, _ any) {
	if !r.Leader {
		r.enter(r.Term + 1)
		r.Votes = 1 << env.Self()
		r.others(env, vote{r.Term})
	}
	env.SetTimer(campaign{}, electionTimeout)
}

func (r *register) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case vote:
		if m.Term > r.Term {
			r.enter(m.Term)
			env.Send(from, granted{r.Term, r.Version})
		}
	case granted:
		if m.Term != r.Term || r.Leader {
			return
		}
		if m.Version > r.Version {
			r.Version = m.Version
		}
		if r.Votes |= 1 << from; majority(r.Votes) {
			r.Leader = true
			r.Version = r.Term
			r.replicate(env)
		}
	case store:
		if m.Term < r.Term {
			return
		}
		if m.Term > r.Term {
			r.enter(m.Term)
		}
		if m.Version > r.Version {
			r.Version = m.Version
		}
		env.Send(from, stored{m.Term, m.Version})
	case stored:
		if m.Term != r.Term || m.Version != r.Version || r.Stored == 0 {
			return
		}
		if r.Stored |= 1 << from; majority(r.Stored) {
			r.Stored, r.Safe = 0, true
			env.Announce(committed{r.Version})
		}
	case ping:
		if m.Term < r.Term {
			return
		}
		if m.Term > r.Term {
			r.enter(m.Term)
		}
		env.Send(from, pong{m.Term, m.Round})
	case pong:
		if r.Reading == 0 || m.Round != r.Round || r.Corrected && m.Term != r.Term {
			return
		}
		if r.Pongs |= 1 << from; majority(r.Pongs) {
			env.Announce(answered{r.Reading, r.Version})
			r.Reading = 0
		}
	}
}

// reads checks that a read returns at least the version committed when it began.
type reads struct {
	Latest int
	Open   map[sim.NodeID]int // the version committed when a node's read began
}

func (m *reads) Observe(from sim.NodeID, event any) error {
	switch e := event.(type) {
	case committed:
		m.Latest = max(m.Latest, e.Version)
	case asked:
		if m.Open == nil {
			m.Open = map[sim.NodeID]int{}
		}
		m.Open[from] = m.Latest
	case answered:
		if e.Version < m.Open[from] {
			return fmt.Errorf("a read that began when version %d was committed saw version %d", m.Open[from], e.Version)
		}
		delete(m.Open, from)
	}
	return nil
}
