package table

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// steps holds a decision tree for each local state and event that were met together.
type steps struct {
	roots  memo // local state and event -> ref
	inner  pages[question]
	leaves pages[leaf]
}

// ref refers to a node of a tree: twice the number of a leaf, or twice that of an inner node plus one.
type ref uint32

const noRef = ^ref(0)

// farBranch keeps a draw of many alternatives, few of which are met, from taking memory for all.
const farBranch = 1 << 10

// leaf is one way that a step can go.
type leaf struct {
	next     uint32 // local state, all effects included; when err is set, that in which the handler failed
	err      error  // a finding; effects do not happen
	failed   int32  // the effect that cannot happen, len(effects) when all can
	failure  error
	met      bool  // the step was taken, not only looked at
	outlast  int32 // in how many ways the node may crash inside the step
	heard    int32 // and halt
	ops      []op
	effects  []kernel.Effect
	answers  []answer // of all questions
	observed []roomAsked
	handled  *kernel.Local // after the handler, before any effect, without its service; nil unless it may crash inside the step
	cuts     map[cut]*cutState
}

// op is an effect that concerns more than the node itself.
type op struct {
	kind kernel.EffectKind
	at   int32 // among the effects
	peer sim.NodeID
	id   uint32 // message or announced event
}

func stepKey(local, event uint32) uint64 { return uint64(local)<<32 | uint64(event) }

// roomSource returns the room in the stream of the acting node to a peer, or that of a stream without messages.
type roomSource interface {
	roomOf(peer sim.NodeID, fresh bool) int
}

// missHandler answers the questions of a handler whose step is not known: what is known of it already is
// repeated, the rest is asked.
type missHandler struct {
	e     *engine
	rooms roomSource
	src   choose.Source
	picks []int32
	asked int
}

func (l *missHandler) Choose(p choose.Point) int {
	pick := l.choose(p)
	l.e.calls.answered(pick)
	return pick
}

func (l *missHandler) choose(p choose.Point) int {
	l.asked++
	if l.asked <= len(l.picks) {
		if pick := int(l.picks[l.asked-1]); pick < p.Arity {
			return pick
		}
		return 0 // the step differs from what is known of it, which is noticed afterwards
	}
	return l.src.Choose(p)
}

func (l *missHandler) Room(peer sim.NodeID) int {
	room := l.rooms.roomOf(peer, false)
	l.e.calls.answered(room)
	return room
}

// walk finds the leaf of a step, and runs the handler when there is none.
func (e *engine) walk(s *stepOf, src choose.Source, rooms roomSource) (uint32, error) {
	e.stats.Steps++
	at := noRef
	if v, ok := e.steps.roots.get(stepKey(s.local, s.event)); ok {
		at = ref(v)
	}
	e.picks = e.picks[:0]
	for at != noRef && at&1 == 1 {
		q := e.steps.inner.at(uint32(at >> 1))
		if q.point.Arity > 0 {
			pick := src.Choose(q.point)
			e.picks = append(e.picks, int32(pick))
			at = q.follow(pick)
			continue
		}
		at = q.follow(q.branch(rooms.roomOf(q.peer, q.fresh)))
	}
	if at != noRef {
		if e.samples.due() {
			if err := e.verify(s, uint32(at>>1), rooms); err != nil {
				return 0, err
			}
		}
		return uint32(at >> 1), nil
	}
	return e.learn(s, src, rooms)
}

// learn runs the handler of a step that is not known, and adds the way that it went to the step's
// tree.
func (e *engine) learn(s *stepOf, src choose.Source, rooms roomSource) (uint32, error) {
	e.stats.Misses++
	before, err := e.calling(handlerCall, s)
	if err != nil {
		return 0, err
	}
	defer e.calls.end(before)
	own, err := e.private(s.local)
	if err != nil {
		return 0, err
	}
	out := e.run(s, own, &missHandler{e: e, rooms: rooms, src: src, picks: e.picks})
	if e.calls.refuses() {
		return 0, kernel.GivenUp()
	}
	made, err := e.newLeaf(s, &out)
	if err != nil {
		return 0, err
	}
	return e.insert(s, &out, made)
}

