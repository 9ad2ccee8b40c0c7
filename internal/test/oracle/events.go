package oracle

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// event is an enabled event.
type event struct {
	kind       eventkind.Kind
	node, peer int // peer -1 for none
	what       int // action, timer, or value of the message
	stream     bool
	set        []datagram // the set that a quorum takes; what is its number
}

// events lists the enabled events of a state: first ordinary ones, then faults.
func (m *model) events(s *state) (ordinary, faults []event) {
	quiet := m.script.Timing != sim.Prompt || m.defect == ignorePrompt || m.quiet(s)
	for i := range s.nodes {
		ordinary = m.nodeEvents(s, i, quiet, ordinary)
	}
	if s.cut.active && m.defect != neverHeal {
		ordinary = append(ordinary, event{kind: eventkind.Heal, node: s.cut.node, peer: s.cut.peer})
	}
	return ordinary, m.faults(s)
}

func (m *model) nodeEvents(s *state, i int, quiet bool, out []event) []event {
	n := &s.nodes[i]
	if n.halted && m.defect != comeBack {
		return out
	}
	if !n.up {
		return append(out, event{kind: eventkind.Boot, node: i, peer: -1})
	}
	if len(s.yet[i]) > 0 {
		first := event{kind: eventkind.Arrive, node: i, peer: s.yet[i][0].to, what: s.yet[i][0].value}
		if out = append(out, first); m.defect != actWhileSending {
			return out // outgoing messages come first
		}
	}
	for k, a := range m.script.Actions {
		if a.Times > 0 && n.done[k] >= a.Times || a.Phases != 0 && !has(a.Phases, n.phase) || a.Nodes != 0 && !has(a.Nodes, i) {
			continue
		}
		out = append(out, event{kind: eventkind.DoAction, node: i, peer: -1, what: k})
	}
	if m.steps(s, i) {
		out = append(out, event{kind: eventkind.Internal, node: i, peer: -1})
	}
	if quiet {
		for _, t := range n.timers {
			if m.first(n, t) {
				out = append(out, event{kind: eventkind.FireTimer, node: i, peer: -1, what: t.what})
			}
		}
	}
	for peer := range s.ends[i] {
		e := &s.ends[i][peer]
		if e.unread() && m.defect != dropErrors {
			out = append(out, event{kind: eventkind.DeliverError, node: i, peer: peer})
		}
		if e.wanted && len(e.queue) < m.script.Buffer {
			out = append(out, event{kind: eventkind.DeliverReady, node: i, peer: peer})
		}
		if m.deliverable(s, i, peer) {
			out = append(out, event{kind: eventkind.Deliver, node: i, peer: peer, what: s.ends[peer][i].queue[0], stream: true})
		}
	}
	if m.script.Queue != NoQueue {
		return append(out, m.queueEvents(s, i)...)
	}
	for _, ev := range m.datagramEvents(s, eventkind.Deliver, i) {
		if !m.taken(ev.what) || m.defect == deliverVotes {
			out = append(out, ev)
		}
	}
	return append(out, m.quorumEvents(s, i)...)
}

// steps reports whether the node can take an internal step.
func (m *model) steps(s *state, i int) bool {
	return has(m.script.Steps, s.nodes[i].phase) && m.defect != neverStep || m.script.Steps != 0 && m.defect == stepAlways
}

// first reports whether no timer of the node has an earlier deadline.
func (m *model) first(n *node, t timer) bool {
	if m.script.Timing == sim.AnyOrder || m.defect == ignoreDeadlines {
		return true
	}
	return !slices.ContainsFunc(n.timers, func(o timer) bool { return o.left < t.left })
}

// datagramEvents returns one event for each set of equal datagrams.
func (m *model) datagramEvents(s *state, kind eventkind.Kind, i int) (out []event) {
	for k, d := range s.bags[i] {
		if k == 0 || d != s.bags[i][k-1] || m.defect == tellCopiesApart {
			out = append(out, event{kind: kind, node: i, peer: d.from, what: d.value})
		}
	}
	return out
}

