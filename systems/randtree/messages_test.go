package randtree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// The node of these tests is n3 of 8, with room for two children. Epochs are {3 K}, K is 1 after
// boot and 2 after the next rise.

func booted() (*Node, *fakeEnv) {
	n, env := &Node{degree: 2}, &fakeEnv{self: 3, nodes: 8, full: map[sim.NodeID]bool{}}
	n.Boot(env)
	return n, env
}

func joining() (*Node, *fakeEnv) {
	n, env := booted()
	n.JoinOverlay(env, nodeset.Of(4))
	env.did = nil
	return n, env
}

// root returns a joined root with children 5 and 6.
func root() (*Node, *fakeEnv) {
	n, env := joining()
	n.settle(env)
	n.Children = nodeset.Of(5, 6)
	env.did = nil
	return n, env
}

// child returns a child of n1, with sibling 2 and the root 0.
func child() (*Node, *fakeEnv) {
	n, env := joining()
	n.Receive(env, 1, JoinReply{Accepted, epoch(3, 1), 0, nodeset.Of(2)})
	env.did = nil
	return n, env
}

func TestHandlers(t *testing.T) {
	join := func(source sim.NodeID) Join {
		return Join{Source: source, Epoch: epoch(source, 9), RedirectedBy: nodeset.None}
	}
	marked := func(source, by sim.NodeID) Join { j := join(source); j.RedirectedBy = by; return j }
	from := func(peer sim.NodeID, msg any) func(*Node, *fakeEnv) {
		return func(n *Node, env *fakeEnv) { n.Receive(env, peer, msg) }
	}
	timer := func(t any) func(*Node, *fakeEnv) { return func(n *Node, env *fakeEnv) { n.Timer(env, t) } }
	lost := func(peer sim.NodeID) func(*Node, *fakeEnv) {
		return func(n *Node, env *fakeEnv) { n.PeerError(env, peer, sim.ErrReset) }
	}
	ready := func(peer sim.NodeID) func(*Node, *fakeEnv) {
		return func(n *Node, env *fakeEnv) { n.PeerReady(env, peer) }
	}
	// below has child 5.
	below := func() (*Node, *fakeEnv) { n, env := child(); n.Children = nodeset.Of(5); return n, env }
	// belowRoot has the root for a parent.
	belowRoot := func(siblings ...sim.NodeID) func() (*Node, *fakeEnv) {
		return func() (*Node, *fakeEnv) {
			n, env := child()
			n.parent, n.Siblings, n.Children = 0, nodeset.Of(siblings...), nodeset.Of(5)
			return n, env
		}
	}
	full := func(make func() (*Node, *fakeEnv), peers ...sim.NodeID) func() (*Node, *fakeEnv) {
		return func() (*Node, *fakeEnv) {
			n, env := make()
			for _, p := range peers {
				env.full[p] = true
			}
			return n, env
		}
	}

	for _, c := range []struct {
		name   string
		start  func() (*Node, *fakeEnv)
		do     []func(*Node, *fakeEnv)
		effect string // in order, separated by ", "
		state  string // state root parent children epoch
	}{
		{"joinOverlay", booted, []func(*Node, *fakeEnv){func(n *Node, env *fakeEnv) { n.JoinOverlay(env, nodeset.Of(4)) }},
			"set recoveryTimer, 4: Join{3 {3 1} -1}, set joinTimer", "joining 3 -1 {} 1"},
		{"joinOverlay alone", booted, []func(*Node, *fakeEnv){func(n *Node, env *fakeEnv) { n.JoinOverlay(env, nodeset.Of(3)) }},
			"set recoveryTimer", "joined 3 3 {} 1"},

		// Join.
		{"a join in init", booted, do(from(5, join(5))), "", "init 3 -1 {} 1"},
		{"a join below a root", child, do(from(5, join(5))), "0: Join{5 {5 9} -1}", "joined 0 1 {} 2"},
		{"a join of the own root", child, do(from(5, join(0))), "0: JoinReply{loop-error {0 9} 0 {}}", "joined 0 1 {} 2"},
		{"a joining root takes a higher node", joining, do(from(5, join(5))),
			"5: JoinReply{accepted {5 9} 3 {}}, stop joinTimer", "joined 3 3 {5} 2"},
		{"a root joins a lower node", root, do(from(4, join(2))),
			"2: JoinReply{root-force {2 9} 0 {}}, 2: Join{3 {3 1} -1}, set joinTimer", "joining 3 -1 {5 6} 1"},
		{"a full root redirects", root, do(draw(1), from(7, join(7))), "6: Join{7 {7 9} 3}", "joined 3 3 {5 6} 2"},
		{"a child joins again", root, do(from(5, join(5))), "", "joined 3 3 {5 6} 1"},
		{"the own join comes back", joining, do(from(4, Join{3, epoch(3, 1), nodeset.None})), "stop joinTimer", "joined 3 3 {} 1"},
		{"an old own join comes back", child, do(from(4, Join{3, epoch(3, 1), nodeset.None})), "", "joined 0 1 {} 2"},
		{"a marked join by the parent", child, do(from(1, marked(7, 0))), "7: JoinReply{accepted {7 9} 0 {}}", "joined 0 1 {7} 2"},
		{"a marked join by another", child, do(from(2, marked(7, 0))), "0: Join{7 {7 9} -1}", "joined 0 1 {} 2"},
		{"a join marked by another root", child, do(from(1, marked(7, 4))), "0: Join{7 {7 9} -1}", "joined 0 1 {} 2"},
		{"a second child is told to the first", below, do(from(1, marked(7, 0))),
			"7: JoinReply{accepted {7 9} 0 {5}}, 5: UpdateSiblings{0 {7}}", "joined 0 1 {5 7} 2"},
		{"a refused acceptance adds no child", full(child, 7), do(from(1, marked(7, 0))), "", "joined 0 1 {} 2"},
		{"a join that cannot be sent on", full(child, 0), do(from(5, join(5))), "5: JoinReply{unreachable {5 9} 0 {}}", "joined 0 1 {} 2"},

		// JoinReply.
		{"an acceptance", joining, do(from(1, JoinReply{Accepted, epoch(3, 1), 0, nodeset.Of(2)})), "stop joinTimer", "joined 0 1 {} 2"},
		{"an acceptance tells the children", root, do(from(1, JoinReply{Accepted, epoch(3, 1), 0, nodeset.Of(2)})),
			"5: UpdateSiblings{0 {6}}, 6: UpdateSiblings{0 {5}}", "joined 0 1 {5 6} 2"},
		{"an acceptance by a child keeps it", root, do(from(5, JoinReply{Accepted, epoch(3, 1), 0, nodeset.Of(2)})),
			"5: UpdateSiblings{0 {6}}, 6: UpdateSiblings{0 {5}}", "joined 0 5 {5 6} 2"},
		{"an old acceptance", joining, do(from(1, JoinReply{Accepted, epoch(3, 0), 0, 0})), "1: Remove{}", "joining 3 -1 {} 1"},
		{"an acceptance with a parent", child, do(from(2, JoinReply{Accepted, epoch(3, 2), 0, 0})), "2: Remove{}", "joined 0 1 {} 2"},
		{"an old acceptance by the parent", child, do(from(1, JoinReply{Accepted, epoch(3, 1), 0, 0})), "", "joined 0 1 {} 2"},
		{"an acceptance in init", booted, do(from(1, JoinReply{Accepted, epoch(3, 1), 0, 0})), "1: Remove{}", "init 3 -1 {} 1"},
		{"root-force, then an acceptance", joining, do(from(4, JoinReply{RootForce, epoch(3, 1), 0, 0}), from(1, JoinReply{Accepted, epoch(3, 1), 0, 0})),
			"stop joinTimer", "joined 0 1 {} 2"},
		{"an old root-force", joining, do(from(4, JoinReply{RootForce, epoch(3, 0), 0, 0})), "", "joining 3 -1 {} 1"},

		// The join timer.
		{"the only peer again", joining, do(timer(joinTimer{})), "4: Join{3 {3 1} -1}, set joinTimer", "joining 3 -1 {} 1"},
		{"the next peer that is no child", joining, do(set(func(n *Node) { n.Peers, n.Children = nodeset.Of(0, 4, 5), nodeset.Of(5) }), timer(joinTimer{})),
			"0: Join{3 {3 1} -1}, set joinTimer", "joining 3 -1 {5} 1"},
		{"all peers are children", joining, do(set(func(n *Node) { n.Children = nodeset.Of(4) }), timer(joinTimer{})), "stop joinTimer", "joined 3 3 {4} 1"},

		// The family.
		{"a new root from the parent", below, do(from(1, NewRoot{2})), "5: NewRoot{2}", "joined 2 1 {5} 2"},
		{"a new root from another", below, do(from(2, NewRoot{2})), "", "joined 0 1 {5} 2"},
		{"siblings with another root", below, do(from(1, UpdateSiblings{2, 0})), "5: NewRoot{2}", "joined 2 1 {5} 2"},
		{"a remove", root, do(from(5, Remove{})), "6: UpdateSiblings{3 {}}", "joined 3 3 {6} 1"},
		{"a remove from no child", root, do(from(7, Remove{})), "", "joined 3 3 {5 6} 1"},
		{"shed", root, do(draw(1), func(n *Node, env *fakeEnv) { n.Shed(env) }), "6: Rejoin{}", "joined 3 3 {5 6} 1"},
		{"rejoin", below, do(from(1, Rejoin{})),
			"1: Remove{}, 5: NewRoot{3}, 0: Join{3 {3 3} -1}, set joinTimer", "joining 3 -1 {5} 3"},
		{"rejoin from another", below, do(from(2, Rejoin{})), "", "joined 0 1 {5} 2"},

		// Errors.
		{"a child is lost", root, do(lost(5)), "6: UpdateSiblings{3 {}}", "joined 3 3 {6} 1"},
		{"the parent is lost", below, do(lost(1)), "5: NewRoot{3}, 0: Join{3 {3 3} -1}, set joinTimer", "joining 3 -1 {5} 3"},
		{"the root is lost, a sibling is lower", belowRoot(2, 4), do(lost(0)),
			"5: NewRoot{3}, 2: Join{3 {3 3} -1}, set joinTimer", "joining 3 -1 {5} 3"},
		{"the root is lost, no sibling is lower", belowRoot(4), do(lost(0)), "5: NewRoot{3}", "joined 3 3 {5} 3"},
		{"a peer that is child and parent is lost", below, do(set(func(n *Node) { n.Children = nodeset.Of(1, 5) }), lost(1)),
			"5: UpdateSiblings{0 {}}, 5: NewRoot{3}, 0: Join{3 {3 3} -1}, set joinTimer", "joining 3 -1 {5} 3"},

		// Recovery.
		{"the root is no target of probes", joining, do(set(func(n *Node) { n.Root = 4 }), timer(recoveryTimer{})), "set recoveryTimer", "joining 4 -1 {} 1"},
		{"a probe while joining", joining, do(timer(recoveryTimer{})), "set recoveryTimer, 4: Probe{3}", "joining 3 -1 {} 1"},
		{"probed in init", booted, do(from(2, Probe{0})), "", "init 3 -1 {} 1"},
		{"probed while joining", joining, do(from(2, Probe{0})), "", "joining 3 -1 {} 1"},
		{"probed with the same root", child, do(from(2, Probe{0})), "", "joined 0 1 {} 2"},
		{"probed with a higher root", child, do(from(2, Probe{5})), "5: ProbeJoin{0}", "joined 0 1 {} 2"},
		{"a root probed with a lower root", root, do(from(2, Probe{0})), "0: Join{3 {3 1} -1}, set joinTimer", "joining 3 -1 {5 6} 1"},
		{"a child probed with a lower root", child, do(set(func(n *Node) { n.Root = 2 }), from(7, Probe{1})), "2: ProbeJoin{1}", "joined 2 1 {} 2"},
		{"told to join", root, do(from(2, ProbeJoin{0})), "0: Join{3 {3 1} -1}, set joinTimer", "joining 3 -1 {5 6} 1"},
		{"told to join in init", booted, do(from(2, ProbeJoin{0})), "", "init 3 -1 {} 1"},
		{"told to join while joining", joining, do(from(2, ProbeJoin{0})), "", "joining 3 -1 {} 1"},
		{"told to join a higher node", root, do(from(2, ProbeJoin{4})), "", "joined 3 3 {5 6} 1"},
		{"told to join, but no root", child, do(from(2, ProbeJoin{0})), "", "joined 0 1 {} 2"},

		// Full send buffers.
		{"a refused new root is sent with the siblings", full(below, 5), do(from(1, NewRoot{2}), drain(5), ready(5)), "5: UpdateSiblings{2 {}}", "joined 2 1 {5} 2"},
		{"refused siblings", full(root, 6), do(from(5, Remove{}), drain(6), ready(6)), "6: UpdateSiblings{3 {}}", "joined 3 3 {6} 1"},
		{"a child that is gone is owed nothing", full(root, 6), do(from(5, Remove{}), from(6, Remove{}), drain(6), ready(6)), "", "joined 3 3 {} 1"},
		{"a refused remove", full(booted, 1), do(from(1, JoinReply{Accepted, epoch(3, 0), 0, 0}), ready(1), drain(1), ready(1)), "1: Remove{}", "init 3 -1 {} 1"},
		{"a refused remove to a peer that fails", full(booted, 1), do(from(1, JoinReply{Accepted, epoch(3, 0), 0, 0}), lost(1), drain(1), ready(1)), "", "init 3 -1 {} 1"},
		{"a refused remove to the new parent", full(joining, 1), do(from(1, JoinReply{Accepted, epoch(3, 0), 0, 0}), from(1, JoinReply{Accepted, epoch(3, 1), 0, 0}), drain(1), ready(1)),
			"stop joinTimer", "joined 0 1 {} 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, env := c.start()
			for _, do := range c.do {
				do(n, env)
			}
			if got := strings.Join(env.did, ", "); got != c.effect {
				t.Errorf("effects\n got %s\nwant %s", got, c.effect)
			}
			if got := describe(n); got != c.state {
				t.Errorf("state %s, want %s", got, c.state)
			}
			if len(env.failed) > 0 {
				t.Errorf("assertions failed: %q", env.failed)
			}
		})
	}
}