// run runs a handler on a local state that is its own.
func (e *engine) run(s *stepOf, own *kernel.Local, answers kernel.Answerer) kernel.Outcome {
	e.stats.Handlers++
	d := kernel.Handed{Delivery: sim.Delivery{From: s.ev.Peer, Err: s.err}}
	if s.ev.Kind == sim.Deliver {
		d.Msg.Body = e.bench.CopyValue(e.messages.list[s.msg].Body)
	}
	if s.ev.Kind == sim.TakeQuorum {
		d.Set = e.setFor(s.msg)
	}
	return e.bench.Run(s.ev.Node, own, s.ev, d, answers)
}

// newLeaf makes the leaf of what a handler did.
func (e *engine) newLeaf(s *stepOf, out *kernel.Outcome) (made leaf, err error) {
	defer func() {
		if r := recover(); r == errTooMany {
			err = &Unsupported{errTooMany.Error()}
		} else if r != nil {
			panic(r)
		}
	}()
	node := s.ev.Node
	made.answers = answersOf(out.Questions)
	from := origin{before: s.local, step: *s, answers: made.answers}
	made.effects = slices.Clone(out.Effects)
	for i := range made.effects {
		if f := &made.effects[i]; f.Kind.Carries() && out.Err == nil {
			f.Msg = e.messages.list[e.message(f.Msg.Body)]
			f.Msg.ID = 0
		}
	}
	for i := range out.Questions {
		if q := &out.Questions[i]; q.Observation() {
			made.observed = append(made.observed, aboutRoom(q))
		}
	}
	if made.err = out.Err; overdue(out.Err) {
		return made, out.Err // its handler may go on changing the state
	}
	if out.Err != nil {
		made.next, err = e.intern(node, out.After, &from)
		if err != nil { // a state in which a handler failed is only looked at
			made.next, err = s.local, nil
		}
		return made, nil
	}
	for i := range made.effects {
		f := &made.effects[i]
		o := op{kind: f.Kind, at: int32(i), peer: f.Peer}
		switch {
		case f.Kind == kernel.SendEffect || f.Kind == kernel.StreamEffect:
			o.id = e.message(f.Msg.Body)
		case f.Kind == kernel.RefusedEffect || f.Kind == kernel.CloseEffect:
		case f.Kind == kernel.AnnounceEffect && len(e.sys.Monitors) > 0:
			o.id = e.event(f.Value)
		default:
			continue
		}
		made.ops = append(made.ops, o)
	}
	after, failed, failure := e.bench.Settle(node, out.After, made.effects, len(made.effects))
	made.failed, made.failure = int32(failed), failure
	if e.sys.Halts > 0 {
		made.heard = int32(len(e.cutsOf(&made, kernel.EffectKind.Heard)))
	}
	if e.sys.Crashes > 0 {
		made.outlast = int32(len(e.cutsOf(&made, kernel.EffectKind.Outlasts)))
		if made.outlast > 0 {
			made.handled = out.After.Bare()
		}
	}
	made.next, err = e.intern(node, after, &from)
	return made, err
}

// insert adds a leaf to the tree of a step.
func (e *engine) insert(s *stepOf, out *kernel.Outcome, made leaf) (uint32, error) {
	t := &e.steps
	key := stepKey(s.local, s.event)
	at := noRef
	if v, ok := t.roots.get(key); ok {
		at = ref(v)
	}
	hang := func(r ref) { t.roots.put(key, uint64(r)) }
	for i := range out.Questions {
		q := &out.Questions[i]
		if at == noRef {
			n := question{point: q.Point, roomAsked: aboutRoom(q)}
			at = ref(t.inner.add(n))<<1 | 1
			hang(at)
		}
		if at&1 == 0 || !t.inner.at(uint32(at>>1)).same(q) {
			return 0, e.otherQuestions(s, at, q)
		}
		k, branch := uint32(at>>1), q.Pick
		if q.Observation() {
			branch = t.inner.at(k).branch(e.roomBefore(q))
		}
		at = t.inner.at(k).follow(branch)
		hang = func(r ref) { t.inner.at(k).set(branch, r) }
	}
	if at != noRef {
		return 0, e.otherQuestions(s, at, nil)
	}
	id := t.leaves.add(made)
	if e.stepRecorder != nil {
		e.stepRecorder.step(s, out, &made)
	}
	hang(ref(id) << 1)
	return id, nil
}

