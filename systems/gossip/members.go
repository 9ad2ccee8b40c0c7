package gossip

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"time"

	"github.com/macemc/macemc/sim"
)

// Member is a node's belief about another node.
type Member struct {
	Status      Status
	Incarnation int
	// Untold is the number of messages that still have to carry this belief.
	Untold int
}

func (m Member) String() string { return fmt.Sprintf("%v(%d)", m.Status, m.Incarnation) }

// superseded reports whether u is newer than the belief m: of a later incarnation, or worse within the same one. If
// dead nodes do not come back, nothing is newer than a death.
func (n *Node) superseded(m Member, u Update) bool {
	switch {
	case !n.config.rejoin && (m.Status == Dead || u.Status == Dead):
		return m.Status != Dead
	case u.Incarnation != m.Incarnation:
		return u.Incarnation > m.Incarnation
	}
	return u.Status > m.Status
}

// hear processes the news of a message. It reports whether the node still participates.
func (n *Node) hear(env sim.Env, from sim.NodeID, news News) bool {
	n.learn(env, Update{from, Alive, news.Incarnation})
	for _, u := range news.Updates {
		n.learn(env, u)
	}
	return !n.Out
}

// learn processes one update, which is passed on if it is new.
func (n *Node) learn(env sim.Env, u Update) {
	if u.Node == n.self {
		n.learnOfSelf(env, u)
		return
	}
	if !n.superseded(n.Members[u.Node], u) {
		return
	}
	n.Members[u.Node] = Member{u.Status, u.Incarnation, n.tellings()}
	if u.Status == Suspect {
		env.SetTimer(suspicionTimer{u.Node}, time.Duration(n.config.suspicion)*period+ackWait)
		return
	}
	if u.Status == Dead || !n.config.bugs.has(gs2) {
		env.StopTimer(suspicionTimer{u.Node})
	}
	n.answered(env, u.Node) // a probe would yield nothing more
}

// learnOfSelf refutes an update about the node itself by starting a new incarnation.
func (n *Node) learnOfSelf(env sim.Env, u Update) {
	own := n.Members[n.self].Incarnation
	switch {
	case u.Status == Dead && !n.config.rejoin:
		n.leave(env)
	case u.Status == Alive || u.Incarnation < own:
	case n.config.bugs.has(gs1):
		n.incarnate(env, u.Incarnation)
	default:
		n.incarnate(env, u.Incarnation+1)
	}
}

func (n *Node) leave(env sim.Env) {
	n.Out = true
	n.answered(env, n.Probed)
	env.StopTimer(periodTimer{})
	for id, m := range n.Members {
		if m.Status == Suspect {
			env.StopTimer(suspicionTimer{sim.NodeID(id)})
		}
	}
}

// tellings is the number of messages that carry an update: enough that it probably reaches all nodes. Probes inform the
// others.
func (n *Node) tellings() int { return bits.Len(uint(len(n.Members))) }

// news returns the news for a message to a node: the sender's belief about that node, if it is bad, and the updates
// that were sent the fewest times.
func (n *Node) news(to sim.NodeID) News {
	news := News{Incarnation: n.Members[n.self].Incarnation}
	if m := n.Members[to]; m.Status != Alive {
		news.Updates = append(news.Updates, Update{to, m.Status, m.Incarnation})
	}
	for told := (map[sim.NodeID]bool{to: true}); len(told) <= n.config.carry; {
		best := None
		for i, m := range n.Members {
			if id := sim.NodeID(i); !told[id] && m.Untold > 0 && (best == None || m.Untold > n.Members[best].Untold) {
				best = id
			}
		}
		if best == None {
			break
		}
		m := &n.Members[best]
		m.Untold--
		told[best] = true
		news.Updates = append(news.Updates, Update{best, m.Status, m.Incarnation})
	}
	return news
}

const nextKey = "next incarnation"

// load returns a new incarnation for the boot of a node.
func load(env sim.Env) int {
	b, _ := env.Disk().Get(nextKey)
	next, _ := binary.Uvarint(b)
	return int(next)
}

// incarnate starts an incarnation. It is on disk before it is visible to others.
func (n *Node) incarnate(env sim.Env, incarnation int) {
	n.Members[n.self].Incarnation = incarnation
	if n.config.bugs.has(gs4) && incarnation > n.Born {
		return
	}
	env.Disk().Put(nextKey, binary.AppendUvarint(nil, uint64(incarnation)+1))
	env.Disk().Sync()
}
