package overcast

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// fakeEnv records the effects of one node.
type fakeEnv struct {
	sim.Env
	sent  []string // as "1<-Unlock{}"
	full  bool     // send buffers refuse everything
	armed map[any]bool
	disk  map[string][]byte
	pick  int
}

func (e *fakeEnv) Self() sim.NodeID                  { return 1 }
func (e *fakeEnv) SetTimer(t any, _ time.Duration)   { e.armed[t] = true }
func (e *fakeEnv) StopTimer(t any)                   { delete(e.armed, t) }
func (e *fakeEnv) Choose(string, int) int            { return e.pick }
func (e *fakeEnv) Stream(peer sim.NodeID) sim.Stream { return fakeStream{e: e, peer: peer} }
func (e *fakeEnv) Disk() sim.Disk                    { return fakeDisk{e: e} }

// expect compares the messages sent since the last call.
func (e *fakeEnv) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(e.sent, want) {
		t.Errorf("sent %q, want %q", e.sent, want)
	}
	e.sent = nil
}

type fakeStream struct {
	sim.Stream
	e    *fakeEnv
	peer sim.NodeID
}

func (s fakeStream) Send(msg any) error {
	if s.e.full {
		return sim.ErrFull
	}
	s.e.sent = append(s.e.sent, fmt.Sprintf("%d<-%T%v", s.peer, msg, msg))
	return nil
}

type fakeDisk struct {
	sim.Disk
	e *fakeEnv
}

func (d fakeDisk) Put(key string, value []byte)  { d.e.disk[key] = value }
func (d fakeDisk) Get(key string) ([]byte, bool) { v, ok := d.e.disk[key]; return v, ok }
func (d fakeDisk) Sync()                         {}

// joined returns node 1 as a child of the root, both in round 3, and the environment it runs in.
func joined(set bugs) (*Node, *fakeEnv) {
	e := &fakeEnv{armed: map[any]bool{}, disk: map[string][]byte{}}
	n := &Node{degree: 2, train: 2, bugs: set}
	n.Boot(e)
	n.JoinOverlay(e)
	n.Receive(e, Root, Accept{Round: 3})
	e.sent = nil
	return n, e
}

// A lock ends by an unlock, by the holder's error and by time; with OV1 only by an unlock.
func TestLockEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(*Node, *fakeEnv)
		ov1  sim.NodeID // the holder of the lock afterwards
	}{
		{"unlock", func(n *Node, e *fakeEnv) { n.Receive(e, 2, Unlock{}) }, None},
		{"error", func(n *Node, e *fakeEnv) { n.PeerError(e, 2, sim.ErrReset) }, 2},
		{"time", func(n *Node, e *fakeEnv) {
			if e.armed[leaseTimer{}] {
				n.Timer(e, leaseTimer{})
			}
		}, 2},
	} {
		for _, set := range []bugs{0, ov1} {
			want := None
			if set == ov1 {
				want = tc.ov1
			}
			n, e := joined(set)
			n.Receive(e, 2, Lock{Round: 2})
			e.expect(t, "2<-overcast.Locked{}")
			n.Receive(e, 3, Lock{Round: 2})
			e.expect(t, "3<-overcast.Refused{}")
			n.Receive(e, 3, Unlock{}) // not its lock
			if n.Holder != 2 {
				t.Fatalf("%s: held by %d", tc.name, n.Holder)
			}
			if tc.end(n, e); n.Holder != want {
				t.Errorf("%s, bugs %d: held by %d, want %d", tc.name, set, n.Holder, want)
			}
		}
	}
}

// An unlock that the transport refuses is sent when there is room; with OV1 it is forgotten.
func TestRefusedUnlock(t *testing.T) {
	for _, set := range []bugs{0, ov1} {
		n, e := joined(set)
		e.pick = 1
		n.Receive(e, Root, Reorganise{Round: 4, Siblings: nodeset.Of(2), Grandparent: None})
		e.expect(t, "0<-overcast.Lock{3}", "2<-overcast.Lock{3}")
		e.full = true
		n.Timer(e, probeTimer{})
		e.full = false
		n.PeerReady(e, 2)
		if set == 0 {
			e.expect(t, "2<-overcast.Unlock{}")
		} else {
			e.expect(t)
		}
		n.PeerReady(e, 2) // only once
		e.expect(t)
	}
}

// A move: both are locked, then both get their trains, and the parent changes when the other accepts.
func TestMove(t *testing.T) {
	n, e := joined(0)
	e.pick = 1
	n.Receive(e, Root, Reorganise{Round: 4, Siblings: nodeset.Of(2), Grandparent: None})
	e.expect(t, "0<-overcast.Lock{3}", "2<-overcast.Lock{3}")
	n.Receive(e, 2, Locked{})
	e.expect(t)
	n.Receive(e, Root, Locked{})
	e.expect(t, "0<-overcast.Probe{false}", "0<-overcast.Probe{true}", "2<-overcast.Probe{false}", "2<-overcast.Probe{true}")
	n.Receive(e, 3, Lock{Round: 2})
	n.Receive(e, Root, Join{Source: 3, Round: 5})
	e.expect(t, "3<-overcast.Refused{}") // to the lock; the join is ignored
	n.Receive(e, 2, Probed{})
	n.Receive(e, Root, Probed{})
	e.expect(t, "2<-overcast.Move{}")
	n.Receive(e, 2, Accept{Round: 4})
	e.expect(t, "0<-overcast.Remove{}", "0<-overcast.Unlock{}", "2<-overcast.Unlock{}")
	if n.Parent != 2 || n.Round != 4 || n.probe != (probe{}) || e.armed[probeTimer{}] {
		t.Errorf("got %+v, want parent 2, round 4, and no probe", n)
	}
}