// roomBefore is the room that an observation started from.
func (e *engine) roomBefore(q *kernel.Question) int {
	if q.Fresh {
		return e.net.Capacity()
	}
	return q.Room
}

func answersOf(questions []kernel.Question) []answer {
	var a []answer
	for i := range questions {
		if q := &questions[i]; q.Observation() {
			a = append(a, answer(q.Room))
		} else {
			a = append(a, answer(q.Pick))
		}
	}
	return a
}

// settled returns the local state when only the effects before end happened, because a later one could
// not. The handler runs again: the state is only looked at.
func (e *engine) settled(s *stepOf, id uint32, end int) (uint32, error) {
	before, err := e.calling(againCall, s)
	if err != nil {
		return 0, err
	}
	defer e.calls.end(before)
	own, err := e.private(s.local)
	if err != nil {
		return 0, err
	}
	out := e.run(s, own, &repeated{answers: e.steps.leaves.at(id).answers})
	if overdue(out.Err) {
		return 0, out.Err
	}
	effects := slices.Clone(out.Effects)
	after, _, _ := e.bench.Settle(s.ev.Node, out.After, effects, min(end, len(effects)))
	return e.intern(s.ev.Node, after, nil)
}

// private makes the local state with a service of its own, for a handler to run on. The error is a
// finding or [*Unsupported].
func (e *engine) private(id uint32) (*kernel.Local, error) {
	state := e.locals.list[id].state
	if !state.Up() {
		return e.bench.Copy(state)
	}
	why := e.bench.Copyable(state)
	if why == nil {
		var own *kernel.Local
		if own, why = e.bench.Copy(state); why == nil {
			e.plans.note(state.Service(), nil)
			return own, nil
		}
	}
	e.plans.note(state.Service(), why)
	return e.rebuild(id)
}

// recovers reports whether events of a kind can be of the recovery relation.
func (e *engine) recovers(kind sim.EventKind) bool {
	return !kind.Injection() && e.weightless>>kind&1 == 0
}

// appendSituation appends the content of what a handler is called with: its node's state and the event.
func (e *engine) appendSituation(s *stepOf, buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, e.locals.list[s.local].hash.Lo)
	buf = fmt.Appendf(buf, "%d %d %v;", s.ev.Kind, s.ev.Peer, s.err)
	switch s.ev.Kind {
	case sim.Deliver:
		buf = e.bench.AppendValue(e.messages.list[s.msg].Body, buf)
	case sim.TakeQuorum:
		set := &e.quorums.sets[s.msg]
		buf = fmt.Appendf(buf, "%d", set.quorum)
		for i, msg := range set.msgs {
			buf = e.bench.AppendValue(e.messages.list[msg].Body, fmt.Appendf(buf, " %d ", set.from[i]))
		}
	default:
		buf = fmt.Appendf(buf, "%d", s.ev.Slot)
	}
	return buf
}

// stepText names the handler of a step.
func (e *engine) stepText(s *stepOf) string {
	what := s.ev.Kind.String()
	switch s.ev.Kind {
	case sim.Deliver:
		body := e.messages.list[s.msg].Body
		what = fmt.Sprintf("message %T%+v from n%d", body, body, s.ev.Peer)
	case sim.DeliverError:
		what = fmt.Sprintf("error %v of n%d", s.err, s.ev.Peer)
	case sim.DoAction:
		what = "action " + e.sys.ActionNames()[s.ev.Slot]
	case sim.FireTimer:
		what = fmt.Sprintf("timer %v", e.locals.list[s.local].state.Timer(s.ev.Slot))
	}
	return fmt.Sprintf("the handler of n%d (%T) for %s", s.ev.Node, e.sys.New(s.ev.Node), what)
}
