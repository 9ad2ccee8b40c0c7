package oracle

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// model is the semantics of a script.
type model struct {
	script *Script
	defect Defect
}

// finding is a defect of a step or a state.
type finding struct {
	kind     sim.FindingKind
	property string
	message  string
	node     int
}

func (f *finding) String() string {
	return fmt.Sprintf("%s %s at n%d: %s", f.kind, f.property, f.node, f.message)
}

// asker answers the questions of a step by planned picks, and then by 0.
type asker struct {
	picks, arities []int
	pos            int
	weightless     bool // an answer with weight 0 was given
}

func (a *asker) ask(n int, weights []int) int {
	if n < 2 {
		return 0
	}
	if a.pos == len(a.picks) {
		a.picks, a.arities = append(a.picks, 0), append(a.arities, 0)
	}
	a.arities[a.pos] = n
	pick := a.picks[a.pos]
	a.pos++
	if weights != nil && weights[pick] == 0 {
		a.weightless = true
	}
	return pick
}

// next plans the next sequence of answers. It returns false after the last one.
func (a *asker) next() bool {
	a.picks, a.arities = a.picks[:a.pos], a.arities[:a.pos]
	a.pos, a.weightless = 0, false
	for i := len(a.picks) - 1; i >= 0; i-- {
		if a.picks[i]+1 < a.arities[i] {
			a.picks[i]++
			a.picks, a.arities = a.picks[:i+1], a.arities[:i+1]
			return true
		}
	}
	return false
}

// effect is an effect of a handler.
type effect struct {
	do          Opcode
	peer, value int
	refused     bool
}

// outlasts reports whether others, or the disk, see the effect when the node crashes right after it.
func (f *effect) outlasts() bool {
	switch f.do {
	case Send, Put, Delete, Sync, Announce:
		return true
	}
	return false
}

// visible reports whether others see the effect when the node never comes back; the disk does not count.
func (f *effect) visible() bool { return f.do == Send || f.do == Announce }

// cutOff chooses where the node fails inside the step, and returns the remaining effects.
func (m *model) cutOff(effects []effect, a *asker, matters func(*effect) bool) (left []effect, cut bool) {
	how := m.script.Cut
	if how == sim.CutNone && m.defect != insideAnyway {
		return effects, false
	}
	var ways [][]effect
	for i := range effects {
		if matters(&effects[i]) {
			ways = append(ways, effects[:i])
		}
	}
	for i := range effects {
		if how == sim.CutSubset && matters(&effects[i]) && m.defect != loseNone {
			for _, some := range withoutSome(effects[:i])[1:] {
				ways = append(ways, append(some, effects[i]))
			}
		}
	}
	if pick := a.ask(len(ways)+1, nil); pick > 0 {
		return ways[pick-1], true
	}
	return effects, false
}

// withoutSome returns some effects with each subset of the datagrams among them removed. Those that lack later ones
// come later.
func withoutSome(effects []effect) [][]effect {
	if len(effects) == 0 {
		return [][]effect{nil}
	}
	last := effects[len(effects)-1]
	var with, lost [][]effect
	for _, before := range withoutSome(effects[:len(effects)-1]) {
		with = append(with, append(slices.Clone(before), last))
		if last.do == Send {
			lost = append(lost, before)
		}
	}
	return append(with, lost...)
}

// start returns an initial state.
func (m *model) start(a *asker) (*state, *finding) {
	sc := m.script
	s := &state{nodes: make([]node, sc.Nodes), left: sc.Limits, monitors: make([]int, len(sc.Monitors))}
	s.bags, s.yet, s.ends = make([][]datagram, sc.Nodes), make([][]parcel, sc.Nodes), make([][]end, sc.Nodes)
	for i := range s.ends {
		s.ends[i] = make([]end, sc.Nodes)
	}
	late := func(i int) bool { return has(sc.Late, i) && m.defect != bootLate }
	for i := range s.nodes {
		s.nodes[i].synced = [2]int{absent, absent}
		s.nodes[i].up = !late(i)
	}
	for i := range s.nodes {
		if late(i) {
			continue
		}
		effects, bad := m.handle(s, i, OnBoot, 0, -1, a)
		m.never(&s.nodes[i])
		if bad == nil {
			bad = m.apply(s, i, effects)
		}
		if bad != nil {
			return s, bad
		}
	}
	return s, nil
}

