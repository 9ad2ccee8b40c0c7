package audit

import (
	"encoding/binary"
	"fmt"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Log are hashes of what handlers and monitors did, by content, so that they mean the same in every process. What a log
// notes of the process before is compared with what is done here: both must do the same in the same situation.
type Log struct {
	e        *steptree.Engine
	locals   map[uint64]noted // by local state: what can happen there, and its fields
	steps    map[uint64]noted // by local state, event, questions and answers: what became of it
	asks     map[uint64]bool  // by local state and event: it is there
	monitors map[uint64]noted
	replayed bool   // what is met that the log does not note is new
	fresh    []byte // encoded: what was met since the last call of Notes
	changed  *explore.ChangedError
}

type noted []uint64

// Kinds of notes.
const (
	localNote = iota
	stepNote
	askNote
	monitorNote
	noteKinds
)

// notedFields is of how many local states the fields are noted.
const notedFields = 1 << 12

// NewLog has e recorded for an exploration with a log.
func NewLog(e *steptree.Engine, log explore.Log) (*Log, error) {
	n := &Log{e: e, locals: map[uint64]noted{}, steps: map[uint64]noted{}, asks: map[uint64]bool{}, monitors: map[uint64]noted{}}
	n.replayed = log.End() == explore.Mark{}
	for buf := log.Notes(); len(buf) > 0; {
		kind, key, values, rest, ok := takeNote(buf)
		if !ok {
			return nil, fmt.Errorf("the notes of the log are damaged")
		}
		n.keep(kind, key, values)
		buf = rest
	}
	e.Recorder, e.StepRecorder = n, n
	for id := range e.Locals.List {
		n.Local(uint32(id))
	}
	return n, nil
}

func (n *Log) keep(kind byte, key uint64, values noted) {
	switch kind {
	case localNote:
		n.locals[key] = values
	case stepNote:
		n.steps[key] = values
	case askNote:
		n.asks[key] = true
	case monitorNote:
		n.monitors[key] = values
	}
}

// add notes something new.
func (n *Log) add(kind byte, key uint64, values noted) {
	n.keep(kind, key, values)
	n.fresh = append(n.fresh, kind)
	n.fresh = binary.LittleEndian.AppendUint64(n.fresh, key)
	n.fresh = binary.AppendUvarint(n.fresh, uint64(len(values)))
	for _, v := range values {
		n.fresh = binary.LittleEndian.AppendUint64(n.fresh, v)
	}
}

// takeNote takes a note from the front of an encoding.
func takeNote(buf []byte) (kind byte, key uint64, values noted, rest []byte, ok bool) {
	if len(buf) < 10 || buf[0] >= noteKinds {
		return 0, 0, nil, nil, false
	}
	kind, key = buf[0], binary.LittleEndian.Uint64(buf[1:])
	size, k := binary.Uvarint(buf[9:])
	if k <= 0 || size > uint64(len(buf)-9-k)/8 {
		return 0, 0, nil, nil, false
	}
	buf = buf[9+k:]
	for range size {
		values = append(values, binary.LittleEndian.Uint64(buf))
		buf = buf[8:]
	}
	return kind, key, values, buf, true
}

func (n *Log) differs(format string, args ...any) {
	if n.changed == nil {
		n.changed = &explore.ChangedError{Why: "the code is not that of which the log was written: " + fmt.Sprintf(format, args...)}
	}
}

// Local notes a local state, or compares what can happen there.
func (n *Log) Local(id uint32) {
	l := &n.e.Locals.List[id]
	var buf []byte
	for _, ev := range l.Events {
		buf = fmt.Appendf(buf, "%d %d %d;", ev.Kind, ev.Peer, ev.Slot)
	}
	events := store.ContentHash(fmt.Appendf(buf, "%d", l.Always))
	was, ok := n.locals[l.Hash.Lo]
	switch {
	case !ok:
		values := noted{events}
		if id < notedFields && !declared.Carries(l.State.Service()) {
			values = append(values, n.fields(id)...)
		}
		n.add(localNote, l.Hash.Lo, values)
	case was[0] != events:
		n.differs("in a state of n%d (%T) other events can happen, of actions, timers or steps of its own", l.Node, n.e.Sys.New(l.Node))
	}
}

// fields are hashes of the fields of a local state with their names.
func (n *Log) fields(id uint32) (values noted) {
	l := &n.e.Locals.List[id]
	for _, f := range n.e.FieldsOf(l.Node, l.State) {
		values = append(values, fieldHash(f))
	}
	return values
}

func fieldHash(f sim.Field) uint64 { return store.ContentHash([]byte(f.Path + "\x00" + f.Value)) }

// Step notes what a handler did, or compares it.
func (n *Log) Step(s *store.Situation, out *bench.Outcome, made *steptree.Leaf) {
	e := n.e
	buf := e.AppendSituation(s, nil)
	situation := store.ContentHash(buf)
	for i := range out.Questions {
		q := &out.Questions[i]
		if q.Observation() {
			room := steptree.AboutRoom(q)
			buf = fmt.Appendf(buf, ";room %+v %d", room, room.Branch(e.RoomBefore(q)))
		} else {
			buf = fmt.Appendf(buf, ";%d of %d %q %d %v", q.Pick, q.Point.Arity, q.Point.Label, q.Point.Kind, q.Point.Weights)
		}
	}
	key := store.ContentHash(buf)
	ended := store.ContentHash(fmt.Appendf(nil, "%s %s %d", kindOf(made.Err), kindOf(made.Failure), made.Failed))
	now := noted{ended, e.Locals.List[made.Next].Hash.Lo}
	for i := range made.Effects {
		now = append(now, n.effect(&made.Effects[i]))
	}
	was, ok := n.steps[key]
	switch {
	case ok:
		n.compare(s, made, was, now)
	case n.asks[situation] && !n.replayed:
		n.differs("%s: it asks other questions", e.StepText(s))
	case !n.replayed:
		n.differs("%s: that did not happen in a state that is there now", e.StepText(s))
	default:
		if !n.asks[situation] {
			n.add(askNote, situation, nil)
		}
		n.add(stepNote, key, now)
	}
}

// kindOf tells errors apart by what they are about, not by their text.
func kindOf(err error) string {
	if err == nil {
		return "none"
	}
	if f, ok := err.(*sim.Finding); ok {
		return string(f.Kind) + " " + f.Property
	}
	return fmt.Sprintf("%T", err)
}

// effect is a hash of what matters of an effect: not what it logs.
func (n *Log) effect(f *stepinfo.Effect) uint64 {
	buf := fmt.Appendf(nil, "%d %d %d;", f.Kind, f.Peer, f.After)
	if f.Kind != stepinfo.LogEffect {
		buf = append(buf, f.Text...)
	}
	buf = append(buf, 0)
	switch {
	case f.Kind.Carries():
		buf = n.e.Bench.AppendValue(f.Msg.Body, buf)
	case f.Value != nil && f.Kind != stepinfo.LogEffect:
		buf = n.e.Bench.AppendValue(f.Value, buf)
	}
	return store.ContentHash(buf)
}

// compare says how what a handler did differs.
func (n *Log) compare(s *store.Situation, made *steptree.Leaf, was, now noted) {
	what := n.e.StepText(s)
	effects, before := now[2:], was[2:]
	for i := range max(len(effects), len(before)) {
		switch {
		case i >= len(effects):
			n.differs("%s: it has %d effects, had %d", what, len(effects), len(before))
		case i >= len(before) || effects[i] != before[i]:
			n.differs("%s: effect %d is another one: %s", what, i+1, n.e.DescribeEffect(made.Effects, i))
		}
	}
	switch {
	case was[0] != now[0]:
		n.differs("%s: it ends with %v, ended otherwise", what, made.Err)
	case was[1] != now[1]:
		n.differs("%s: %s", what, n.otherField(made.Next, was[1]))
	}
}

// otherField says which field of a local state differs from those of one that the log notes.
func (n *Log) otherField(id uint32, before uint64) string {
	was, l := map[uint64]bool{}, &n.e.Locals.List[id]
	for _, f := range n.locals[before] {
		was[f] = true
	}
	if len(was) > 1 {
		for _, f := range n.e.FieldsOf(l.Node, l.State) {
			if !was[fieldHash(f)] {
				return fmt.Sprintf("field %s is %s then, was another", f.Path, f.Value)
			}
		}
	}
	return "the node is in another state then"
}

// Monitor notes what a monitor became of an event, or compares it.
func (n *Log) Monitor(id uint32, node sim.NodeID, event, next uint32, found error) {
	e := n.e
	m := &e.Monitors.List[id]
	buf := binary.LittleEndian.AppendUint64(nil, m.Hash.Lo)
	buf = e.Bench.AppendValue(e.Announcements.List[event], append(buf, byte(node)))
	key, now := store.ContentHash(buf), e.Monitors.List[next].Hash.Lo^store.ContentHash([]byte(kindOf(found)))
	was, ok := n.monitors[key]
	switch {
	case !ok && n.replayed:
		n.add(monitorNote, key, noted{now})
	case !ok || was[0] != now:
		n.differs("%s makes something else of %T%+v of n%d", sim.MonitorName(m.State), e.Announcements.List[event], e.Announcements.List[event], node)
	}
}

// Take appends what was recorded since the last call.
func (n *Log) Take(buf []byte) []byte {
	buf = append(buf, n.fresh...)
	n.fresh = n.fresh[:0]
	return buf
}

// Resumed has everything be recorded that the log does not have: all that it has was replayed.
func (n *Log) Resumed() { n.replayed = true }

// changed is the error that the code is not that of the log; nil: nothing differs, or there is no log.
func (n *Log) Err() error {
	if n == nil || n.changed == nil {
		return nil
	}
	return n.changed
}
