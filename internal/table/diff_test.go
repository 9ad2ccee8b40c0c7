package table_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// tester is what both testing.T and rapid.T are.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Logf(string, ...any)
}

// both drives a world of each engine along the same path and compares all that a world shows.
type both struct {
	t     tester
	sys   *sim.System
	rnd   *rand.Rand
	a, b  kernel.World // replay, table
	plans *encoding.Set
	trail []string
	asked []question
	next  int
	// injections is the probability of one, when there are any.
	injections float64
}

type question struct {
	point choose.Point
	pick  int
}

func newBoth(t tester, sys *sim.System, seed uint64) *both {
	t.Helper()
	d := &both{t: t, sys: sys, rnd: rand.New(rand.NewPCG(seed, 1)), injections: 0.1}
	var err error
	if d.a, err = kernel.NewWorld(sys, kernel.Options{MaxChoices: 50}); err != nil {
		t.Fatal(err)
	}
	if d.b, err = world.New(sys, kernel.Options{MaxChoices: 50}); err != nil {
		t.Fatal(err)
	}
	if d.plans, err = encoding.NewSet(declared.Rules(sys.State)...); err != nil {
		t.Fatal(err)
	}
	if _, ok := d.b.(*world.World); !ok {
		t.Fatalf("not a table world: %T", d.b)
	}
	return d
}

// record answers at random; repeat answers as record did and demands the same questions.
type (
	record       struct{ *both }
	ReplaySource struct{ *both }
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

func (d ReplaySource) Choose(p choose.Point) int {
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

func (d *both) fail(format string, args ...any) {
	d.t.Helper()
	for _, line := range d.trail {
		d.t.Logf("%s", line)
	}
	d.t.Fatalf(format, args...)
}

// do executes f on both worlds and compares the results; it returns whether the run can continue.
func (d *both) do(name string, f func(kernel.World, choose.Source) error) bool {
	d.t.Helper()
	d.trail = append(d.trail, name)
	d.asked, d.next = d.asked[:0], 0
	errA := f(d.a, record{d})
	errB := f(d.b, ReplaySource{d})
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

func (d *both) sameError(what string, a, b error) {
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

func same[T any](d *both, what string, a, b T) {
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

func (d *both) effects(s *stepinfo.Step) (list []plain) {
	for _, e := range s.Effects {
		list = append(list, plain{e.Kind, e.Peer, d.content(e.Msg.Body), d.content(e.Value), e.After, e.Text})
	}
	return list
}

func (d *both) messages(w kernel.World, ev netmodel.Event) []sim.Envelope {
	list := w.Messages(ev, nil)
	for i := range list {
		list[i].ID = 0
		list[i].Msg = d.content(list[i].Msg)
	}
	return list
}

// content is what of a message or announced event counts: all of it, or, when the system has types that are
// not its own, its encoding by the system's rules.
func (d *both) content(v any) any {
	if len(d.sys.State) == 0 || v == nil {
		return v
	}
	p, err := d.plans.Of(v)
	if err != nil {
		d.fail("%v", err)
	}
	return string(p.Append(nil, v))
}

func (d *both) compare() {
	d.t.Helper()
	a, b := d.a, d.b
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

// walk drives random runs of at most length steps, until that many steps were made.
func (d *both) walk(steps, length int) {
	d.t.Helper()
	for steps > 0 {
		d.trail = d.trail[:0]
		goes := d.do("start", kernel.World.Start)
		for k := 0; goes && k < length && steps > 0; k++ {
			events := slices.Clone(d.a.Enabled())
			faults := d.a.Injections(nil)
			if len(faults) > 0 && (len(events) == 0 || d.rnd.Float64() < d.injections) {
				events = faults
			}
			if len(events) == 0 {
				break
			}
			ev := events[d.rnd.IntN(len(events))]
			goes = d.do(d.a.Key(ev), func(w kernel.World, src choose.Source) error { return w.Step(ev, src) })
			steps--
		}
		steps--
	}
}

func bundled(t testing.TB, name string, nodes int, limits sim.Limits, bugs ...string) *sim.System {
	t.Helper()
	entry, err := papers.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := entry.New(spec.Config{Nodes: nodes, Bugs: bugs})
	if err == nil {
		sys, err = sys.WithLimits(limits)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &sys
}

// variants returns no bugs, and one known bug for each kind of finding. With -short it returns only the first.
func variants(entry *spec.Entry) [][]string {
	list := [][]string{nil}
	kinds := map[sim.FindingKind]bool{}
	for _, bug := range entry.Bugs {
		if testing.Short() || kinds[bug.Kind] || bug.Kind == sim.Divergence || slices.Contains(bug.OtherKinds, sim.Divergence) {
			continue // a handler may never return
		}
		kinds[bug.Kind] = true
		list = append(list, []string{bug.ID})
	}
	return list
}

// eachVariant calls f in a subtest for each bundled system, with its variant i.
func eachVariant(t *testing.T, f func(t *testing.T, i int, sys *sim.System)) {
	for _, entry := range papers.All() {
		for i, bugs := range variants(&entry) {
			t.Run(fmt.Sprint(entry.Name, bugs), func(t *testing.T) {
				sys, err := entry.New(spec.Config{Nodes: entry.DefaultNodes, Bugs: bugs})
				if err == nil {
					sys, err = sys.WithLimits(entry.Limits)
				}
				if err != nil {
					t.Skip(err)
				}
				f(t, i, &sys)
			})
		}
	}
}

// Every bundled system, without bugs and with known ones.
func TestAllBundledSystems(t *testing.T) {
	eachVariant(t, func(t *testing.T, i int, sys *sim.System) {
		steps := 100
		if i > 0 { // bugs change little
			steps = 50
		}
		if testing.Short() {
			steps /= 3
		}
		newBoth(t, sys, uint64(i)).walk(steps, 100)
	})
}

func TestBundledSystems(t *testing.T) {
	for _, test := range []struct {
		name   string
		nodes  int
		limits sim.Limits
	}{
		{"pingack", 2, sim.Limits{sim.Loss: 1}},
		{"pingack", 2, sim.Limits{sim.Loss: 3, sim.Dup: 3, sim.Crashes: 2, sim.Partitions: 2}},
		{"randtree", 2, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}},
		{"randtree", 3, sim.Limits{sim.Crashes: 3, sim.NetErrors: 3, sim.Partitions: 3}},
		{"randtree", 5, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}},
	} {
		t.Run(fmt.Sprintf("%s %d %+v", test.name, test.nodes, test.limits), func(t *testing.T) {
			d := newBoth(t, bundled(t, test.name, test.nodes, test.limits), 1)
			steps := 1000
			if testing.Short() {
				steps = 100
			}
			d.walk(steps, 150)
			t.Logf("%+v", d.b.(*world.World).Stats())
		})
	}
}
