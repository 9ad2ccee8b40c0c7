package table

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// repeated answers the questions of a handler as they were answered before.
type repeated struct {
	answers []answer
	next    int
}

func (r *repeated) take() int {
	if r.next < len(r.answers) {
		r.next++
		return int(r.answers[r.next-1])
	}
	r.next++
	return 0
}

func (r *repeated) Choose(p choose.Point) int {
	if pick := r.take(); pick < p.Arity {
		return pick
	}
	return 0
}

func (r *repeated) Room(sim.NodeID) int { return r.take() }

// rebuild makes the local state by executing all that happened to the node since its last boot. The
// error is a finding, or [*Unsupported].
func (e *engine) rebuild(id uint32) (*kernel.Local, error) {
	state, err := e.reenact(id)
	if err == nil {
		err = e.compare(id, state, "is in another state when all that happened to the node since its last boot is executed again")
	}
	return state, err
}

// reenact is rebuild without a look at what came of it.
func (e *engine) reenact(id uint32) (*kernel.Local, error) {
	var path []*origin // latest first
	at := id
	for e.locals.list[at].state.Up() && !e.locals.list[at].moved {
		o := e.locals.list[at].from
		if o == nil {
			return nil, &Unsupported{fmt.Sprintf("node %d is in a state whose history is not known", e.locals.list[at].node)}
		}
		path = append(path, o)
		at = o.before
	}
	state, err := e.bench.Copy(e.locals.list[at].state)
	if err != nil {
		return nil, err
	}
	for _, o := range slices.Backward(path) {
		out := e.run(&o.step, state, &repeated{answers: o.answers})
		if overdue(out.Err) {
			return nil, out.Err
		}
		if state = out.After; out.Err != nil {
			continue // what it left behind was met as the state after a good step, too
		}
		effects := slices.Clone(out.Effects)
		state, _, _ = e.bench.Settle(o.step.ev.Node, state, effects, len(effects))
	}
	return state, nil
}

// verify executes a step that was looked up again.
func (e *engine) verify(s *stepOf, id uint32, rooms roomSource) (err error) {
	defer kernel.CatchState(&err)
	e.stats.Verified++
	before, err := e.calling(againCall, s)
	if err != nil {
		return err
	}
	defer e.calls.end(before)
	own, err := e.private(s.local)
	if err != nil {
		return err
	}
	if err := e.compare(s.local, own, "was changed by something other than its own handlers"); err != nil {
		return err
	}
	l := e.steps.leaves.at(id)
	out := e.run(s, own, &missHandler{e: e, rooms: rooms, src: choose.First, picks: e.picks})
	if e.calls.refuses() {
		e.calls.doubted = true
		return kernel.GivenUp()
	}
	if overdue(out.Err) {
		return out.Err
	}
	if got, at, q := e.find(s, &out); got != id {
		return e.otherQuestions(s, at, q)
	}
	after := out.After
	if (out.Err == nil) != (l.err == nil) {
		return e.differs(s.ev.Node, fmt.Sprintf("executed again in the same state a step ended with %v, before with %v", out.Err, l.err))
	}
	if out.Err == nil {
		effects := slices.Clone(out.Effects)
		if k := e.firstOther(effects, l.effects); k >= 0 {
			return e.differs(s.ev.Node, fmt.Sprintf("executed again in the same state a step had other effects, from effect %d on: %s, before %s",
				k+1, e.describe(effects, k), e.describe(l.effects, k)))
		}
		after, _, _ = e.bench.Settle(s.ev.Node, after, effects, len(effects))
	}
	if l.err == nil {
		if err := e.compare(l.next, after, "came to another state when a step was executed again in the same state"); err != nil {
			return err
		}
	}
	if e.samples.copied() {
		_, err := e.rebuild(s.local)
		return err
	}
	return nil
}

// find walks a step's tree by the questions of a handler. When that does not lead to a leaf, at and q
// are what does not fit.
func (e *engine) find(s *stepOf, out *kernel.Outcome) (leaf uint32, at ref, q *kernel.Question) {
	v, _ := e.steps.roots.get(stepKey(s.local, s.event))
	at = ref(v)
	for i := range out.Questions {
		q := &out.Questions[i]
		if at == noRef || at&1 == 0 || !e.steps.inner.at(uint32(at>>1)).same(q) {
			return uint32(noRef), at, q
		}
		n := e.steps.inner.at(uint32(at >> 1))
		if q.Observation() {
			at = n.follow(n.branch(e.roomBefore(q)))
		} else {
			at = n.follow(q.Pick)
		}
	}
	if at == noRef || at&1 == 1 {
		return uint32(noRef), at, nil
	}
	return uint32(at >> 1), at, nil
}

func (e *engine) firstOther(a, b []kernel.Effect) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !e.sameEffect(&a[i], &b[i]) {
			return i
		}
	}
	return -1
}

func (e *engine) sameEffect(a, b *kernel.Effect) bool {
	if a.Kind != b.Kind || a.Peer != b.Peer || a.After != b.After || a.Text != b.Text {
		return false
	}
	switch {
	case a.Kind.Carries():
		return e.sameValue(a.Msg.Body, b.Msg.Body)
	case a.Value != nil || b.Value != nil:
		return e.sameValue(a.Value, b.Value)
	}
	return true
}

func (e *engine) sameValue(a, b any) bool {
	return string(e.bench.AppendValue(a, nil)) == string(e.bench.AppendValue(b, nil))
}

func (e *engine) describe(effects []kernel.Effect, i int) string {
	if i >= len(effects) {
		return "none"
	}
	f := &effects[i]
	switch {
	case f.Kind.Carries():
		return fmt.Sprintf("%v %+v to n%d", f.Kind, f.Msg.Body, f.Peer)
	case f.Value != nil:
		return fmt.Sprintf("%v %+v", f.Kind, f.Value)
	}
	return f.Kind.String()
}

// unchanged encodes the local states of all nodes again, which properties were shown.
func (w *World) unchanged() error {
	for _, id := range w.v[:w.nodes] {
		if err := w.compare(id, w.locals.list[id].state, "was changed by something other than its own handlers, such as a property"); err != nil {
			return err
		}
	}
	return w.unchangedSets()
}

// otherQuestions is the finding that a handler asked something else than before with the same
// answers so far.
func (e *engine) otherQuestions(s *stepOf, at ref, q *kernel.Question) error {
	before := "no more questions"
	switch {
	case at == noRef:
		before = "something that was answered otherwise"
	case at&1 == 1:
		n := e.steps.inner.at(uint32(at >> 1))
		before = fmt.Sprintf("%q", n.point.Label)
		if n.point.Arity == 0 {
			before = fmt.Sprintf("the room in the stream to n%d", n.peer)
		}
	}
	now := "no more questions"
	if q != nil {
		now = fmt.Sprintf("%q", q.Point.Label)
		if q.Observation() {
			now = fmt.Sprintf("the room in the stream to n%d", q.Peer)
		}
	}
	return e.differs(s.ev.Node, fmt.Sprintf("executed again in the same state with the same answers a step asked %s, before %s", now, before))
}
