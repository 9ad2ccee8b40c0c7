package steptree

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/bench"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// steps holds a decision tree for each pair of local state and event that occurred.
type steps struct {
	Roots  store.Memo // local state and event -> ref
	Inner  store.Pages[question]
	Leaves store.Pages[Leaf]
}

// Ref refers to a node of a tree: twice the number of a leaf, or twice that of an inner node plus one.
type Ref uint32

// NoRef stands for a missing node.
const NoRef = ^Ref(0)

// farBranch limits the memory of draws with many alternatives, if few of them occur: larger answers are kept in a
// map.
const farBranch = 1 << 10

// Leaf is one outcome of a step.
type Leaf struct {
	Next      uint32            // local state after all effects; if Err is set, that in which the handler failed
	Err       error             // a finding of the handler; the effects do not happen
	Failed    int32             // index of the effect that cannot happen, or len(Effects)
	Failure   error             // the finding by that effect; nil if all can happen
	Taken     bool              // the step was taken, not only inspected
	CrashCuts int32             // number of ways in which the node may crash inside the step
	HaltCuts  int32             // number of ways to halt inside the step
	Ops       []Op              // the effects on others, by ascending At
	Effects   []stepinfo.Effect // all effects, in the order in which the handler requested them
	Answers   []store.Answer    // to all questions, in order: the path from the root to this leaf
	Observed  []RoomAsked       // the questions about room among these
	// Local state after the handler, before any effect, without its service; nil unless the node may crash inside
	// the step
	handled *kernel.Local
	cuts    map[Cut]*cutState
}

// Op is an effect on something other than the node itself.
type Op struct {
	Kind stepinfo.EffectKind
	At   int32 // index of the effect
	Peer sim.NodeID
	ID   uint32 // index in Tables.Contents, or for an announcement in Tables.Announcements
}

// SituationKey returns the key of a tree in steps.Roots.
func SituationKey(local, event uint32) uint64 { return uint64(local)<<32 | uint64(event) }

// roomSource returns the room in the acting node's stream to a peer, or that of an empty stream if fresh.
type roomSource interface {
	RoomOf(peer sim.NodeID, fresh bool) int
}

// missHandler answers the questions of a handler on a miss. It replays known answers, and asks src for the others.
type missHandler struct {
	e     *Engine
	rooms roomSource
	src   choose.Source
	picks []int32 // known answers to choices
	asked int     // number of choices so far
}

func (l *missHandler) Choose(p choose.Point) int {
	pick := l.choose(p)
	l.e.Calls.Answered(pick)
	return pick
}

func (l *missHandler) choose(p choose.Point) int {
	l.asked++
	if l.asked <= len(l.picks) {
		if pick := int(l.picks[l.asked-1]); pick < p.Arity {
			return pick
		}
		return 0 // the step differs from its tree; insert reports that
	}
	return l.src.Choose(p)
}

func (l *missHandler) Room(peer sim.NodeID) int {
	room := l.rooms.RoomOf(peer, false)
	l.e.Calls.Answered(room)
	return room
}

// Walk returns the leaf of a step. On a miss it runs the handler.
func (e *Engine) Walk(s *store.Situation, src choose.Source, rooms roomSource) (uint32, error) {
	e.Counters.Steps++
	at := NoRef
	if v, ok := e.Trees.Roots.Get(SituationKey(s.Local, s.EventID)); ok {
		at = Ref(v)
	}
	e.picks = e.picks[:0]
	for at != NoRef && at&1 == 1 {
		q := e.Trees.Inner.At(uint32(at >> 1))
		if q.Point.Arity > 0 {
			pick := src.Choose(q.Point)
			e.picks = append(e.picks, int32(pick))
			at = q.Follow(pick)
			continue
		}
		at = q.Follow(q.Branch(rooms.RoomOf(q.Peer, q.Fresh)))
	}
	if at != NoRef {
		if e.Samples.Due() {
			if err := e.verify(s, uint32(at>>1), rooms); err != nil {
				return 0, err
			}
		}
		return uint32(at >> 1), nil
	}
	return e.populate(s, src, rooms)
}

// populate runs the handler of a step, and adds the outcome to the step's tree.
func (e *Engine) populate(s *store.Situation, src choose.Source, rooms roomSource) (leaf uint32, err error) {
	defer e.CatchRule(&err)
	e.Counters.Misses++
	before, err := e.enterHandler(options.HandlerCall, s)
	if err != nil {
		return 0, err
	}
	defer e.Calls.Leave(before)
	own, err := e.private(s.Local)
	if err != nil {
		return 0, err
	}
	out := e.run(s, own, &missHandler{e: e, rooms: rooms, src: src, picks: e.picks})
	if e.Calls.WasSkipped() {
		return 0, contain.GivenUp()
	}
	made, err := e.newLeaf(s, &out)
	if err != nil {
		return 0, err
	}
	return e.insert(s, &out, made)
}

