package hardbugs

import (
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Dead elects a leader by terms. A node that has voted waits for its candidate, which tries again, even after a
// crash, since its candidacy is on its disk. If the candidate never comes back, the others wait forever.
func Dead() Case {
	system := func(corrected bool) sim.System {
		return sim.System{
			Name: "dead", Nodes: 3, Crashes: 1, Halts: 1,
			New:     func(sim.NodeID) sim.Service { return &elector{Corrected: corrected} },
			Network: netsim.Datagrams{},
			Properties: []sim.Property{{Name: "all that have not halted know a leader", Eventually: func(v *sim.View) bool {
				for id := range sim.NodeID(v.Len()) {
					s, up := v.Service(id).(*elector)
					if !v.Halted(id) && !(up && s.Leader >= 0) {
						return false
					}
				}
				return true
			}}},
		}
	}
	return Case{
		Name: "dead minority", Why: "a node must go down forever between two messages: if it boots again, the system recovers",
		System: system(false), Corrected: system(true),
	}
}

type (
	stand   struct{} // timer
	elect   struct{ Term int }
	elected struct{ Term int }
	leads   struct {
		Term   int
		Leader sim.NodeID
	}
	who struct{} // leader
)

// elector is a node of [Dead].
type elector struct {
	sim.Nop
	Corrected bool
	Term      int
	For       sim.NodeID // the node that has its vote; -1 for none
	Votes     uint8      // for itself, by node
	Leader    sim.NodeID // -1 if unknown
}

func (e *elector) Boot(env sim.Env) {
	e.For, e.Leader = -1, -1
	if text, ok := env.Disk().Get("vote"); ok {
		term, whose, _ := strings.Cut(string(text), " ")
		e.Term, _ = strconv.Atoi(term)
		id, _ := strconv.Atoi(whose)
		e.For = sim.NodeID(id)
	}
	env.SetTimer(stand{}, time.Second)
}

// vote gives the vote of a term to a node.
func (e *elector) vote(env sim.Env, term int, whose sim.NodeID) {
	e.Term, e.For, e.Votes = term, whose, 0
	env.Disk().Put("vote", []byte(strconv.Itoa(term)+" "+strconv.Itoa(int(whose))))
	env.Disk().Sync()
}

func (e *elector) Timer(env sim.Env, _ any) {
	if e.Leader >= 0 {
		return
	}
	env.SetTimer(stand{}, time.Second)
	if e.For >= 0 && e.For != env.Self() && !e.Corrected {
		e.tell(env, who{})
		return // BUG: the node that it waits for may never come back
	}
	e.vote(env, e.Term+1, env.Self())
	e.Votes = 1 << env.Self()
	e.tell(env, elect{e.Term})
}

func (e *elector) tell(env sim.Env, msg any) {
	for id := range sim.NodeID(env.Nodes()) {
		if id != env.Self() {
			env.Send(id, msg)
		}
	}
}

func (e *elector) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case elect:
		if m.Term > e.Term {
			e.vote(env, m.Term, from)
			env.Send(from, elected{m.Term})
		}
	case elected:
		if m.Term != e.Term || e.For != env.Self() {
			return
		}
		e.Votes |= 1 << from
		e.Leader = env.Self()
		e.tell(env, leads{e.Term, e.Leader})
	case who:
		if e.Leader >= 0 {
			env.Send(from, leads{e.Term, e.Leader})
		}
	case leads:
		if m.Term >= e.Term {
			e.Term, e.Leader = m.Term, m.Leader
		}
	}
}
