package audit

import (
	"encoding/binary"
	"fmt"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Log records content hashes of the results of handlers and monitors. The hashes are comparable between processes: a step
// recorded by an earlier process must have the same result here.
type Log struct {
	e          *steptree.Engine
	locals     map[uint64]noted // by local state: its enabled events, and its fields
	steps      map[uint64]noted // by local state, event, questions and answers: the result
	situations map[uint64]bool  // by local state and event: present
	monitors   map[uint64]noted
	replayed   bool   // a step that the log does not have is new, not a difference
	fresh      []byte // encoded: notes added since the last call of Take
	changed    *explore.ChangedError
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

// notedFields is the number of local states whose fields are recorded.
const notedFields = 1 << 12

// NewLog returns a Log that records the steps of e and compares them with the notes of log.
func NewLog(e *steptree.Engine, log explore.Log) (*Log, error) {
	n := &Log{e: e, locals: map[uint64]noted{}, steps: map[uint64]noted{}, situations: map[uint64]bool{}, monitors: map[uint64]noted{}}
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
		n.situations[key] = true
	case monitorNote:
		n.monitors[key] = values
	}
}

// add records a new note.
func (n *Log) add(kind byte, key uint64, values noted) {
	n.keep(kind, key, values)
	n.fresh = append(n.fresh, kind)
	n.fresh = binary.LittleEndian.AppendUint64(n.fresh, key)
	n.fresh = binary.AppendUvarint(n.fresh, uint64(len(values)))
	for _, v := range values {
		n.fresh = binary.LittleEndian.AppendUint64(n.fresh, v)
	}
}

// takeNote decodes the note at the front of buf.
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
		n.changed = &explore.ChangedError{Why: "the code differs from the code that wrote the log: " + fmt.Sprintf(format, args...)}
	}
}

// Local records the enabled events of a local state, or compares them with the recorded ones.
func (n *Log) Local(id uint32) {
	l := &n.e.Locals.List[id]
	var buf []byte
	for _, ev := range l.Events {
		buf = fmt.Appendf(buf, "%d %d %d;", ev.Kind, ev.Peer, ev.Slot)
	}
	events := store.ContentHash(fmt.Appendf(buf, "%d", l.Untimed))
	was, ok := n.locals[l.Hash.Lo]
	switch {
	case !ok:
		values := noted{events}
		if id < notedFields && !declared.Carries(l.State.Service()) {
			values = append(values, n.fields(id)...)
		}
		n.add(localNote, l.Hash.Lo, values)
	case was[0] != events:
		n.differs("in a state of n%d (%T) other actions, timers or internal steps are enabled", l.Node, n.e.Sys.New(l.Node))
	}
}

// fields returns hashes of the names and values of the fields of a local state.
func (n *Log) fields(id uint32) (values noted) {
	l := &n.e.Locals.List[id]
	for _, f := range n.e.FieldsOf(l.Node, l.State) {
		values = append(values, fieldHash(f))
	}
	return values
}

func fieldHash(f diff.Field) uint64 { return store.ContentHash([]byte(f.Path + "\x00" + f.Value)) }

// Step records the result of a handler, or compares it with the recorded one.
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
	case n.situations[situation] && !n.replayed:
		n.differs("%s: the handler makes other choices", e.StepText(s))
	case !n.replayed:
		n.differs("%s: this step did not happen before in a state that is reached again", e.StepText(s))
	default:
		if !n.situations[situation] {
			n.add(askNote, situation, nil)
		}
		n.add(stepNote, key, now)
	}
}

// kindOf classifies an error by its subject. Texts do not count.
func kindOf(err error) string {
	if err == nil {
		return "none"
	}
	if f, ok := err.(*sim.Finding); ok {
		return string(f.Kind) + " " + f.Property
	}
	return fmt.Sprintf("%T", err)
}

// effect returns a hash of an effect without the text of log lines.
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

// compare reports the first difference between two results of a handler.
func (n *Log) compare(s *store.Situation, made *steptree.Leaf, was, now noted) {
	what := n.e.StepText(s)
	effects, before := now[2:], was[2:]
	for i := range max(len(effects), len(before)) {
		switch {
		case i >= len(effects):
			n.differs("%s: it has %d effects, recorded were %d", what, len(effects), len(before))
		case i >= len(before) || effects[i] != before[i]:
			n.differs("%s: effect %d differs from the recorded one: %s", what, i+1, n.e.DescribeEffect(made.Effects, i))
		}
	}
	switch {
	case was[0] != now[0]:
		n.differs("%s: it ends with %v, unlike the recorded step", what, made.Err)
	case was[1] != now[1]:
		n.differs("%s: %s", what, n.otherField(made.Next, was[1]))
	}
}

// otherField names a field of a local state that differs from the recorded local state.
func (n *Log) otherField(id uint32, before uint64) string {
	was, l := map[uint64]bool{}, &n.e.Locals.List[id]
	for _, f := range n.locals[before] {
		was[f] = true
	}
	if len(was) > 1 {
		for _, f := range n.e.FieldsOf(l.Node, l.State) {
			if !was[fieldHash(f)] {
				return fmt.Sprintf("afterwards field %s is %s, unlike before", f.Path, f.Value)
			}
		}
	}
	return "afterwards the node is in another state"
}

// Monitor records the next state of a monitor, or compares it with the recorded one.
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
		n.differs("%s handles %T%+v of n%d differently", sim.MonitorName(m.State), e.Announcements.List[event], e.Announcements.List[event], node)
	}
}

// Take appends the notes added since the last call.
func (n *Log) Take(buf []byte) []byte {
	buf = append(buf, n.fresh...)
	n.fresh = n.fresh[:0]
	return buf
}

// Resumed marks the end of the replay: steps that the log does not have are new from here on.
func (n *Log) Resumed() { n.replayed = true }

// Err returns an error if the code differs from the code that wrote the log.
func (n *Log) Err() error {
	if n == nil || n.changed == nil {
		return nil
	}
	return n.changed
}
