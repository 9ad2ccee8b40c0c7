package steptree

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// repeated replays the answers to a handler's questions.
type repeated struct {
	answers []store.Answer
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

// rebuild computes the local state by executing all events of the node since its last boot. The error is a finding,
// or [*options.Unsupported].
func (e *Engine) rebuild(id uint32) (*kernel.Local, error) {
	state, err := e.reenact(id)
	if err == nil {
		err = e.Compare(id, state, "is in another state when all events of the node since its last boot are executed again")
	}
	return state, err
}

// reenact is rebuild without the comparison.
func (e *Engine) reenact(id uint32) (*kernel.Local, error) {
	var path []*store.Origin // latest first
	at := id
	for e.Locals.List[at].State.Up() && !e.Locals.List[at].Permuted {
		o := e.Locals.List[at].Origin
		if o == nil {
			return nil, &options.Unsupported{Why: fmt.Sprintf("node %d is in a state with unknown history", e.Locals.List[at].Node)}
		}
		path = append(path, o)
		at = o.Before
	}
	state, err := e.Bench.Copy(e.Locals.List[at].State)
	if err != nil {
		return nil, err
	}
	for _, o := range slices.Backward(path) {
		out := e.run(&o.Step, state, &repeated{answers: o.Answers})
		if store.IsOverdue(out.Err) {
			return nil, out.Err
		}
		if state = out.After; out.Err != nil {
			continue // the state after a failed step was also reached by a successful one
		}
		effects := slices.Clone(out.Effects)
		state, _, _ = e.Bench.ApplyEffects(o.Step.Event.Node, state, effects, len(effects))
	}
	return state, nil
}

// verify executes again a step that was looked up.
func (e *Engine) verify(s *store.Situation, id uint32, rooms roomSource) (err error) {
	defer contain.CatchState(&err)
	e.Counters.Verified++
	before, err := e.enterHandler(options.RepeatCall, s)
	if err != nil {
		return err
	}
	defer e.Calls.Leave(before)
	own, err := e.private(s.Local)
	if err != nil {
		return err
	}
	if err := e.Compare(s.Local, own, "was changed by something other than its own handlers"); err != nil {
		return err
	}
	l := e.Trees.Leaves.At(id)
	out := e.run(s, own, &missHandler{e: e, rooms: rooms, src: choose.First, picks: e.picks})
	if e.Calls.WasSkipped() {
		e.Calls.Doubted = true
		return contain.GivenUp()
	}
	if store.IsOverdue(out.Err) {
		return out.Err
	}
	if got, at, q := e.find(s, &out); got != id {
		return e.otherQuestions(s, at, q)
	}
	after := out.After
	if (out.Err == nil) != (l.Err == nil) {
		return e.Differs(s.Event.Node, fmt.Sprintf("executed again in the same state a step ended with %v, before with %v", out.Err, l.Err))
	}
	if out.Err == nil {
		effects := slices.Clone(out.Effects)
		if k := e.FirstDifference(effects, l.Effects); k >= 0 {
			return e.Differs(s.Event.Node, fmt.Sprintf("executed again in the same state a step had other effects, from effect %d on: %s, before %s",
				k+1, e.DescribeEffect(effects, k), e.DescribeEffect(l.Effects, k)))
		}
		after, _, _ = e.Bench.ApplyEffects(s.Event.Node, after, effects, len(effects))
	}
	if l.Err == nil {
		if err := e.Compare(l.Next, after, "reached another state when a step was executed again in the same state"); err != nil {
			return err
		}
	}
	if e.Samples.Copied() {
		_, err := e.rebuild(s.Local)
		return err
	}
	return nil
}

// find walks a step's tree by the questions of a handler. If it reaches no leaf, at and q are the mismatch.
func (e *Engine) find(s *store.Situation, out *bench.Outcome) (leaf uint32, at Ref, q *bench.Question) {
	v, _ := e.Trees.Roots.Get(SituationKey(s.Local, s.EventID))
	at = Ref(v)
	for i := range out.Questions {
		q := &out.Questions[i]
		if at == NoRef || at&1 == 0 || !e.Trees.Inner.At(uint32(at>>1)).same(q) {
			return uint32(NoRef), at, q
		}
		n := e.Trees.Inner.At(uint32(at >> 1))
		if q.Observation() {
			at = n.Follow(n.Branch(e.RoomBefore(q)))
		} else {
			at = n.Follow(q.Pick)
		}
	}
	if at == NoRef || at&1 == 1 {
		return uint32(NoRef), at, nil
	}
	return uint32(at >> 1), at, nil
}

func (e *Engine) FirstDifference(a, b []stepinfo.Effect) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !e.sameEffect(&a[i], &b[i]) {
			return i
		}
	}
	return -1
}

func (e *Engine) sameEffect(a, b *stepinfo.Effect) bool {
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

func (e *Engine) sameValue(a, b any) bool {
	return string(e.Bench.AppendValue(a, nil)) == string(e.Bench.AppendValue(b, nil))
}

func (e *Engine) DescribeEffect(effects []stepinfo.Effect, i int) string {
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

// otherQuestions returns the finding that a handler asked another question than before, after the same answers.
func (e *Engine) otherQuestions(s *store.Situation, at Ref, q *bench.Question) error {
	before := "no more questions"
	switch {
	case at == NoRef:
		before = "something with another answer"
	case at&1 == 1:
		n := e.Trees.Inner.At(uint32(at >> 1))
		before = fmt.Sprintf("%q", n.Point.Label)
		if n.Point.Arity == 0 {
			before = fmt.Sprintf("the room in the stream to n%d", n.Peer)
		}
	}
	now := "no more questions"
	if q != nil {
		now = fmt.Sprintf("%q", q.Point.Label)
		if q.Observation() {
			now = fmt.Sprintf("the room in the stream to n%d", q.Peer)
		}
	}
	return e.Differs(s.Event.Node, fmt.Sprintf("executed again in the same state with the same answers a step asked %s, before %s",
		now, before))
}