func do(steps ...func(*Node, *fakeEnv)) []func(*Node, *fakeEnv) { return steps }

func draw(i int) func(*Node, *fakeEnv) { return func(_ *Node, env *fakeEnv) { env.draw = i } }

func set(change func(*Node)) func(*Node, *fakeEnv) { return func(n *Node, _ *fakeEnv) { change(n) } }

func drain(peer sim.NodeID) func(*Node, *fakeEnv) {
	return func(_ *Node, env *fakeEnv) { delete(env.full, peer) }
}

// Every node that a node decides to join becomes a peer: otherwise the search for another could not end.
func TestTargetsBecomePeers(t *testing.T) {
	for _, c := range []struct {
		name  string
		start func() (*Node, *fakeEnv)
		do    func(*Node, *fakeEnv)
		bug   bugs
		want  sim.NodeID
	}{
		{"a lower joiner", root, func(n *Node, env *fakeEnv) { n.Receive(env, 2, Join{2, epoch(2, 9), nodeset.None}) }, rt1, 2},
		{"a sibling", child, func(n *Node, env *fakeEnv) { n.parent = 0; n.PeerError(env, 0, sim.ErrReset) }, rt5, 2},
		{"the root, the parent lost", child, func(n *Node, env *fakeEnv) { n.PeerError(env, 1, sim.ErrReset) }, rt6, 0},
		{"a root that a probe told of", root, func(n *Node, env *fakeEnv) { n.Receive(env, 7, Probe{0}) }, rt7, 0},
		{"a root that another told of", root, func(n *Node, env *fakeEnv) { n.Receive(env, 7, ProbeJoin{0}) }, rt8, 0},
		{"the root, told to rejoin", child, func(n *Node, env *fakeEnv) { n.Receive(env, 1, Rejoin{}) }, rt9, 0},
	} {
		for _, bug := range []bugs{0, c.bug} {
			n, env := c.start()
			n.bugs = bug
			c.do(n, env)
			if n.State != Joining || n.Bootstrap != c.want || n.Peers.Has(c.want) != (bug == 0) {
				t.Errorf("%s, bugs %b: %s, asked %d, peers %v", c.name, bug, describe(n), n.Bootstrap, n.Peers)
			}
		}
	}
}

func describe(n *Node) string {
	var b strings.Builder
	for i, part := range []any{n.State, n.Root, n.Parent(), n.Children, n.Epoch.Count} {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, part)
	}
	return b.String()
}

// Recovery probes alternate between the peers outside the family.
func TestProbesGoRound(t *testing.T) {
	n, env := child()
	n.Peers, n.Children = nodeset.Of(0, 1, 2, 4, 5, 6), nodeset.Of(5) // 0 is the root, 1 the parent
	for range 4 {
		n.Timer(env, recoveryTimer{})
	}
	env.did = slices.DeleteFunc(env.did, func(s string) bool { return s == "set recoveryTimer" })
	if got, want := strings.Join(env.did, ", "), "4: Probe{0}, 6: Probe{0}, 2: Probe{0}, 4: Probe{0}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