// A parent must know of a later round. Rounds outlive crashes.
func TestRounds(t *testing.T) {
	n, e := joined(0)
	n.PeerError(e, Root, sim.ErrReset)
	e.expect(t, "0<-overcast.Join{1 3 0}")
	n.Receive(e, 2, Accept{Round: 3})
	e.expect(t, "2<-overcast.Remove{}")

	n = &Node{degree: 2, train: 2}
	n.Boot(e)
	n.Receive(e, 2, Accept{Round: 9}) // to the node before it crashed
	e.expect(t, "2<-overcast.Remove{}")
	n.JoinOverlay(e)
	e.expect(t, "0<-overcast.Join{1 3 0}")
	n.Receive(e, 2, Accept{Round: 3})
	e.expect(t, "2<-overcast.Remove{}")
	if n.Receive(e, 2, Accept{Round: 4}); n.Parent != 2 || n.Round != 4 {
		t.Errorf("got %+v, want parent 2, round 4", n)
	}
}

// A Remove that the transport refuses is sent when there is room, unless the peer is the parent by then, or
// has failed and forgotten by itself. Nor is an unlock sent to one that has failed.
func TestOwed(t *testing.T) {
	refused := func(msg any) (*Node, *fakeEnv) {
		n, e := joined(0)
		e.full = true
		n.Receive(e, 2, msg)
		e.full = false
		return n, e
	}
	n, e := refused(Accept{Round: 3}) // it has a parent
	n.PeerReady(e, 2)
	e.expect(t, "2<-overcast.Remove{}")
	n.PeerReady(e, 2) // only once
	e.expect(t)

	n, e = refused(Accept{Round: 3})
	n.PeerError(e, Root, sim.ErrReset)
	n.Receive(e, 2, Accept{Round: 4})
	e.expect(t, "0<-overcast.Join{1 3 0}")
	if n.PeerReady(e, 2); n.Parent != 2 {
		t.Fatalf("got %+v, want parent 2", n)
	}
	e.expect(t)

	for _, msg := range []any{Accept{Round: 3}, Locked{}} { // Locked: for a probe that has ended
		n, e = refused(msg)
		n.PeerError(e, 2, sim.ErrReset)
		n.PeerReady(e, 2)
		e.expect(t)
	}
}

// An answer to a lock that comes when the probe has ended is answered by an unlock.
func TestLateLocked(t *testing.T) {
	n, e := joined(0)
	n.Receive(e, 2, Locked{})
	e.expect(t, "2<-overcast.Unlock{}")
}

// A lock is granted to children, and to nodes for which there is room and that know an earlier round. A move needs
// the lock, room and a node with a parent.
func TestLockAndMoveAsked(t *testing.T) {
	for _, tc := range []struct {
		name     string
		children nodeset.Set
		round    uint64 // of the asking node, 2; this one is in round 3
		before   func(*Node, *fakeEnv)
		lock     string
		move     string
	}{
		{"in an earlier round", 0, 2, nil, "Locked", "Accept{3}"},
		{"in the same round", 0, 3, nil, "Refused", "Refused{}"},
		{"in a later round", 0, 4, nil, "Refused", "Refused{}"},
		{"no room", nodeset.Of(3, 4), 2, nil, "Refused", "Refused{}"},
		{"a child", nodeset.Of(2, 4), 3, nil, "Locked", "Refused{}"},
		{"the lock has ended", 0, 2, func(n *Node, e *fakeEnv) { n.Timer(e, leaseTimer{}) }, "Locked", "Refused{}"},
		{"the parent is lost", 0, 2, func(n *Node, e *fakeEnv) { n.PeerError(e, Root, sim.ErrReset); e.sent = nil }, "Locked", "Refused{}"},
	} {
		n, e := joined(0)
		n.Children = tc.children
		n.Receive(e, 2, Lock{Round: tc.round})
		e.expect(t, "2<-overcast."+tc.lock+"{}")
		if tc.before != nil {
			tc.before(n, e)
		}
		n.Receive(e, 2, Move{})
		e.expect(t, "2<-overcast."+tc.move)
		if accepted := tc.move == "Accept{3}"; n.Children.Has(2) != (accepted || tc.children.Has(2)) || !accepted && n.Holder != None {
			t.Errorf("%s: children %v, held by %d", tc.name, n.Children, n.Holder)
		}
	}
}

// The root begins a round for a joiner that already knows the latest one.
func TestRootBeginsRound(t *testing.T) {
	e := &fakeEnv{armed: map[any]bool{}, disk: map[string][]byte{}}
	n := &Node{degree: 2}
	n.Boot(e)
	n.self = Root
	n.JoinOverlay(e)
	for _, tc := range []struct {
		source sim.NodeID
		last   uint64
		want   string
	}{{2, 0, "2<-overcast.Accept{1}"}, {3, 5, "3<-overcast.Accept{6}"}} {
		n.Receive(e, tc.source, Join{Source: tc.source, Last: tc.last})
		e.expect(t, tc.want)
	}
}
