package cli

import (
	"regexp"
	"testing"
)

// A pool of a module returns the usual value of this run, or as the schedule chooses any or a new one. Pools of the distribution have no values.
func TestTest_Pools(t *testing.T) {
	testFile(t, `package x

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"sync"
	"testing"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func write(text string) *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(text)
	return b
}

func TestUsedAfterPut(t *testing.T) {
	done := make(chan bool)
	b := write("mine")
	buffers.Put(b)
	go func() {
		buffers.Put(write("other"))
		close(done)
	}()
	if got := b.String(); got != "mine" {
		t.Error("used after Put:", got)
	}
	<-done
}

var values sync.Pool

func TestDropped(t *testing.T) {
	if got := values.Get(); got != nil {
		t.Fatal("put by another run:", got)
	}
	values.Put(1)
	if values.Get() == nil {
		t.Error("dropped")
	}
}

func TestMethodValues(t *testing.T) {
	put, get := values.Put, values.Get
	put(1)
	if get() != nil {
		t.Error("returned")
	}
}

func TestOnce(t *testing.T) {
	var once sync.Once
	once.Do(func() { values.Put(1) })
	if values.Get() != nil {
		t.Error("was put once")
	}
}

func TestOKAlone(t *testing.T) {
	values.Put(1)
	values.Put(2)
	if a, b := values.Get(), values.Get(); a != nil && a == b {
		t.Error("returned twice:", a)
	}
	_ = fmt.Sprint(1)
}

func off(percent int) func() { old := debug.SetGCPercent(percent); return func() { debug.SetGCPercent(old) } }

func TestOKUsual(t *testing.T) {
	defer off(-1)()
	var p sync.Pool
	for i := range 20 {
		p.Put(i)
	}
	for range 20 {
		if p.Get() == nil {
			t.Fatal("lost without a garbage collection")
		}
	}
	if x := p.Get(); x != nil {
		t.Fatal(x)
	}
}

// It is the value of the processor, and then those put last.
func TestOrder(t *testing.T) {
	var p sync.Pool
	for i := range 4 {
		p.Put(i)
	}
	if got := [4]any{p.Get(), p.Get(), p.Get(), p.Get()}; got == [4]any{0, 3, 2, 1} {
		t.Error("usual order")
	}
}

func TestOKEmptied(t *testing.T) {
	values.Put(1)
	values.Put(2)
	if values.Get() == nil && values.Get() != nil {
		t.Error("only one was lost")
	}
}

func TestOKStandard(t *testing.T) { _ = fmt.Sprint(fmt.Sprint(1)) }
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-schedules=300", "-exhaustive", ".")
	for _, want := range []string{
		`FAILED TEST: x_test.go:\d+: used after Put: other\n`, `FAILED TEST: x_test.go:\d+: dropped\n`,
		`FAILED TEST: x_test.go:\d+: returned\n`, `FAILED TEST: x_test.go:\d+: was put once\n`,
		`x_test.go:\d+: dropped\n(.*\n)*?.*goroutine 1 gets a new value in step \d+ .*, as if a garbage collection had emptied the pool; the test passes without that\n`,
		`macemc: complete: all 5 schedules.*\n--- PASS: TestOKAlone`, `--- PASS: TestOKUsual`, `macemc: complete: all \d+ schedules.*\n--- PASS: TestOKEmptied`,
		`usual order\n.*\n    found by schedule 1 `,
		`macemc: complete: the only schedule .*\n--- PASS: TestOKStandard`,
	} {
		if status != 1 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("status %d, %q is missing:\n%s", status, want, out)
		}
	}
}

// Several values in a pool are no data race of its own list.
func TestTest_PoolNoRace(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
)

func TestPool(t *testing.T) {
	p := sync.Pool{New: func() any { return new(int) }}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			n := p.Get().(*int)
			*n = i
			p.Put(n)
		})
	}
	wg.Wait()
}
`)
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	testReports(t, []string{"of 1 test"}, 0, "-race", "-schedules=500", ".")
}