// step returns the state after an event. It reports whether the node crashed inside the step.
func (m *model) step(from *state, ev event, a *asker) (s *state, crashed bool, bad *finding) {
	s = from.clone()
	n := &s.nodes[ev.node]
	class, arg := OnBoot, 0
	switch ev.kind {
	case eventkind.Crash, eventkind.Halt, eventkind.Lose, eventkind.Duplicate, eventkind.Break, eventkind.Partition, eventkind.Heal,
		eventkind.Arrive:
		return s, false, m.withoutHandler(s, ev, a)
	case eventkind.Internal:
		class = OnStep
	case eventkind.Boot:
		n.up = true
	case eventkind.DoAction:
		class = OnAction + Class(ev.what)
		n.done[ev.what]++
	case eventkind.FireTimer:
		class, arg = OnTimer, ev.what
		m.fire(n, ev.what)
	case eventkind.DeliverError:
		class, arg = OnError, s.takeError(ev.node, ev.peer)
	case eventkind.DeliverReady:
		class = OnReady
		s.ends[ev.node][ev.peer].wanted = false
	case eventkind.TakeQuorum:
		class, arg = OnReceive, m.takeVotes(s, ev)
	case eventkind.Deliver:
		class, arg = OnReceive, ev.what
		if ev.stream {
			s.takeStream(ev.node, ev.peer)
		} else {
			s.remove(ev.node, datagram{ev.peer, ev.what})
		}
	}
	var effects []effect
	if !m.script.Deaf || class != OnError && class != OnReady {
		if effects, bad = m.handle(s, ev.node, class, arg, ev.peer, a); bad != nil {
			return s, false, bad
		}
	}
	halted := false
	if s.left.Crashes > 0 && m.crashable(s, ev.node) && m.defect != neverInside {
		effects, crashed = m.cutOff(effects, a, (*effect).outlasts)
	}
	if !crashed && s.left.Halts > 0 && m.haltable(s, ev.node) && m.defect != neverHaltInside {
		effects, crashed = m.cutOff(effects, a, (*effect).visible)
		halted = crashed
	}
	m.never(n)
	bad = m.apply(s, ev.node, effects)
	if bad == nil && !crashed {
		bad = m.needsAgain(n, ev.node)
	}
	switch {
	case bad != nil || !crashed:
	case halted:
		m.halt(s, ev.node)
	default:
		m.crash(s, ev.node, a)
	}
	return s, crashed, bad
}

// withoutHandler executes an event that runs no handler.
func (m *model) withoutHandler(s *state, ev event, a *asker) *finding {
	switch ev.kind {
	case eventkind.Crash:
		m.crash(s, ev.node, a)
	case eventkind.Halt:
		m.halt(s, ev.node)
	case eventkind.Lose:
		s.left.Loss--
		s.remove(ev.node, datagram{ev.peer, ev.what})
	case eventkind.Duplicate:
		s.left.Dup--
		s.add(ev.node, datagram{ev.peer, ev.what})
	case eventkind.Break:
		s.left.Errors--
		s.breakConnection(ev.node, ev.peer)
	case eventkind.Partition:
		s.left.Partitions--
		s.cut = cut{true, ev.node, ev.peer}
	case eventkind.Heal:
		s.cut = cut{}
	case eventkind.Arrive:
		return m.leave(s, ev.node)
	}
	return nil
}

// fire disarms a timer, and advances the time of its node to the deadline.
func (m *model) fire(n *node, what int) {
	i := slices.IndexFunc(n.timers, func(t timer) bool { return t.what == what })
	passed := n.timers[i].left
	n.timers = slices.Delete(n.timers, i, i+1)
	for k := range n.timers {
		n.timers[k].left = max(0, n.timers[k].left-passed)
	}
}

