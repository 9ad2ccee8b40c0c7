package multicast

import (
	"cmp"
	"slices"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/randtree"
)

// service is the name of a member in traces.
const service = "multicast"

// Member is the service of one node. It owns a tree, and is the tree's application.
type Member struct {
	// Delivered are the delivered publications, by publisher and age.
	Delivered []Publication

	tree      *randtree.Node
	published int         // since the node started
	repeated  int         // repeated deliveries
	owed      nodeset.Set // peers for which something was refused
}

// Publication identifies a publication by the time of its publisher.
type Publication struct{ ID macetime.MonotoneTime }

// Batch contains publications.
type Batch struct{ Publications []Publication }

// NewMember returns a member of a tree with these settings.
func NewMember(c randtree.Config) *Member {
	m := &Member{}
	m.tree = randtree.New(m, c)
	return m
}

// Tree implements [randtree.Holder].
func (m *Member) Tree() *randtree.Node { return m.tree }

// Boot implements [sim.Service].
func (m *Member) Boot(env sim.Env) { m.tree.Boot(env) }

// Receive implements [sim.Service].
func (m *Member) Receive(env sim.Env, from sim.NodeID, msg any) { m.tree.Receive(env, from, msg) }

// Timer implements [sim.Service].
func (m *Member) Timer(env sim.Env, t any) { m.tree.Timer(env, t) }

// PeerError implements [sim.PeerErrorHandler].
func (m *Member) PeerError(env sim.Env, peer sim.NodeID, err error) { m.tree.PeerError(env, peer, err) }

// PeerReady implements [sim.PeerReadyHandler].
func (m *Member) PeerReady(env sim.Env, peer sim.NodeID) { m.tree.PeerReady(env, peer) }

// Publish publishes a new publication.
func (m *Member) Publish(env sim.Env) {
	m.published++
	m.take(env, env.Self(), []Publication{{env.Clock().Tick()}})
}

// Deliver implements [randtree.Application].
func (m *Member) Deliver(env sim.Env, from sim.NodeID, msg any) {
	defer sim.Enter(env, service, "Deliver", from, msg).Leave()
	b, _ := msg.(Batch)
	fresh := slices.DeleteFunc(slices.Clone(b.Publications), m.has)
	m.take(env, from, fresh)
}

// take delivers publications from a node, and passes them on.
func (m *Member) take(env sim.Env, from sim.NodeID, fresh []Publication) {
	if len(fresh) == 0 {
		return
	}
	for _, p := range fresh {
		m.deliver(p)
	}
	for peer := range m.tree.Neighbours().Without(from).All() {
		m.send(env, peer, fresh)
	}
}

// deliver is where the application would get the publication.
func (m *Member) deliver(p Publication) {
	i, found := slices.BinarySearchFunc(m.Delivered, p, order)
	if found {
		m.repeated++
		return
	}
	m.Delivered = slices.Insert(m.Delivered, i, p)
}

func (m *Member) has(p Publication) bool {
	_, found := slices.BinarySearchFunc(m.Delivered, p, order)
	return found
}

func order(a, b Publication) int {
	return cmp.Or(cmp.Compare(a.ID.Node, b.ID.Node), cmp.Compare(a.ID.Count, b.ID.Count))
}

func (m *Member) send(env sim.Env, to sim.NodeID, publications []Publication) {
	if m.tree.Send(env, to, Batch{publications}) != nil {
		m.owed = m.owed.With(to)
	}
}

// Linked implements [randtree.Application]. It sends everything to the new neighbor.
func (m *Member) Linked(env sim.Env, peer sim.NodeID) {
	defer sim.Enter(env, service, "Linked", peer).Leave()
	m.tellAll(env, peer)
}

// Ready implements [randtree.Application].
func (m *Member) Ready(env sim.Env, peer sim.NodeID) {
	defer sim.Enter(env, service, "Ready", peer).Leave()
	if m.owed.Has(peer) && m.tree.Neighbours().Has(peer) {
		m.tellAll(env, peer)
	}
}

func (m *Member) tellAll(env sim.Env, peer sim.NodeID) {
	m.owed = m.owed.Without(peer)
	if len(m.Delivered) > 0 {
		m.send(env, peer, slices.Clone(m.Delivered))
	}
}