func (m *model) faults(s *state) (out []event) {
	if s.left.Crashes > 0 {
		for i := range s.nodes {
			if m.crashable(s, i) && m.firstOfProcess(s, i) {
				out = append(out, event{kind: eventkind.Crash, node: i, peer: -1})
			}
		}
	}
	if s.left.Halts > 0 {
		for i := range s.nodes {
			if m.haltable(s, i) && m.firstOfProcess(s, i) {
				out = append(out, event{kind: eventkind.Halt, node: i, peer: -1})
			}
		}
	}
	for i := range s.bags {
		if s.left.Loss > 0 || m.defect == loseAlways && m.script.Loss > 0 {
			out = append(out, m.datagramEvents(s, eventkind.Lose, i)...)
		}
		if s.left.Dup > 0 {
			out = append(out, m.datagramEvents(s, eventkind.Duplicate, i)...)
		}
	}
	established := end{open: true}
	for a := range s.ends {
		for b := a + 1; b < len(s.ends) && s.left.Errors > 0; b++ {
			if x, y := s.ends[a][b], s.ends[b][a]; x.four() == established.four() && y.four() == established.four() {
				out = append(out, event{kind: eventkind.Break, node: a, peer: b})
			}
		}
	}
	if s.left.Partitions > 0 && !s.cut.active {
		for a := range s.nodes {
			if len(s.nodes) > 2 {
				out = append(out, event{kind: eventkind.Partition, node: a, peer: -1})
			}
			for b := a + 1; b < len(s.nodes); b++ {
				out = append(out, event{kind: eventkind.Partition, node: a, peer: b})
			}
		}
	}
	return out
}

func (e *end) four() [4]bool { return [4]bool{e.local, e.remote, e.open, e.notReady} }

func (m *model) crashable(s *state, i int) bool {
	return s.nodes[i].up && (!has(m.script.Sturdy, i) || m.defect == crashSturdy)
}

func (m *model) haltable(s *state, i int) bool {
	lasting := m.script.Lasting
	if lasting == 0 {
		lasting = m.script.Sturdy
	}
	return s.nodes[i].up && (!has(lasting, i) || m.defect == haltLasting)
}

// othersOfProcess returns the other nodes of a node's process.
func (m *model) othersOfProcess(i int) (others []int) {
	for k := range m.script.Nodes {
		if k != i && has(m.script.Mates, i) && has(m.script.Mates, k) {
			others = append(others, k)
		}
	}
	return others
}

// firstOfProcess reports whether no node of its process that is up has a lower number.
func (m *model) firstOfProcess(s *state, i int) bool {
	return m.defect == crashEach || !slices.ContainsFunc(m.othersOfProcess(i), func(k int) bool { return k < i && s.nodes[k].up })
}

// key returns the event's stable key, as in path files.
func (m *model) key(s *state, ev event) string {
	key := fmt.Sprintf("%v n%d", ev.kind, ev.node)
	if ev.peer >= 0 {
		key += fmt.Sprintf("<-n%d", ev.peer)
	}
	switch ev.kind {
	case eventkind.Crash, eventkind.Halt:
		if mates := m.othersOfProcess(ev.node); len(mates) > 0 {
			all := slices.Sorted(slices.Values(append(mates, ev.node)))
			key = fmt.Sprintf("%v n%d with n%d", ev.kind, all[0], all[1])
			for _, more := range all[2:] {
				key += fmt.Sprintf(", n%d", more)
			}
		}
	case eventkind.DoAction:
		key += " " + actionName(ev.what)
	case eventkind.FireTimer:
		key += fmt.Sprintf(" %s(%d)", m.typeOf(ev), ev.what)
	case eventkind.DeliverError:
		if s.ends[ev.node][ev.peer].notReady {
			return key + " connection refused"
		}
		return key + " connection reset"
	case eventkind.TakeQuorum:
		key += " " + quorumName(ev.what)
		for _, d := range ev.set {
			key += fmt.Sprintf(" <-n%d %s", d.from, m.word(d.value))
		}
	case eventkind.Arrive:
		key += " " + m.word(ev.what)
	case eventkind.Deliver, eventkind.Lose, eventkind.Duplicate:
		if m.script.Datagrams && m.script.Streams {
			key += map[bool]string{true: " stream", false: " datagram"}[ev.stream]
		}
		key += " " + m.word(ev.what)
	}
	return key
}
