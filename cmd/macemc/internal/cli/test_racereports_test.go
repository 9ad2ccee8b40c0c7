package cli

import (
	"os"
	"regexp"
	"testing"
)

// raceReports are tests with package variables, whose synchronization ends with each run, and with data races in the standard library.
const raceReports = `package x

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	wg    sync.WaitGroup
	rw    sync.RWMutex
	mu    sync.Mutex
	sent  = make(chan func(), 8)
	never = make(chan int)
	n     int
)

func init() {
	go func() {
		for f := range sent {
			mu.Lock()
			n++
			mu.Unlock()
			f()
		}
	}()
}

func TestOKGroup(t *testing.T) {
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			n++
			mu.Unlock()
		})
	}
	if wg.Wait(); n != 2 {
		t.Error(n)
	}
}

func TestOKGroupLeft(t *testing.T) {
	wg.Add(1)
	go func() {
		n++
		wg.Wait()
	}()
	time.Sleep(time.Millisecond)
}

func TestOKReaderLeft(t *testing.T) {
	rw.Lock()
	go func() {
		n++
		rw.RLock()
	}()
	time.Sleep(time.Millisecond)
}

func TestOKLockLeft(t *testing.T) {
	go func() {
		mu.Lock()
		n++
		<-never
	}()
	time.Sleep(time.Millisecond)
	sent <- func() {}
	time.Sleep(time.Millisecond)
}

func TestDead(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { wg.Wait() }()
	wg.Wait()
}

func TestDeadAndRace(t *testing.T) {
	n := 0
	go func() { n++ }()
	n++
	select {}
}

type pool struct{ wg sync.WaitGroup }

func (p *pool) submit() { p.wg.Go(func() {}) }

func (p *pool) stop() { p.wg.Wait() }

func TestGroup(t *testing.T) {
	var p pool
	done := make(chan bool)
	go func() {
		p.submit()
		close(done)
	}()
	p.stop()
	<-done
}

func TestAtomic(t *testing.T) {
	var x int64
	go add(&x)
	time.Sleep(time.Millisecond)
	x++
}

//go:noinline
func add(x *int64) { atomic.AddInt64(x, 1) }

func TestMethodValue(t *testing.T) {
	x := new(atomic.Bool)
	load := x.Load
	go func() { load() }()
	time.Sleep(time.Millisecond)
	*x = atomic.Bool{}
}

func TestPointer(t *testing.T) {
	x := new(atomic.Pointer[int])
	go func() { x.Store(new(int)) }()
	time.Sleep(time.Millisecond)
	*x = atomic.Pointer[int]{}
}

func TestMutex(t *testing.T) {
	x := new(sync.Mutex)
	go func() {
		x.Lock()
		x.Unlock()
	}()
	time.Sleep(time.Millisecond)
	*x = sync.Mutex{}
}

func TestReader(t *testing.T) {
	x := new(sync.RWMutex)
	go func() { x.RLock() }()
	time.Sleep(time.Millisecond)
	*x = sync.RWMutex{}
}

func TestFails(t *testing.T) {
	x := 0
	go func() { x++ }()
	x++
	time.Sleep(time.Millisecond)
	t.Error("never satisfied")
}

func TestSub(t *testing.T) {
	x := 0
	t.Run("a", func(t *testing.T) {
		go func() { x++ }()
		x++
		time.Sleep(time.Millisecond)
	})
}
`

// With the race detector, runs do not race with earlier ones, reports name the places of the user's code that call the standard library, and
// a race does not hide how the run ended. The file of a finding serves builds with and without the race detector.
func TestTest_RaceReports(t *testing.T) {
	testFile(t, raceReports)
	if out, status := testCommand(t.Context(), "-run=Fails", "-schedules=10", "-explore-time=1m", "."); status != 1 {
		t.Fatalf("status %d:\n%s", status, out)
	}
	t.Setenv("CGO_ENABLED", "1") // the race detector needs it
	out, _ := testCommand(t.Context(), "-count=1", "-v", "-race", "-schedules=600", "-explore-time=1m", ".")
	for _, want := range []string{
		"--- PASS: TestOKGroup ", "--- PASS: TestOKGroupLeft ", "--- PASS: TestOKReaderLeft ", "--- PASS: TestOKLockLeft ",
		`DEADLOCK: 2 goroutines .*\n.* waits for WaitGroup .wg. at .* in TestDead\b`,
		`DEADLOCK: 1 goroutine .*\n.*\n\s+and a data race:\n\s+(read|write) at .* in x.TestDeadAndRace`,
		`DATA RACE.*\n\s+write in WaitGroup.Wait at .* in x.\(\*pool\).stop\n\s+called at .* in x.TestGroup\n` +
			`\s+previous read in WaitGroup.Go at .* in x.\(\*pool\).submit\n\s+called at .* in x.TestGroup.func1\n`,
		`DATA RACE.*\n\s+(read|write) at .* in x.TestAtomic\n\s+previous write in atomic.AddInt64 at .* in x.add\n`,
		`DATA RACE.*\n\s+write at .* in x.TestMethodValue\n\s+previous read in atomic.Bool.Load at .* in x.TestMethodValue.func1\n`,
		`DATA RACE.*\n\s+write at .* in x.TestPointer\n\s+previous write in atomic.Pointer.Store at .* in x.TestPointer.func1\n`,
		`DATA RACE.*\n\s+write at .* in x.TestMutex\n\s+previous write in Mutex.Unlock at .* in x.TestMutex.func1\n`,
		`DATA RACE.*\n\s+write at .* in x.TestReader\n\s+previous read in RWMutex.RLock at .* in x.TestReader.func1\n`,
		`FAILED TEST: .*never satisfied\n(.*\n)?\s+and a data race:\n\s+(read|write) at .* in x.TestFails`,
		`DATA RACE.*\n\s+(read|write) at .* in x.TestSub.func1`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	files, err := os.ReadDir("testdata/macemc/TestFails")
	if err != nil || len(files) != 1 {
		t.Errorf("%v files (%v), want one", files, err)
	}
}