// run runs a handler on a private local state.
func (e *Engine) run(s *store.Situation, own *kernel.Local, answers bench.Answerer) bench.Outcome {
	e.Counters.Handlers++
	d := declared.Handed{Delivery: netmodel.Delivery{From: s.Event.Peer, Err: s.Err}}
	if s.Event.Kind == eventkind.Deliver {
		d.Msg.Body = e.Bench.CopyValue(e.Contents.List[s.Message].Body)
	}
	if s.Event.Kind == eventkind.TakeQuorum {
		d.Set = e.setFor(s.Message)
	}
	return e.Bench.Run(s.Event.Node, own, s.Event, d, answers)
}

// newLeaf converts the outcome of a handler.
func (e *Engine) newLeaf(s *store.Situation, out *bench.Outcome) (made Leaf, err error) {
	defer func() {
		if r := recover(); r == store.ErrTooMany {
			err = &options.Unsupported{Why: store.ErrTooMany.Error()}
		} else if r != nil {
			panic(r)
		}
	}()
	node := s.Event.Node
	made.Answers = answersOf(out.Questions)
	from := store.Origin{Before: s.Local, Step: *s, Answers: made.Answers}
	made.Effects = slices.Clone(out.Effects)
	for i := range made.Effects {
		if f := &made.Effects[i]; f.Kind.Carries() && out.Err == nil {
			f.Msg = e.Contents.List[e.Message(f.Msg.Body)]
			f.Msg.ID = 0
		}
	}
	for i := range out.Questions {
		if q := &out.Questions[i]; q.Observation() {
			made.Observed = append(made.Observed, AboutRoom(q))
		}
	}
	if made.Err = out.Err; store.IsOverdue(out.Err) {
		return made, out.Err // its handler may still be changing the state
	}
	if out.Err != nil {
		made.Next, err = e.Intern(node, out.After, &from)
		if err != nil { // the state in which a handler failed has no successors
			made.Next, err = s.Local, nil
		}
		return made, nil
	}
	for i := range made.Effects {
		f := &made.Effects[i]
		o := Op{Kind: f.Kind, At: int32(i), Peer: f.Peer}
		switch {
		case f.Kind == stepinfo.SendEffect || f.Kind == stepinfo.StreamEffect:
			o.ID = e.Message(f.Msg.Body)
		case f.Kind == stepinfo.RefusedEffect || f.Kind == stepinfo.CloseEffect:
		case f.Kind == stepinfo.AnnounceEffect && len(e.Sys.Monitors) > 0:
			o.ID = e.Announced(f.Value)
		default:
			continue
		}
		made.Ops = append(made.Ops, o)
	}
	after, failed, failure := e.Bench.ApplyEffects(node, out.After, made.Effects, len(made.Effects))
	made.Failed, made.Failure = int32(failed), failure
	if e.Sys.Halts > 0 {
		made.HaltCuts = int32(len(e.CutsOf(&made, stepinfo.EffectKind.VisibleAfterHalt)))
	}
	if e.Sys.Crashes > 0 {
		made.CrashCuts = int32(len(e.CutsOf(&made, stepinfo.EffectKind.SurvivesCrash)))
		if made.CrashCuts > 0 {
			made.handled = out.After.Bare()
		}
	}
	made.Next, err = e.Intern(node, after, &from)
	return made, err
}

// insert adds a leaf to the tree of a step.
func (e *Engine) insert(s *store.Situation, out *bench.Outcome, made Leaf) (uint32, error) {
	t := &e.Trees
	key := SituationKey(s.Local, s.EventID)
	at := NoRef
	if v, ok := t.Roots.Get(key); ok {
		at = Ref(v)
	}
	hang := func(r Ref) { t.Roots.Put(key, uint64(r)) }
	for i := range out.Questions {
		q := &out.Questions[i]
		if at == NoRef {
			n := question{Point: q.Point, RoomAsked: AboutRoom(q)}
			at = Ref(t.Inner.Add(n))<<1 | 1
			hang(at)
		}
		if at&1 == 0 || !t.Inner.At(uint32(at>>1)).same(q) {
			return 0, e.otherQuestions(s, at, q)
		}
		k, branch := uint32(at>>1), q.Pick
		if q.Observation() {
			branch = t.Inner.At(k).Branch(e.RoomBefore(q))
		}
		at = t.Inner.At(k).Follow(branch)
		hang = func(r Ref) { t.Inner.At(k).set(branch, r) }
	}
	if at != NoRef {
		return 0, e.otherQuestions(s, at, nil)
	}
	id := t.Leaves.Add(made)
	if e.StepRecorder != nil {
		e.StepRecorder.Step(s, out, &made)
	}
	hang(Ref(id) << 1)
	return id, nil
}

