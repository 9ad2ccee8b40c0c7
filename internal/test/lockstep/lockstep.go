// Package lockstep compares the engines: it drives a world of each along the same path.
package lockstep

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// Pair drives a world of each engine along the same path and compares all that a world shows.
type Pair struct {
	t             rapid.TB
	sys           *sim.System
	rnd           *rand.Rand
	Replay, Table kernel.World
	plans         *encoding.Set
	trail         []string
	asked         []question
	next          int
	// injections is the probability of one, when there are any.
	injections float64
}

type question struct {
	point choose.Point
	pick  int
}

// New makes a pair of worlds, whose events and answers are drawn with seed.
func New(t rapid.TB, sys *sim.System, seed uint64) *Pair {
	t.Helper()
	d := &Pair{t: t, sys: sys, rnd: rand.New(rand.NewPCG(seed, 1)), injections: 0.1}
	var err error
	if d.Replay, err = kernel.NewWorld(sys, kernel.Options{MaxChoices: 50}); err != nil {
		t.Fatal(err)
	}
	if d.Table, err = world.New(sys, kernel.Options{MaxChoices: 50}); err != nil {
		t.Fatal(err)
	}
	if d.plans, err = encoding.NewSet(declared.Rules(sys.State)...); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.Table.(*world.World); !ok {
		t.Fatalf("not a table world: %T", d.Table)
	}
	return d
}

// record answers at random; repeat answers as record did and demands the same questions.
type (
	record struct{ *Pair }
	repeat struct{ *Pair }
)

func (d record) Choose(p choose.Point) int {
	pick := d.rnd.IntN(p.Arity)
	if p.Kind.Class() == choose.Fault && d.rnd.Float64() > d.injections {
		pick = 0
	}
	p.Weights = slices.Clone(p.Weights)
	d.asked = append(d.asked, question{p, pick})
	return pick
}

func (d repeat) Choose(p choose.Point) int {
	if d.next >= len(d.asked) {
		d.fail("the table engine asks %+v in addition", p)
	}
	q := d.asked[d.next]
	d.next++
	if p.Kind != q.point.Kind || p.Arity != q.point.Arity || p.Label != q.point.Label || p.Fair() != q.point.Fair() ||
		!slices.Equal(p.Weights, q.point.Weights) {
		d.fail("the table engine asks %+v, the replay engine %+v", p, q.point)
	}
	return q.pick
}

func (d *Pair) fail(format string, args ...any) {
	d.t.Helper()
	for _, line := range d.trail {
		d.t.Logf("%s", line)
	}
	d.t.Fatalf(format, args...)
}

// Do executes f on both worlds, compares the results, and returns whether the run can continue.
func (d *Pair) Do(name string, f func(kernel.World, choose.Source) error) bool {
	d.t.Helper()
	d.trail = append(d.trail, name)
	d.asked, d.next = d.asked[:0], 0
	errA := f(d.Replay, record{d})
	errB := f(d.Table, repeat{d})
	if len(d.asked) > 0 {
		picks := ""
		for _, q := range d.asked {
			picks += fmt.Sprintf(" %q %d/%d", q.point.Label, q.pick, q.point.Arity)
		}
		d.trail = append(d.trail, "   "+picks)
	}
	d.sameError("step", errA, errB)
	if d.next != len(d.asked) {
		d.fail("the table engine asked %d questions, the replay engine %d", d.next, len(d.asked))
	}
	d.compare()
	return errA == nil
}

func (d *Pair) sameError(what string, a, b error) {
	d.t.Helper()
	var fa, fb *sim.Finding
	errors.As(a, &fa)
	errors.As(b, &fb)
	if fa != nil && fb != nil {
		x, y := *fa, *fb
		x.Stack, y.Stack = "", ""
		if x != y {
			d.fail("%s: findings differ: replay %+v, table %+v", what, x, y)
		}
		return
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		d.fail("%s: replay %v, table %v", what, a, b)
	}
}

func same[T any](d *Pair, what string, a, b T) {
	d.t.Helper()
	if !reflect.DeepEqual(a, b) {
		d.fail("%s:\nreplay %+v\ntable  %+v", what, a, b)
	}
}

type component struct {
	kernel.Component
	encoding.Fingerprint
}