// apply executes the effects of a handler. Handlers see their own writes only while they run, so a cut need not
// undo them.
func (m *model) apply(s *state, i int, effects []effect) *finding {
	n := &s.nodes[i]
	for _, f := range effects {
		switch f.do {
		case Send:
			if m.script.Queue == NoQueue {
				m.sendDatagram(s, i, f.peer, f.value)
			} else if bad := m.queue(s, i, f.peer, f.value); bad != nil {
				return bad
			}
		case Stream:
			if f.refused {
				s.ends[i][f.peer].wanted = m.defect != forgetReady
			} else {
				m.sendStream(s, i, f.peer, f.value)
			}
		case Close:
			m.giveUp(s, i, f.peer)
		case Arm:
			m.arm(n, f.peer, f.value)
		case Disarm:
			n.timers = slices.DeleteFunc(n.timers, func(t timer) bool { return t.what == f.peer })
		case Put, Delete:
			n.pending = append(n.pending, write{f.peer, f.value})
		case Sync:
			n.flush(len(n.pending))
		case Announce:
			for k := range m.script.Monitors {
				if bad := m.observe(s, k, i, f.value); bad != nil {
					return bad
				}
			}
		}
	}
	return nil
}

func (m *model) arm(n *node, what, seconds int) {
	n.timers = slices.DeleteFunc(n.timers, func(t timer) bool { return t.what == what })
	t := timer{what, max(0, seconds)}
	if m.script.Timing == sim.AnyOrder {
		t.left = 0 // deadlines do not matter
	}
	i, _ := slices.BinarySearchFunc(n.timers, what, func(t timer, what int) int { return t.what - what })
	n.timers = slices.Insert(n.timers, i, t)
}

// flush makes the first k writes durable.
func (n *node) flush(k int) {
	for _, w := range n.pending[:k] {
		n.synced[w.key] = w.value
	}
	n.pending = slices.Clone(n.pending[k:])
}

// crash takes the nodes of a process down, that of the step first.
func (m *model) crash(s *state, i int, a *asker) {
	s.left.Crashes--
	m.crashNode(s, i, a)
	for _, mate := range m.othersOfProcess(i) {
		if !s.nodes[mate].up || m.defect == mateSurvives {
			continue
		}
		if m.defect == countEach {
			s.left.Crashes = max(0, s.left.Crashes-1)
		}
		if m.defect == mateKeeps {
			s.nodes[mate].flush(len(s.nodes[mate].pending))
		}
		m.crashNode(s, mate, a)
	}
}

func (m *model) crashNode(s *state, i int, a *asker) {
	n := &s.nodes[i]
	if k := len(n.pending); m.defect == allOrNothing && k > 0 {
		n.flush(k * a.ask(2, nil))
	} else if m.defect != loseUnsynced {
		n.flush(a.ask(k+1, nil))
	}
	n.pending, n.timers = nil, nil
	n.up, n.phase, n.reg, n.clock = false, 0, 0, clock{}
	m.crashNetwork(s, i)
	m.crashQueues(s, i)
}

// halt takes the nodes of a process down forever, up or not.
func (m *model) halt(s *state, i int) {
	s.left.Halts--
	m.haltNode(s, i)
	for _, mate := range m.othersOfProcess(i) {
		if (s.nodes[mate].up || m.defect != mateComesBack) && m.defect != mateSurvivesHalt {
			m.haltNode(s, mate)
		}
	}
}

// haltNode removes the state of a node, and the messages to it.
func (m *model) haltNode(s *state, i int) {
	was := s.nodes[i]
	s.nodes[i] = node{halted: true, synced: [2]int{absent, absent}}
	if m.defect == keepDisk {
		s.nodes[i].synced = was.synced
	}
	m.crashNetwork(s, i)
	if s.yet[i] = nil; m.defect != keepForHalted {
		s.bags[i] = nil
		for peer := range s.ends {
			if e := &s.ends[peer][i]; len(e.queue) > 0 {
				e.queue = nil
				e.notReady = e.notReady || !e.remote
			}
		}
	}
}

func (m *model) observe(s *state, k, from, value int) *finding {
	mon, was := m.script.Monitors[k], s.monitors[k]
	bad := false
	switch mon.Kind {
	case Counts:
		if value == mon.A {
			s.monitors[k]++
		}
		bad = s.monitors[k] >= mon.Limit
	case Turns:
		bad = value == mon.A && was == from+1
		s.monitors[k] = from + 1
	case Sums:
		bad = value == mon.A && was == mon.Limit
		s.monitors[k] = (was + value) % 3
	}
	if bad {
		return &finding{sim.Safety, monitorName(m.script), monitorError(mon, from), from}
	}
	return nil
}
