package macetime_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/macetime"
)

func never(t testing.TB) func([]int) int {
	return func([]int) int {
		t.Helper()
		t.Error("asked what follows")
		return 0
	}
}

// asks returns a function that answers with pick and counts its calls.
func asks(n *int, pick int) func([]int) int {
	return func([]int) int { *n++; return pick }
}

func TestModelNaturalOrder(t *testing.T) {
	var m macetime.Model
	m.Reset(1)
	var zero macetime.Time
	a, b := m.Now(), m.Now()
	for _, c := range []struct {
		name string
		x, y macetime.Time
		want bool
	}{
		{"zero before a reading", zero, a, true},
		{"zero plus something is still zero", zero.Add(time.Hour), a.Add(-time.Hour), true},
		{"no reading before zero", a, zero, false},
		{"zero not before itself", zero, zero, false},
		{"not before itself", a, a, false},
		{"offsets of one reading", a.Add(1), a.Add(2), true},
		{"offsets of one reading, equal", a.Add(2), a.Add(2), false},
		{"offsets of one reading, other way", a.Add(2), a.Add(1), false},
		{"a later reading is not earlier", b, a, false},
		{"nor when it is moved away", b.Add(1), a.Add(1), false},
		{"earlier, minus something", a.Add(-1), b, true},
	} {
		if got := m.Before(c.x, c.y, never(t)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if m.Decided() {
		t.Error("what follows from the natural order is remembered as decided")
	}
}

func TestModelRemembers(t *testing.T) {
	var m macetime.Model
	a, b, c := m.Now(), m.Now(), m.Now()
	n := 0
	if m.Before(b, c, asks(&n, 1)) != true || n != 1 { // b < c
		t.Fatal("the answer yes was not taken")
	}
	if m.Before(a, b, asks(&n, 0)) != false || n != 2 { // b <= a, and so a = b
		t.Fatal("the answer no was not taken")
	}
	for _, q := range []struct {
		name string
		x, y macetime.Time
		want bool
	}{
		{"again", b, c, true},
		{"reverse", c, b, false},
		{"closure: a = b < c", a, c, true},
		{"moved alike: a+5 = b+5 < c+5", a.Add(5), c.Add(5), true},
		{"less than that: a+4 < c+5", a.Add(4), c.Add(5), true},
		{"a = b: a-1 < b", a.Add(-1), b, true},
		{"a = b: b-1 < a", b.Add(-1), a, true},
	} {
		if got := m.Before(q.x, q.y, never(t)); got != q.want {
			t.Errorf("%s: %v", q.name, got)
		}
	}
	if m.Before(a.Add(1), c, asks(&n, 0)); n != 3 {
		t.Error("a+1 < c was decided without asking, but c may be any instant after a")
	}
	d := m.Now() // c <= a+1 = b+1, but the next reading may be later
	if m.Before(b.Add(1), d, asks(&n, 0)); n != 4 {
		t.Error("a bound on a reading must not bound later ones")
	}
}

// A dropped reading still constrains later ones: a+10 < b <= c.
func TestModelRetainKeepsWhatFollows(t *testing.T) {
	var m macetime.Model
	a, b := m.Now(), m.Now()
	n := 0
	m.Before(a.Add(10), b, asks(&n, 1))
	m.Retain([]macetime.Time{a})
	c := m.Now()
	if !m.Before(a.Add(10), c, never(t)) {
		t.Error("a+10 < b was forgotten together with b")
	}
	m.Retain([]macetime.Time{c})
	if m.Decided() {
		t.Error("decisions are remembered of a single time")
	}
}

// a <= b <= c, where a was never compared. If b is dropped, b+10 < c must carry over to a.
func TestModelRetainKeepsWhatFollowsForReadingsNeverCompared(t *testing.T) {
	var m macetime.Model
	a, b, c := m.Now(), m.Now(), m.Now()
	n := 0
	m.Before(b.Add(10), c, asks(&n, 1))
	m.Retain([]macetime.Time{c, a})
	if !m.Before(a.Add(10), c, never(t)) {
		t.Error("a+10 < c was forgotten")
	}
}

func TestModelForeignTimes(t *testing.T) {
	var other, m macetime.Model
	other.Reset(1)
	a, f, g := m.Now(), other.Now(), other.Now()
	own := m.Now()
	n := 0
	for _, q := range [][2]macetime.Time{
		{f, a}, {f, a}, {a, f}, {g, f}, {f, f}, {a.Detach(), own}, {own.Detach(), a.Detach()},
	} {
		before := n
		for _, pick := range []int{0, 1} { // both answers, in either order: nothing is recorded
			if got := m.Before(q[0], q[1], asks(&n, pick)); got != (pick == 1) {
				t.Errorf("Before(%v, %v) answered %d gave %v", q[0], q[1], pick, got)
			}
		}
		if n != before+2 {
			t.Errorf("Before(%v, %v) was asked %d times of 2", q[0], q[1], n-before)
		}
	}
	if m.Foreign != 14 || m.Decided() {
		t.Errorf("Foreign is %d, want 14; Decided %v", m.Foreign, m.Decided())
	}
	if (macetime.Time{}).Detach() != (macetime.Time{}) || !m.Before(macetime.Time{}, f.Detach(), never(t)) {
		t.Error("the zero value is not known any more when it was sent")
	}
	if a.Detach() != own.Detach().Add(time.Second) {
		t.Error("detached times differ")
	}
}

func TestModelCrash(t *testing.T) {
	var m macetime.Model
	m.Reset(3)
	m.Tick()
	a, b := m.Now(), m.Now()
	n := 0
	m.Before(a, b, asks(&n, 1))
	m.Crash()
	if m.Decided() {
		t.Error("decisions survive a crash")
	}
	c := m.Now()
	if c == a || c == b {
		t.Error("a reading from before the crash comes again")
	}
	if m.Before(a, c, asks(&n, 0)); n != 2 || m.Foreign != 1 {
		t.Error("a time from before the crash is ordered")
	}
	if tick := m.Tick(); tick != (macetime.MonotoneTime{Node: 3, Count: 2}) {
		t.Errorf("after the crash the counter gives %v", tick)
	}
	m.Reset(3)
	if tick := m.Tick(); tick.Count != 1 || m.Foreign != 0 {
		t.Errorf("after Reset the counter gives %v, Foreign is %d", tick, m.Foreign)
	}
}

func TestModelCopyFrom(t *testing.T) {
	var m, o macetime.Model
	o.Reset(2)
	o.Tick()
	a, b := o.Now(), o.Now()
	n := 0
	o.Before(a, b, asks(&n, 1))
	m.CopyFrom(&o)
	o.Before(a.Add(5), b, asks(&n, 1)) // must not affect m
	if !m.Before(a, b, never(t)) {
		t.Error("the copy has lost a decision")
	}
	if m.Before(a.Add(5), b, asks(&n, 0)); n != 3 {
		t.Error("the copy shares memory with the original")
	}
	if x, y := m.Now(), o.Now(); x != y || m.Tick() != o.Tick() {
		t.Error("the copy counts differently")
	}
}

func TestModelUnusedCostsNothing(t *testing.T) {
	var m macetime.Model
	a := m.Now()
	held := []macetime.Time{a}
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		m.Reset(0)
		m.Now()
		m.Now()
		m.Tick()
		m.Retain(held)
		buf = m.AppendOrder(buf[:0], nil)
		m.Crash()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if m.Reset(0); len(m.AppendOrder(nil, nil)) != 1 {
		t.Error("a clock that was never used takes more than a byte of the state")
	}
}

func TestModelExtremeOffsets(t *testing.T) {
	const most = time.Duration(1<<63 - 1)
	var m macetime.Model
	a, b := m.Now(), m.Now()
	n := 0
	if !m.Before(a.Add(-most), b.Add(most), never(t)) || m.Before(b.Add(most), a.Add(-most), never(t)) {
		t.Error("the natural order is lost")
	}
	m.Before(a.Add(most), b.Add(-most), asks(&n, 1))
	if !m.Before(a.Add(most).Add(most), b.Add(-most).Add(-most), never(t)) {
		t.Error("a saturated comparison was not remembered")
	}
	c := m.Now()
	m.Before(b.Add(most), c.Add(-most), asks(&n, 1))
	if m.Before(c, a, never(t)) || !m.Before(a, c, never(t)) {
		t.Error("sums of saturated spans went wrong")
	}
}

// verdict is a complete answer: for two times at the moment of the comparison.
type verdict struct {
	a, b macetime.Time
	yes  bool
}

// assign is the oracle. It searches instants of the readings 1 to n that satisfy every verdict and are not decreasing.
// Instants are multiples of 1/scale, which is fine enough because a chain of strict verdicts is shorter than scale.
func assign(n int, verdicts []verdict) (instants []int, ok bool) {
	const scale = 1 << 10
	instants = make([]int, n+1)
	for range n + 2 { // Bellman-Ford: lower instants until all bounds hold
		changed := false
		atMost := func(x, y uint64, c int) { // instant x <= instant y + c
			if limit := instants[y] + c; instants[x] > limit {
				instants[x], changed = limit, true
			}
		}
		for k := 1; k < n; k++ {
			atMost(uint64(k), uint64(k+1), 0)
		}
		for _, v := range verdicts {
			a, x, _ := v.a.Raw()
			b, y, _ := v.b.Raw()
			if v.yes { // a+x < b+y
				atMost(a, b, int(y-x)*scale-1)
			} else { // b+y <= a+x
				atMost(b, a, int(x-y)*scale)
			}
		}
		if !changed {
			return instants, satisfied(n, scale, instants, verdicts)
		}
	}
	return nil, false
}

func satisfied(n, scale int, instants []int, verdicts []verdict) bool {
	for k := 1; k < n; k++ {
		if instants[k] > instants[k+1] {
			return false
		}
	}
	at := func(t macetime.Time) int {
		base, offset, _ := t.Raw()
		return instants[base] + int(offset)*scale
	}
	for _, v := range verdicts {
		if (at(v.a) < at(v.b)) != v.yes {
			return false
		}
	}
	return true
}

// A random sequence of readings, comparisons and drops is consistent, and makes a choice exactly if both answers are
// possible.
func TestModelAgainstOracle(t *testing.T) {
	asked, followed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var m macetime.Model
		held := []macetime.Time{m.Now()}
		readings := 1
		var verdicts []verdict
		pick := func(label string) macetime.Time { return rapid.SampledFrom(held).Draw(t, label) }
		for range rapid.IntRange(1, 50).Draw(t, "operations") {
			switch op := rapid.IntRange(0, 9).Draw(t, "op"); {
			case op < 2:
				held = append(held, m.Now())
				readings++
			case op < 4:
				held = append(held, pick("of").Add(time.Duration(rapid.IntRange(-3, 3).Draw(t, "offset"))))
			case op < 5:
				keep := held[:0:0]
				for _, h := range held {
					if rapid.Bool().Draw(t, "keep") {
						keep = append(keep, h)
					}
				}
				if m.Retain(keep); len(keep) == 0 {
					keep = append(keep, m.Now())
					readings++
				}
				held = keep
			default:
				v := verdict{a: pick("a"), b: pick("b")}
				open := false
				v.yes = m.Before(v.a, v.b, func([]int) int {
					open = true
					return rapid.IntRange(0, 1).Draw(t, "answer")
				})
				other := v
				other.yes = !v.yes
				_, can := assign(readings, append(slices.Clone(verdicts), v))
				_, could := assign(readings, append(slices.Clone(verdicts), other))
				if !can || could != open {
					t.Fatalf("Before(%v, %v) = %v (asked: %v): possible %v, the opposite %v, after %v",
						v.a, v.b, v.yes, open, can, could, verdicts)
				}
				verdicts = append(verdicts, v)
				if open {
					asked++
				} else {
					followed++
				}
			}
		}
	})
	if few := asked < 100 || followed < 100; few && !testing.Short() { // then fewer sequences are drawn
		t.Errorf("the test does not test: %d questions asked, %d followed", asked, followed)
	}
}

// The usual pattern: is the last message older than the time-out?
func BenchmarkModelTimeout(b *testing.B) {
	var m macetime.Model
	last := m.Now()
	held := make([]macetime.Time, 1)
	ask := func([]int) int { return 0 }
	for b.Loop() {
		now := m.Now()
		if !m.Before(last.Add(time.Second), now, ask) {
			last = now
		}
		held[0] = last
		m.Retain(held)
	}
}
