package oracle

import (
	"cmp"
	"fmt"

	"github.com/macemc/macemc/sim"
)

// handle interprets a node's program, and returns its effects.
func (m *model) handle(s *state, i int, class Class, arg, from int, a *asker) ([]effect, *finding) {
	h := handler{m: m, s: s, n: &s.nodes[i], self: i, arg: arg, from: from, a: a}
	program := &m.script.Programs[i%len(m.script.Programs)]
	for _, op := range program[class][h.n.phase] {
		if h.run(op) {
			break
		}
	}
	return h.effects, cmp.Or(h.bad, h.failed)
}

// handler is a running handler.
type handler struct {
	m               *model
	s               *state
	n               *node
	self, arg, from int
	a               *asker
	effects         []effect
	written         []write // its own writes, which it can read
	bad, failed     *finding
}

func (h *handler) peer(op Op) int {
	if op.A < 0 && h.from >= 0 {
		return h.from
	}
	return max(op.A, 0) % len(h.s.nodes)
}

func (h *handler) value(op Op) int {
	switch op.B {
	case Phases:
		return h.n.phase
	case Phases + 1:
		return h.arg % Phases
	}
	return op.B
}

func (h *handler) at(op Op) bool { return h.n.phase == op.A && h.n.reg == op.B }

// run executes an instruction. It returns true if the handler ends.
func (h *handler) run(op Op) bool {
	n := h.n
	ask := h.a.ask
	switch op.Do {
	case Send:
		h.add(effect{do: Send, peer: h.peer(op), value: h.value(op)})
	case Stream:
		f := effect{do: Stream, peer: h.peer(op), value: h.value(op)}
		if f.refused = h.room(f.peer) <= 0; f.refused {
			n.reg = op.B % Phases
		}
		h.add(f)
	case Room:
		n.reg = min(max(h.room(h.peer(op)), 0), Phases-1)
	case Close:
		h.add(effect{do: Close, peer: h.peer(op)})
	case Arm:
		h.add(effect{do: Arm, peer: op.A, value: op.B})
	case Disarm:
		h.add(effect{do: Disarm, peer: op.A})
	case Choose:
		n.phase = (n.phase + ask(op.A, nil)) % Phases
	case Weighted:
		weights := op.Weights
		if h.m.defect == ignoreWeights {
			weights = nil
		}
		n.phase = (n.phase + ask(len(op.Weights), weights)) % Phases
	case Draw:
		n.reg = ask(op.A, nil) % Phases
	case Shuffle:
		n.reg = h.shuffle(op.A) % Phases
	case Put:
		h.write(op.Do, write{op.A, n.phase})
	case Delete:
		h.write(op.Do, write{op.A, absent})
	case Sync:
		h.add(effect{do: Sync})
	case Get:
		if v := h.disk()[op.A]; v != absent {
			n.phase = v
		}
	case Keys:
		n.reg = 0
		for _, v := range h.disk() {
			if v != absent {
				n.reg++
			}
		}
	case Announce:
		h.add(effect{do: Announce, value: op.A})
	case Assert:
		if h.at(op) && h.failed == nil {
			h.failed = &finding{sim.Safety, sim.AssertionProperty, assertText(op), h.self}
		}
	case Panic:
		if h.at(op) {
			h.bad = &finding{sim.Panic, "", panicText(op), h.self}
		}
	case Spin:
		if h.at(op) {
			h.bad = &finding{kind: sim.Divergence, node: h.self}
		}
	default:
		return h.runLocal(op)
	}
	return h.bad != nil
}

// runLocal executes an instruction without an effect.
func (h *handler) runLocal(op Op) bool {
	n := h.n
	switch op.Do {
	case SetPhase:
		n.phase = op.A
	case SetReg:
		n.reg = op.A
	case Learn:
		n.phase = h.arg % Phases
	case Remember:
		n.reg = h.arg % Phases
	case IfPhase:
		return n.phase != op.A
	case IfReg:
		return n.reg != op.A
	case IfEvent:
		return h.arg != op.A
	case Tick:
		n.ticks++
		n.reg = n.ticks % Phases
	case Read:
		n.clock.read(op.A)
	case CopyTime:
		n.clock.copy(op.A)
	case IfEarlier:
		if ask := func() bool { return h.a.ask(2, op.Weights) == 1 }; h.m.defect != askAgain {
			return !n.clock.before(op.A, ask)
		} else {
			return !ask()
		}
	default:
		panic(fmt.Sprintf("oracle: no instruction %q", op.Do))
	}
	return false
}

func (h *handler) add(f effect) { h.effects = append(h.effects, f) }

func (h *handler) write(do Opcode, w write) {
	h.written = append(h.written, w)
	h.add(effect{do: do, peer: w.key, value: w.value})
}

// disk returns the disk as the handler reads it, by key.
func (h *handler) disk() [2]int {
	d := h.n.synced
	for _, w := range h.n.pending {
		d[w.key] = w.value
	}
	for _, w := range h.written {
		d[w.key] = w.value
	}
	return d
}

// room returns the room in the send buffer, after what the handler has sent so far.
func (h *handler) room(peer int) int {
	room := h.m.script.Buffer - len(h.s.ends[h.self][peer].queue)
	for _, f := range h.effects {
		switch {
		case f.peer != peer:
		case f.do == Stream && !f.refused:
			room--
		case f.do == Close:
			room = h.m.script.Buffer
		}
	}
	return room
}

// shuffle draws a permutation of n numbers as documented in package sim: the last place first, each from the
// remaining numbers. It returns the first number.
func (h *handler) shuffle(n int) int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := h.a.ask(i+1, nil)
		p[i], p[j] = p[j], p[i]
	}
	return p[0]
}