// RoomBefore returns the room before the handler sent anything.
func (e *Engine) RoomBefore(q *bench.Question) int {
	if q.Fresh {
		return e.Net.Capacity()
	}
	return q.Room
}

func answersOf(questions []bench.Question) []store.Answer {
	var a []store.Answer
	for i := range questions {
		if q := &questions[i]; q.Observation() {
			a = append(a, store.Answer(q.Room))
		} else {
			a = append(a, store.Answer(q.Pick))
		}
	}
	return a
}

// AfterEffects returns the local state after the effects before end only, because a later one could not happen. It runs
// the handler again. The state has no successors.
func (e *Engine) AfterEffects(s *store.Situation, id uint32, end int) (after uint32, err error) {
	defer e.CatchRule(&err)
	before, err := e.enterHandler(options.RepeatCall, s)
	if err != nil {
		return 0, err
	}
	defer e.Calls.Leave(before)
	own, err := e.private(s.Local)
	if err != nil {
		return 0, err
	}
	out := e.run(s, own, &repeated{answers: e.Trees.Leaves.At(id).Answers})
	if store.IsOverdue(out.Err) {
		return 0, out.Err
	}
	effects := slices.Clone(out.Effects)
	state, _, _ := e.Bench.ApplyEffects(s.Event.Node, out.After, effects, min(end, len(effects)))
	return e.Intern(s.Event.Node, state, nil)
}

// private returns the local state with a private copy of its service, for a handler to run on. The error is a
// finding or [*options.Unsupported].
func (e *Engine) private(id uint32) (*kernel.Local, error) {
	state := e.Locals.List[id].State
	if !state.Up() {
		return e.Bench.Copy(state)
	}
	why := e.Bench.Copyable(state)
	if why == nil {
		var own *kernel.Local
		if own, why = e.Bench.Copy(state); why == nil {
			e.CopyPlans.Note(state.Service(), nil)
			return own, nil
		}
	}
	e.CopyPlans.Note(state.Service(), why)
	return e.rebuild(id)
}

// RecoveryKind reports whether events of a kind can belong to the recovery relation.
func (e *Engine) RecoveryKind(kind eventkind.Kind) bool {
	return !kind.Injection() && e.Weightless>>kind&1 == 0
}

// AppendSituation appends the content of a handler's arguments: its node's state and the event.
func (e *Engine) AppendSituation(s *store.Situation, buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, e.Locals.List[s.Local].Hash.Lo)
	buf = fmt.Appendf(buf, "%d %d %v;", s.Event.Kind, s.Event.Peer, s.Err)
	switch s.Event.Kind {
	case eventkind.Deliver:
		buf = e.Bench.AppendValue(e.Contents.List[s.Message].Body, buf)
	case eventkind.TakeQuorum:
		set := &e.Quorums.Sets[s.Message]
		buf = fmt.Appendf(buf, "%d", set.Quorum)
		for i, msg := range set.Msgs {
			buf = e.Bench.AppendValue(e.Contents.List[msg].Body, fmt.Appendf(buf, " %d ", set.From[i]))
		}
	default:
		buf = fmt.Appendf(buf, "%d", s.Event.Slot)
	}
	return buf
}

// StepText names the handler of a step.
func (e *Engine) StepText(s *store.Situation) string {
	what := s.Event.Kind.String()
	switch s.Event.Kind {
	case eventkind.Deliver:
		body := e.Contents.List[s.Message].Body
		what = fmt.Sprintf("message %T%+v from n%d", body, body, s.Event.Peer)
	case eventkind.DeliverError:
		what = fmt.Sprintf("error %v of n%d", s.Err, s.Event.Peer)
	case eventkind.DoAction:
		what = "action " + e.Sys.ActionNames()[s.Event.Slot]
	case eventkind.FireTimer:
		what = fmt.Sprintf("timer %v", e.Locals.List[s.Local].State.Timer(s.Event.Slot))
	}
	return fmt.Sprintf("the handler of n%d (%T) for %s", s.Event.Node, e.Sys.New(s.Event.Node), what)
}
