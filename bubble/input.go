package bubble

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/sim"
)

// input is one step of a node: the event that it was given and the effects of that event. Inputs are immutable, so nodes may share them. An
// input has the fields of all kinds of inputs, because a history stores them in one chain.
type input struct {
	before *input    // nil means that this input is the boot
	hash   [2]uint64 // of all inputs up to this one, and their effects; see seal

	number  int32 // number of the step since the node booted, starting at 1
	flushed int32 // number of messages of the backlog that the stream accepted
	kind    inputKind
	single  bool // whether the step had one effect

	boot *boot      // of bootInput
	peer sim.NodeID // sender, or the node that an error or room concerns
	msg  Message    // of messageInput
	err  error      // of errorInput
	call *call      // of callInput
	seeds
	// clock is the node's clock at the beginning of the step. 0 means the time of the next timer, or the node's initial time at a boot.
	clock int64

	chosen []chosen    // choices of the program
	id     [1]effectID // the single effect; a slice of it would be a pointer that the garbage collector has to follow
	many   []effectID  // several effects
	next   int64       // time of the next timer of the node

	seen  any    // what the program showed after the step, see [Host.Observe]
	shown string // state of the goroutines after the step; empty if not yet requested; the only mutable field, guarded by stepping
}

// seeds determine the schedule of a step and its random numbers.
type seeds struct {
	how    sim.Interleave
	pick   int // seed of the schedule of the step; 0 means FIFO
	reseed int // seed of select and of random numbers from this step on; 0 means that they go on
}

type inputKind uint8

const (
	bootInput inputKind = iota
	wakeInput           // the next timer fires
	messageInput
	errorInput
	readyInput
	callInput
)

// chosen is a choice of the program through [Host.Choose].
type chosen struct {
	what    string // label
	n, pick int    // number of alternatives, and the chosen one
}

// chooser makes choices. [sim.Env] is one.
type chooser interface {
	Choose(what string, n int) int
}

// repeated is a chooser that repeats choices.
type repeated struct {
	left   []chosen // to be repeated
	unlike string   // call that differs; empty if there is none
}

func (r *repeated) Choose(what string, n int) int {
	if len(r.left) == 0 || r.left[0].what != what || r.left[0].n != n {
		r.unlike = fmt.Sprintf("Choose(%q, %d)", what, n)
		return 0
	}
	pick := r.left[0].pick
	r.left = r.left[1:]
	return pick
}

// call is an action that runs in its own goroutine.
type call struct {
	name string
	on   func(*Host) // starts it
}

func (in *input) String() string {
	switch in.kind {
	case bootInput:
		return "boot"
	case wakeInput:
		return "timer"
	case messageInput:
		return fmt.Sprintf("from node %d: %v", in.peer, in.msg)
	case errorInput:
		return fmt.Sprintf("connections with node %d: %v", in.peer, in.err)
	case readyInput:
		return fmt.Sprintf("room to send to node %d", in.peer)
	}
	return in.call.name
}

// effectIDs returns the effects of the step.
func (in *input) effectIDs() []effectID {
	if in.single {
		return in.id[:]
	}
	return in.many
}

// setEffectIDs sets the effects of the step to those of the last step of a node.
func (in *input) setEffectIDs(n *node) {
	ids := n.effectIDs(in.id[:0])
	if in.single = len(ids) == 1; len(ids) > 1 {
		in.many = ids
	}
}

// seal computes the hash of a complete input. It covers everything that the node was given, and did, since it booted.
func (in *input) seal() {
	const second = 0x9e3779b97f4a7c15 // precedes what the second half of the hash covers
	b := binary.LittleEndian.AppendUint64(stepping.buf[:0], second)
	if in.before != nil {
		b = binary.LittleEndian.AppendUint64(b, in.before.hash[0])
		b = binary.LittleEndian.AppendUint64(b, in.before.hash[1])
	}
	number := func(n int) { b = binary.AppendVarint(b, int64(n)) }
	number(int(in.kind))
	number(int(in.flushed))
	number(int(in.peer))
	number(int(in.how))
	number(in.pick)
	number(int(in.next))
	if in.clock != 0 {
		number(int(in.clock))
	}
	if in.reseed != 0 {
		number(-in.reseed)
	}
	b = in.msg.append(b)
	if in.err != nil {
		b = append(b, in.err.Error()...)
	}
	if in.call != nil {
		b = append(b, in.call.name...)
	}
	if in.kind == bootInput {
		number(in.boot.times)
		number(int(in.boot.seed))
		number(len(in.boot.disk))
		for _, e := range in.boot.disk {
			number(len(e.Key))
			number(len(e.Value))
			b = append(append(b, e.Key...), e.Value...)
		}
	}
	for _, c := range in.chosen {
		number(len(c.what))
		b = append(b, c.what...)
		number(c.n)
		number(c.pick)
	}
	for _, a := range in.effectIDs() {
		b = binary.LittleEndian.AppendUint64(b, a.mark)
		if a.refused {
			b = append(b, 1)
		}
	}
	in.hash = [2]uint64{xxhash.Sum64(b[8:]), xxhash.Sum64(b)}
	stepping.buf = b
}

