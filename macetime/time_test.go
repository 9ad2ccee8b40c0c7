package macetime_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/macetime"
)

var (
	_ macetime.Clock = (*macetime.RealClock)(nil)
)

func TestMonotoneTimeOlder(t *testing.T) {
	type mt = macetime.MonotoneTime
	for _, c := range []struct {
		a, b mt
		want bool
	}{
		{mt{0, 1}, mt{0, 2}, true},
		{mt{0, 2}, mt{0, 1}, false},
		{mt{0, 2}, mt{0, 2}, false},
		{mt{}, mt{5, 1}, true}, // the zero value has no node
		{mt{5, 1}, mt{}, false},
		{mt{}, mt{}, false},
	} {
		if got := c.a.Older(c.b); got != c.want {
			t.Errorf("%v.Older(%v) = %v", c.a, c.b, got)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("counters of different nodes were compared")
		}
	}()
	mt{0, 1}.Older(mt{1, 2})
}

func TestTimeStringAndAdd(t *testing.T) {
	var m macetime.Model
	m.Reset(2)
	a := m.Now()
	for want, x := range map[string]macetime.Time{
		"never":    macetime.Time{}.Add(time.Second),
		"n2#1":     a.Add(time.Second).Add(-time.Second),
		"n2#1+1s":  a.Add(time.Second),
		"n2#1-1ms": a.Add(-time.Millisecond),
		"foreign":  a.Detach(),
	} {
		if got := x.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, most, _ := a.Add(math.MaxInt64).Add(1).Raw(); most != math.MaxInt64 {
		t.Errorf("the offset wrapped around to %v", most)
	}
	if _, least, owner := a.Add(math.MinInt64).Add(-1).Raw(); least != math.MinInt64 || owner != 2 {
		t.Errorf("the offset wrapped around to %v", least)
	}
}

func TestRealClockTime(t *testing.T) {
	c, err := macetime.NewRealClock(3, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Now()
	b := c.Now()
	var zero macetime.Time
	if c.Before(b, a) {
		t.Error("a later reading is earlier")
	}
	if !c.Before(a, b.Add(time.Nanosecond)) || c.Before(b.Add(time.Hour), a) {
		t.Error("offsets do not count")
	}
	if !c.Before(zero, a.Add(math.MinInt64)) || c.Before(a, zero) || c.Before(zero, zero) || zero.IsZero() == a.IsZero() {
		t.Error("the zero value is not before all others")
	}
	base, offset, owner := a.Raw()
	if ago := time.Since(time.Unix(0, int64(base))); ago < -time.Minute || ago > time.Minute || offset != 0 || owner != 3 {
		t.Errorf("read %d+%d of node %d", base, offset, owner)
	}
	if c.Before(a.Add(math.MaxInt64), b) {
		t.Error("a large offset wrapped around")
	}
}

// A node ticks, stops without notice, and restarts with the last persisted number.
func TestRealClockCounterSurvivesCrashes(t *testing.T) {
	var durable, last uint64
	writes := 0
	persist := func(upTo uint64) error {
		if upTo <= durable {
			t.Errorf("persisted %d after %d", upTo, durable)
		}
		durable = upTo
		writes++
		return nil
	}
	for life := range 5 {
		c, err := macetime.NewRealClock(1, durable, persist)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 + 1000*life {
			m := c.Tick()
			if m.Count <= last || m.Node != 1 {
				t.Fatalf("life %d: %v after %d", life, m, last)
			}
			if last = m.Count; last > durable {
				t.Fatalf("life %d: %d was handed out, but only %d is durable", life, last, durable)
			}
		}
	}
	if writes > 20 { // 10,500 ticks in blocks of 1,024, five starts
		t.Errorf("persisted %d times", writes)
	}
}

func TestRealClockPersistFails(t *testing.T) {
	full := errors.New("disk full")
	if _, err := macetime.NewRealClock(1, 0, func(uint64) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if _, err := macetime.NewRealClock(-1, 0, nil); err == nil {
		t.Error("node -1 has a clock")
	}
	fail := error(nil)
	c, err := macetime.NewRealClock(1, 0, func(uint64) error { return fail })
	if err != nil {
		t.Fatal(err)
	}
	fail = full
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), "node 1 cannot be made durable: disk full") {
			t.Errorf("panic %v", err)
		}
	}()
	for range 1 << 20 {
		c.Tick()
	}
	t.Error("ticks go on although they cannot be made durable")
}
