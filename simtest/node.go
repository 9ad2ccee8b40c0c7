package simtest

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Node is one node of a system, in a test. It must be used by the goroutine of the test only. Its methods fail the test
// at once if their event cannot happen in the current state.
type Node[S sim.Service] struct {
	t     testing.TB
	id    sim.NodeID
	nodes int
	run   *runner.Runner

	quorums []string
	plans   *encoding.Set

	questions questions
	room      map[sim.NodeID]int // of streams for which it was set

	sent      []Sent
	untouched []sentMessage // all messages ever sent
	announced []any
	timers    []Timer
}

// sentMessage is a message that the node must not change any more.
type sentMessage struct {
	to  sim.NodeID
	msg netmodel.Message
}

// Timer is an armed timer.
type Timer struct {
	Value any
	After time.Duration // delay that it was set with
}

// New returns a node of the system that is down and has an empty disk. It runs an S. Only the fields New, Nodes,
// Network, State, Actions and Quorums of the system matter. The test fails if the system is not valid.
func New[S sim.Service](t testing.TB, sys sim.System, id sim.NodeID) *Node[S] {
	t.Helper()
	if id < 0 || int(id) >= sys.Nodes {
		t.Fatalf("simtest.New: there is no node %d; the system has %d nodes", id, sys.Nodes)
	}
	if sys.New != nil {
		s := sys.New(id)
		defer declared.Discard(s)
		if _, ok := s.(S); !ok {
			t.Fatalf("simtest.New: node %d runs a %T, not a %T", id, s, *new(S))
		}
	}
	run, err := runner.NewRunner(&sys, kernel.Options{CheckMessages: true, Log: slog.New(slog.NewTextHandler(t.Output(),
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))})
	if err != nil {
		t.Fatalf("simtest.New: %v", err)
	}
	plans, err := encoding.NewSet(declared.Rules(sys.State, rule.ByElements())...)
	if err != nil {
		t.Fatalf("simtest.New: %v", err)
	}
	h := &Node[S]{t: t, id: id, nodes: sys.Nodes, run: run, quorums: sys.QuorumNames(), plans: plans, room: map[sim.NodeID]int{}}
	h.questions.init()
	t.Cleanup(func() {
		t.Helper()
		h.unchanged()
		if found := h.run.Close(h.id); found != nil {
			t.Errorf("n%d: %v", id, found)
		}
		if left := h.questions.left(); left != "" {
			t.Errorf("n%d did not use all answers: %s; a choice with one alternative needs none", id, left)
		}
	})
	return h
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// Boot starts the node, which must be down, with a new service.
func (h *Node[S]) Boot() {
	h.t.Helper()
	if h.run.Up(h.id) {
		h.t.Fatalf("Boot: n%d is up", h.id)
	}
	h.step(netmodel.Event{Kind: eventkind.Boot, Node: h.id, Peer: -1}, declared.Handed{}, nil)
}

// Receive delivers a copy of msg.
func (h *Node[S]) Receive(from sim.NodeID, msg any) {
	h.t.Helper()
	h.peer("Receive", from)
	body, err := h.run.Copy(msg)
	if err != nil {
		h.t.Fatalf("Receive: %v", err)
	}
	h.step(netmodel.Event{Kind: eventkind.Deliver, Node: h.id, Peer: from},
		declared.Handed{Delivery: netmodel.Delivery{From: from, Msg: netmodel.Message{Body: body}}}, nil)
}

// Take passes a copy of a set of messages to the named quorum, which must take exactly this set in the current state.
func (h *Node[S]) Take(quorum string, set ...sim.From[any]) {
	h.t.Helper()
	h.up("Take")
	q := slices.Index(h.quorums, quorum)
	if q < 0 {
		h.t.Fatalf("Take: the system has no quorum %q; it has %q", quorum, h.quorums)
	}
	set = slices.Clone(set)
	for i := range set {
		h.peer("Take", set[i].From)
		body, err := h.run.Copy(set[i].Msg)
		if err != nil {
			h.t.Fatalf("Take: %v", err)
		}
		set[i].Msg = body
	}
	slices.SortStableFunc(set, func(a, b sim.From[any]) int { return int(a.From - b.From) })
	made, found := h.run.Assemble(h.id, set)
	if found != nil {
		h.t.Fatalf("Take: %v", found)
	}
	if !slices.ContainsFunc(made.Sets, func(s declared.AssemblySet) bool { return int(s.Quorum) == q && len(s.Members) == len(set) }) {
		h.t.Fatalf("Take: n%d does not take these %d messages by quorum %q in this state", h.id, len(set), quorum)
	}
	h.step(netmodel.Event{Kind: eventkind.TakeQuorum, Node: h.id, Peer: -1, Msgs: int32(len(set))},
		declared.Handed{Delivery: netmodel.Delivery{From: -1}, Set: &declared.Assembled{Quorum: int32(q), Set: set}}, nil)
}

// Fire fires a timer, which must be armed. Timers may fire in any order.
func (h *Node[S]) Fire(timer any) {
	h.t.Helper()
	h.up("Fire")
	ev, ok := h.run.TimerEvent(h.id, timer)
	if !ok {
		h.t.Fatalf("Fire: n%d has not armed %s; armed are %s", h.id, h.run.TimerText(timer), h.timerTexts())
	}
	h.disarm(timer)
	h.step(ev, declared.Handed{}, nil)
}

// PeerError notifies the node that its connection to peer is broken. Its service must handle this. The send buffer to
// peer is then empty.
func (h *Node[S]) PeerError(peer sim.NodeID, err error) {
	h.t.Helper()
	h.peer("PeerError", peer)
	if _, ok := any(h.Service()).(sim.PeerErrorHandler); !ok {
		h.t.Fatalf("PeerError: %T has no PeerError(sim.Env, sim.NodeID, error)", h.Service())
	}
	delete(h.room, peer)
	h.step(netmodel.Event{Kind: eventkind.DeliverError, Node: h.id, Peer: peer},
		declared.Handed{Delivery: netmodel.Delivery{From: peer, Err: err}}, nil)
}

// PeerReady notifies the node that the stream to peer, which has refused a message, has room again. Its service must
// handle this. [Node.SetRoom] sets the amount of room.
func (h *Node[S]) PeerReady(peer sim.NodeID) {
	h.t.Helper()
	h.peer("PeerReady", peer)
	if _, ok := any(h.Service()).(sim.PeerReadyHandler); !ok {
		h.t.Fatalf("PeerReady: %T has no PeerReady(sim.Env, sim.NodeID)", h.Service())
	}
	h.step(netmodel.Event{Kind: eventkind.DeliverReady, Node: h.id, Peer: peer}, declared.Handed{Delivery: netmodel.Delivery{From: peer}}, nil)
}

// Action executes an action of the system, which must be enabled.
func (h *Node[S]) Action(name string) {
	h.t.Helper()
	h.up("Action")
	ev, ok := h.run.ActionEvent(h.id, name)
	if !ok {
		h.t.Fatalf("Action: %[2]q of n%[1]d is not enabled; enabled are %[3]q", h.id, name, h.run.Actions(h.id))
	}
	h.step(ev, declared.Handed{}, nil)
}

// Do runs a function on the node like a handler: a call by the application, or a part of the service.
func (h *Node[S]) Do(call func(S, sim.Env)) {
	h.t.Helper()
	h.up("Do")
	h.step(netmodel.Event{Kind: eventkind.DoAction, Node: h.id, Peer: -1}, declared.Handed{}, func(env sim.Env, s sim.Service) {
		call(s.(S), env)
	})
}

// Crash takes the node down. It loses everything that is not synced to its disk.
func (h *Node[S]) Crash() { h.t.Helper(); h.CrashKeeping(0) }

// CrashKeeping is like Crash, but the given number of unsynced writes, from the first on, survives.
func (h *Node[S]) CrashKeeping(writes int) {
	h.t.Helper()
	h.up("Crash")
	if have := h.run.Unsynced(h.id); writes < 0 || writes > have {
		h.t.Fatalf("CrashKeeping: n%d has %d unsynced writes, not %d", h.id, have, writes)
	}
	h.run.Crash(h.id, writes)
	h.timers = nil
	clear(h.room)
}

// SetRoom sets the number of messages that the stream to peer accepts; sending reduces it. Streams without a SetRoom
// behave as if they were emptied after every step.
func (h *Node[S]) SetRoom(peer sim.NodeID, messages int) {
	h.t.Helper()
	h.known("SetRoom", peer)
	if messages < 0 || messages > h.run.Capacity() {
		h.t.Fatalf("SetRoom: %d is not 0 to %d, which the system's network allows", messages, h.run.Capacity())
	}
	h.room[peer] = messages
}

// Service returns the service that the node runs. The node must be up.
func (h *Node[S]) Service() S {
	h.t.Helper()
	h.up("Service")
	return h.run.Service(h.id).(S)
}

// Up reports whether the node is up.
func (h *Node[S]) Up() bool { return h.run.Up(h.id) }

// Timers returns the armed timers, in the order in which they were set. The caller owns the slice.
func (h *Node[S]) Timers() []Timer { return append([]Timer(nil), h.timers...) }

// Armed reports whether a timer is armed.
func (h *Node[S]) Armed(timer any) bool {
	_, ok := h.run.TimerEvent(h.id, timer)
	return ok
}

// Announced returns the events announced since the last call.
func (h *Node[S]) Announced() []any {
	a := h.announced
	h.announced = nil
	return a
}

func (h *Node[S]) up(what string) {
	h.t.Helper()
	if !h.run.Up(h.id) {
		h.t.Fatalf("%s: n%d is down; call Boot first", what, h.id)
	}
}

func (h *Node[S]) peer(what string, id sim.NodeID) {
	h.t.Helper()
	h.up(what)
	h.known(what, id)
}

func (h *Node[S]) known(what string, id sim.NodeID) {
	h.t.Helper()
	if n := h.nodes; id < 0 || int(id) >= n {
		h.t.Fatalf("%s: there is no node %d; the system has %d nodes", what, id, n)
	}
}

func (h *Node[S]) timerTexts() string {
	var texts []string
	for _, t := range h.timers {
		texts = append(texts, h.run.TimerText(t.Value))
	}
	return "[" + strings.Join(texts, " ") + "]"
}

func (h *Node[S]) disarm(timer any) {
	for i := range h.timers {
		if h.timers[i].Value == timer {
			h.timers = append(h.timers[:i:i], h.timers[i+1:]...)
			return
		}
	}
}

// step executes one handler and records its effects.
func (h *Node[S]) step(ev netmodel.Event, d declared.Handed, call func(sim.Env, sim.Service)) {
	h.t.Helper()
	h.questions.wrong = ""
	done := h.run.Run(ev, d, answers[S]{h}, call)
	if h.questions.wrong != "" {
		h.t.Fatalf("n%d %s", h.id, h.questions.wrong)
	}
	if f := done.Finding; f != nil {
		text := fmt.Sprintf("n%d: %v", h.id, f)
		if f.Stack != "" {
			text += "\n" + f.Stack
		}
		if done.Broken() {
			h.t.Fatal(text)
		}
		h.t.Error(text)
	}
	h.unchanged()
	for i := range done.Effects {
		h.take(&done.Effects[i])
	}
}

func (h *Node[S]) take(f *stepinfo.Effect) {
	switch f.Kind {
	case stepinfo.SendEffect, stepinfo.StreamEffect:
		stream := f.Kind == stepinfo.StreamEffect
		h.sent = append(h.sent, Sent{f.Peer, f.Msg.Body, stream})
		h.untouched = append(h.untouched, sentMessage{f.Peer, f.Msg})
		if room, set := h.room[f.Peer]; stream && set {
			h.room[f.Peer] = room - 1
		}
	case stepinfo.CloseEffect:
		h.sent = append(h.sent, Sent{f.Peer, Closed{}, true})
		delete(h.room, f.Peer)
	case stepinfo.SetTimerEffect:
		h.disarm(f.Value)
		h.timers = append(h.timers, Timer{f.Value, time.Duration(f.After)})
	case stepinfo.StopTimerEffect:
		h.disarm(f.Value)
	case stepinfo.AnnounceEffect:
		h.announced = append(h.announced, f.Value)
	}
}

// unchanged fails the test if a message was changed after it was sent.
func (h *Node[S]) unchanged() {
	h.t.Helper()
	rest := h.untouched[:0]
	for _, k := range h.untouched {
		if err := h.run.Unchanged(h.id, k.to, k.msg); err != nil {
			h.t.Error(err)
		} else {
			rest = append(rest, k)
		}
	}
	h.untouched = rest
}