func (m *Message) append(b []byte) []byte {
	back := byte(0)
	if m.Back {
		back = 1
	}
	b = append(b, byte(m.Kind), back)
	for _, n := range [...]int{m.Conn.Node, m.Conn.Boot, m.Conn.Number, m.From, m.To, len(m.Data)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return append(b, m.Data...)
}

// mark returns a hash of an effect.
func (e *effect) mark() uint64 {
	b := append(stepping.buf[:0], byte(e.kind))
	b = binary.AppendUvarint(b, e.by)
	b = binary.AppendVarint(b, int64(e.peer))
	b = e.msg.append(b)
	b = append(b, e.text...)
	b = append(b, e.value...)
	stepping.buf = b
	return xxhash.Sum64(b)
}

// perform executes the step on the node.
func (n *node) perform(in *input, program Main) {
	n.ctl.arrange(in.how, in.pick)
	if in.reseed != 0 {
		n.ctl.seed = mix(n.ctl.seed ^ uint64(in.reseed))
	}
	h := n.host
	n.clock = in.clock
	switch in.kind {
	case bootInput:
		n.step(n.begin(*in.boot, program))
	case wakeInput:
		to := max(n.next, in.clock)
		n.step(func() { advance(to) })
	case messageInput:
		n.step(func() {
			if in.msg.Kind == Datagram {
				h.gotDatagram(in.peer, in.msg)
			} else {
				h.got(in.peer, in.msg)
			}
		})
	case errorInput:
		n.backlog[in.peer], h.full[in.peer] = nil, false
		n.step(func() { h.peerError(in.peer, errors.Is(in.err, sim.ErrRefused)) })
	case readyInput:
		n.step(func() {
			if !h.full[in.peer] {
				h.wakeWriters(in.peer)
			}
		})
	case callInput:
		n.step(func() {
			if !n.over {
				in.call.on(h)
			}
		})
	}
}

// flush offers the backlog for a peer to its stream and returns the number of accepted messages. take reports whether the stream accepted a
// message.
func (n *node) flush(peer sim.NodeID, take func(sim.NodeID, Message) bool) (accepted int32) {
	for len(n.backlog[peer]) > 0 && take(peer, n.backlog[peer][0]) {
		n.backlog[peer] = n.backlog[peer][1:]
		accepted++
	}
	n.host.full[peer] = len(n.backlog[peer]) > 0
	return accepted
}

// stream offers a message to a stream, unless the backlog for that peer is not empty. A reset removes the messages of its connection from
// the backlog. If the dial is among them, the peer never learned of the connection and gets no reset.
func (n *node) stream(e *effect, take func(sim.NodeID, Message) bool) {
	unheard := false
	if e.msg.Kind == Reset {
		n.backlog[e.peer] = slices.DeleteFunc(n.backlog[e.peer], func(m Message) bool {
			same := m.Conn == e.msg.Conn && m.Back == e.msg.Back
			unheard = unheard || same && m.Kind == Dial
			return same
		})
	}
	if e.refused = !unheard && (len(n.backlog[e.peer]) > 0 || !take(e.peer, e.msg)); e.refused {
		n.backlog[e.peer] = append(n.backlog[e.peer], e.msg)
	}
	n.host.full[e.peer] = len(n.backlog[e.peer]) > 0
}

// repeatStep repeats a step that another node with the same history has executed. The error describes the difference.
func (n *node) repeatStep(in *input, program Main) error {
	if in.kind == readyInput {
		left := in.flushed
		n.flush(in.peer, func(sim.NodeID, Message) bool {
			left--
			return left >= 0
		})
	}
	choices := repeated{left: in.chosen}
	n.choose = &choices
	n.perform(in, program)
	switch {
	case choices.unlike != "":
		return n.differs(nil, "step %d of the node (%v): %s, and something else when the same was executed before", in.number, in, choices.unlike)
	case len(choices.left) > 0:
		return n.differs(nil, "step %d of the node (%v): no Choose(%q, %d), which was called when the same was executed before",
			in.number, in, choices.left[0].what, choices.left[0].n)
	}
	ids := in.effectIDs()
	for k := range n.effects {
		e := &n.effects[k]
		if k >= len(ids) || e.mark() != ids[k].mark {
			return n.differs(firstDifference(ids, n.effectIDs(nil), k),
				"step %d of the node (%v): goroutine %d %v, and something else when the same was executed before", in.number, in, e.by, e)
		}
		if e.kind == streamEffect {
			n.stream(e, func(sim.NodeID, Message) bool { return !ids[k].refused })
		}
	}
	if len(n.effects) < len(ids) {
		return n.differs(firstDifference(ids, n.effectIDs(nil), len(n.effects)),
			"step %d of the node (%v): %d effects, and %d when the same was executed before", in.number, in, len(n.effects), len(ids))
	}
	if n.next != in.next {
		return n.differs(nil, "step %d of the node (%v): the next timer is at %v, and was at %v when the same was executed before",
			in.number, in, clockTime(n.next), clockTime(in.next))
	}
	return nil
}

// differs returns an error that describes a difference between two executions, with details.
func (n *node) differs(details []string, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if n.ctl.outside.count > 0 {
		text += fmt.Sprintf("; goroutine %d had waited for something outside of the node (%s)", n.ctl.outside.last, reason(n.ctl.outside.why))
	}
	return errors.New(strings.Join(append([]string{text}, details...), "; "))
}
