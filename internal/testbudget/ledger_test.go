package testbudget

import (
	"fmt"
	"testing"
	"time"
)

const second = time.Second

// open writes a plan and opens it as a process does.
func open(t *testing.T, dir string, p Plan) *Ledger {
	t.Helper()
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	return Open(dir)
}

// equal returns tests of one package with equal chances.
func equal(n int, need time.Duration) (list []Test) {
	for i := range n {
		list = append(list, Test{Package: "p", Name: fmt.Sprint("Test", i), Weight: 1, Need: need})
	}
	return list
}

func TestOpen_WithoutPlan(t *testing.T) {
	if l := Open(t.TempDir()); l != nil {
		t.Errorf("got %+v, want nil", l)
	}
}

// What a test leaves goes to those that follow, and all together use no more than the total.
func TestLedger_Total(t *testing.T) {
	l := open(t, t.TempDir(), Plan{Total: 10 * second, Each: 2 * second, Tests: equal(10, 2*second)})
	for i := range 5 { // they need nothing
		if got, want := l.Begin("p", fmt.Sprint("Test", i), 0).Time, 10*second/time.Duration(10-i); got != want {
			t.Errorf("test %d gets %v, want %v", i, got, want)
		}
		l.End(0)
	}
	for i := 5; i < 10; i++ {
		s := l.Begin("p", fmt.Sprint("Test", i), 0)
		if s.Time != 2*second || s.By != "" {
			t.Errorf("test %d gets %+v, want its full time", i, s)
		}
		l.End(s.Time)
	}
	if s := l.Begin("p", "TestUnknown", 0); s.Time != least || s.By != ByTotal || s.Full != 2*second {
		t.Errorf("after all, a test gets %+v", s)
	}
}

// Tests that have more chances get more, and those that need less leave the rest to others.
func TestLedger_Weights(t *testing.T) {
	tests := equal(3, 10*second)
	tests[1].Weight, tests[2].Need = 4, second
	for i, want := range []time.Duration{2 * second, 8 * second, 2 * second} { // 11s without the one that Test2 needs
		l := open(t, t.TempDir(), Plan{Total: 11 * second, Each: 10 * second, Tests: tests})
		if got := l.Begin("p", tests[i].Name, 0).Time; i < 2 && got != want || i == 2 && got < second {
			t.Errorf("test %d gets %v, want %v", i, got, want)
		}
	}
}

// A test of a higher rank gets what those of lower ranks do not need.
func TestLedger_Ranks(t *testing.T) {
	tests := equal(2, 3*second)
	tests[1].Rank = 1
	for total, want := range map[time.Duration]time.Duration{2 * second: least, 4 * second: second, 9 * second: 3 * second} {
		l := open(t, t.TempDir(), Plan{Total: total, Each: 3 * second, Tests: tests})
		if got := l.Begin("p", "Test1", 0).Time; got != want {
			t.Errorf("of %v, the second rank gets %v, want %v", total, got, want)
		}
		if got := l.Begin("p", "Test0", 0).Time; got > total {
			t.Errorf("the first rank gets %v of %v", got, total)
		}
	}
}

// Processes share a ledger: the time granted to a test in progress counts as used.
func TestLedger_Processes(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Plan{Total: 4 * second, Each: 4 * second, Tests: equal(2, 4*second)})
	b := Open(dir)
	if got := a.Begin("p", "Test0", 0).Time; got != 2*second {
		t.Errorf("the first test gets %v", got)
	}
	if got := b.Begin("p", "Test1", 0).Time; got != 2*second {
		t.Errorf("beside it, the second one gets %v", got)
	}
	a.End(second)
	if got := b.Begin("p", "Test1", 0).Time; got != 3*second {
		t.Errorf("after it, the second one gets %v", got)
	}
}

// A test that is explored in parts gets a share for each of them, within the same total.
func TestLedger_Parts(t *testing.T) {
	l := open(t, t.TempDir(), Plan{Total: 12 * second, Each: 2 * second, Tests: equal(2, 2*second)})
	l.Begin("p", "Test0", 0)
	if s := l.Divide(10, 0); s.Time != second || s.By != ByTotal {
		t.Errorf("each of ten parts gets %+v, want half of its full time", s)
	}
}

// The time until a package must end is shared out among its tests, so that none is left out.
func TestLedger_Timeout(t *testing.T) {
	dir := t.TempDir()
	tests := append(equal(258, 2*second), Test{Package: "q", Name: "TestQ", Weight: 1, Need: 2 * second})
	l := open(t, dir, Plan{Each: 2 * second, Tests: tests})
	left := 258 * second
	for i := range 258 {
		s := l.Begin("p", fmt.Sprint("Test", i), left)
		if s.Time < 900*time.Millisecond || s.By != ByTimeout && s.Time < 2*second {
			t.Fatalf("test %d gets %+v when %v are left", i, s, left)
		}
		l.End(s.Time)
		left -= s.Time
	}
	if left < 0 {
		t.Errorf("the tests use %v too much", -left)
	}
	if s := l.Begin("q", "TestQ", 600*second); s.By != "" {
		t.Errorf("the test of another package gets %+v", s)
	}
}

// If few of the tests that were never explored need their time, those that do get more of it, and still no more than the total together.
func TestLedger_Guesses(t *testing.T) {
	tests := equal(1000, 2*second)
	for i := range tests {
		tests[i].Guess = true
	}
	l := open(t, t.TempDir(), Plan{Total: 100 * second, Each: 2 * second, Tests: tests})
	used, lowest, highest := time.Duration(0), 2*second, time.Duration(0)
	for i := range tests {
		s := l.Begin("p", tests[i].Name, 0)
		if i%5 > 0 {
			s.Time = time.Millisecond
		} else if i >= 100 { // the first ones show how many need time
			lowest, highest = min(lowest, s.Time), max(highest, s.Time)
		}
		l.End(s.Time)
		used += s.Time
	}
	if used > 101*second || used < 90*second || highest > 2*lowest {
		t.Errorf("the tests use %v of 100s, in shares from %v to %v", used, lowest, highest)
	}
}