func components(w kernel.World) (list []component) {
	for c, f := range w.Components() {
		list = append(list, component{c, f})
	}
	return list
}

// plain is an effect without the fields that only the replay engine sets.
type plain struct {
	Kind  stepinfo.EffectKind
	Peer  sim.NodeID
	Body  any
	Value any
	After int64
	Text  string
}

func (d *Pair) effects(s *stepinfo.Step) (list []plain) {
	for _, e := range s.Effects {
		list = append(list, plain{e.Kind, e.Peer, d.content(e.Msg.Body), d.content(e.Value), e.After, e.Text})
	}
	return list
}

func (d *Pair) messages(w kernel.World, ev netmodel.Event) []sim.Envelope {
	list := w.Messages(ev, nil)
	for i := range list {
		list[i].ID = 0
		list[i].Msg = d.content(list[i].Msg)
	}
	return list
}

// content returns what to compare of a message or announced event: all of it, or its encoding by the system's rules if it has any.
func (d *Pair) content(v any) any {
	if len(d.sys.State) == 0 || v == nil {
		return v
	}
	p, err := d.plans.Of(v)
	if err != nil {
		d.fail("%v", err)
	}
	return string(p.Append(nil, v))
}

func (d *Pair) compare() {
	d.t.Helper()
	a, b := d.Replay, d.Table
	sa, sb := a.Last(), b.Last()
	same(d, "event", sa.Event, sb.Event)
	same(d, "effects", d.effects(sa), d.effects(sb))
	same(d, "observed", append([]stepinfo.Observation{}, sa.Observed...), append([]stepinfo.Observation{}, sb.Observed...))
	same(d, "disturbs, timer, handler, applied, crashed, with",
		fmt.Sprint(sa.Disturbs, sa.Timer, sa.Handler, sa.Applied, sa.Crashed, sa.Halted, sa.With), fmt.Sprint(sb.Disturbs, sb.Timer, sb.Handler, sb.Applied, sb.Crashed, sb.Halted, sb.With))
	same(d, "enabled", append([]netmodel.Event{}, a.Enabled()...), append([]netmodel.Event{}, b.Enabled()...))
	same(d, "injections", a.Injections([]netmodel.Event{}), b.Injections([]netmodel.Event{}))
	for _, ev := range a.Injections(slices.Clone(a.Enabled())) {
		same(d, "key", a.Key(ev), b.Key(ev))
		same(d, "messages of "+a.Key(ev), d.messages(a, ev), d.messages(b, ev))
		same(d, "what disturbs, of "+a.Key(ev), a.Disturbs(ev), b.Disturbs(ev))
	}
	for i := range d.sys.Nodes {
		id := sim.NodeID(i)
		same(d, fmt.Sprintf("fields of node %d", i), a.NodeFields(id), b.NodeFields(id))
		same(d, "service up", a.Service(id) == nil, b.Service(id) == nil)
	}
	same(d, "fields of the network", a.NetFields(), b.NetFields())
	same(d, "components", components(a), components(b))
	same(d, "fingerprint", a.Fingerprint(), b.Fingerprint())
	d.sameError("check", a.Check(), b.Check())
	same(d, "live", a.Live(), b.Live())
	for i := range d.sys.Properties {
		p := &d.sys.Properties[i]
		same(d, "property "+p.Name, a.Holds(p), b.Holds(p))
		same(d, "explanation of "+p.Name, a.Explain(p), b.Explain(p))
	}
}

// Walk drives random runs of at most length steps, until that many steps were made.
func (d *Pair) Walk(steps, length int) {
	d.t.Helper()
	for steps > 0 {
		d.trail = d.trail[:0]
		goes := d.Do("start", kernel.World.Start)
		for k := 0; goes && k < length && steps > 0; k++ {
			events := slices.Clone(d.Replay.Enabled())
			faults := d.Replay.Injections(nil)
			if len(faults) > 0 && (len(events) == 0 || d.rnd.Float64() < d.injections) {
				events = faults
			}
			if len(events) == 0 {
				break
			}
			ev := events[d.rnd.IntN(len(events))]
			goes = d.Do(d.Replay.Key(ev), func(w kernel.World, src choose.Source) error { return w.Step(ev, src) })
			steps--
		}
		steps--
	}
}
