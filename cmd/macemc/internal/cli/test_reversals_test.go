package cli

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// predictedProgram is the body of a test whose defect a prediction shows.
type predictedProgram struct {
	program fmt.Stringer
	within  int // schedules until the finding; 0 means that there is none
}

var predictionSeeds = flag.Int("prediction-seeds", 2, "number of seeds of programs whose defects are predicted")

// findWithin explores programs with some seeds and more flags. None may have a later finding than expected, or one that is not.
func findWithin(t *testing.T, programs []predictedProgram, flags ...string) {
	text := "package x\n\nimport (\n	\"net\"\n	\"net/http\"\n	\"net/http/httptest\"\n	\"sync\"\n	\"sync/atomic\"\n	\"testing\"\n	\"time\"\n)\n" + `
func dial(t *testing.T) (a, b net.Conn) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if a, err = net.Dial("tcp", ln.Addr().String()); err == nil {
		b, err = ln.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

func gosched() { time.Sleep(time.Microsecond) }

var _ = httptest.NewServer
var _ http.Handler
var _ atomic.Int32
var _ sync.Mutex
`
	for i, p := range programs {
		text += fmt.Sprintf("\nfunc TestProgram%d(t *testing.T) {\n%v}\n", i, p.program)
	}
	testFile(t, text)
	table := make([]string, len(programs))
	for seed := range *predictionSeeds {
		out, _ := testCommand(t.Context(), append(flags, "-count=1", "-vet=off", "-schedules=20", "-explore-seed="+strconv.Itoa(seed+1), ".")...)
		if strings.Contains(out, "[build failed]") {
			t.Fatal(out)
		}
		for i, p := range programs {
			found := 0
			if m := regexp.MustCompile(fmt.Sprintf(`(?s)--- FAIL: TestProgram%d .*?found by schedule (\d+) ([^\n]*)`, i)).FindStringSubmatch(out); m != nil {
				found, _ = strconv.Atoi(m[1])
				if n := decisions(m[2]); n > mostDecisions(p.program) {
					t.Errorf("seed %d: %#v: %d decisions: %s", seed+1, p.program, n, m[2])
				}
			}
			table[i] += fmt.Sprintf("%3d", found)
			if found > p.within || p.within > 0 && found == 0 {
				t.Errorf("seed %d: %#v: found by schedule %d, want at most %d", seed+1, p.program, found, p.within)
			}
		}
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range programs {
		t.Logf("%s  %#v", table[i], p.program)
	}
}

// decisions returns the number of decisions with which a report's line says that the finding is shown.
func decisions(line string) (n int) {
	for _, m := range regexp.MustCompile(`(\d+) (?:pause|switch|timer)`).FindAllStringSubmatch(line, -1) {
		k, _ := strconv.Atoi(m[1])
		n += k
	}
	return n
}

// mostDecisions returns the number of decisions that suffice. A cycle of k locks takes k-1 pauses.
func mostDecisions(p fmt.Stringer) int {
	switch p := p.(type) {
	case variant:
		return max(4, p.locks-1)
	case waits:
		if p.name == "writers" { // of two locks, each before a reader
			return 6
		}
	}
	return 4
}

// reversal is a program that fails if two operations have another order. Its text is a template with the alternatives WRONG[[...]] and
// RIGHT[[...]], and with a NUMBER.
type reversal struct {
	name   string
	number int
	right  bool
}

var alternative = regexp.MustCompile(`(?s)(WRONG|RIGHT)\[\[(.*?)\]\]`)

func (r reversal) String() string {
	text := alternative.ReplaceAllStringFunc(reversals[r.name], func(s string) string {
		m := alternative.FindStringSubmatch(s)
		return map[bool]string{true: m[2]}[r.right == (m[1] == "RIGHT")]
	})
	return strings.ReplaceAll(text, "NUMBER", strconv.Itoa(r.number))
}

var reversals = map[string]string{
	"wake-up": `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	var ready atomic.Bool
	var wg sync.WaitGroup
	for range NUMBER {
		wg.Go(func() {
			mu.Lock()
			for !ready.Load() {
				c.Wait()
			}
			mu.Unlock()
		})
	}
	wg.Go(func() {
		RIGHT[[mu.Lock()]]
		ready.Store(true)
		RIGHT[[mu.Unlock()]]
		c.Broadcast()
	})
	wg.Wait()
`,
	"early signal": `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	var ready atomic.Bool
	done := make(chan bool)
	go func() {
		mu.Lock()
		for !ready.Load() {
			c.Wait()
		}
		mu.Unlock()
		close(done)
	}()
	RIGHT[[mu.Lock()]]
	ready.Store(true)
	RIGHT[[mu.Unlock()]]
	c.Signal()
	<-done
`,
	"gap before the wait": `
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready, done := false, make(chan bool)
	go func() {
		mu.Lock()
		for !ready {
			WRONG[[mu.Unlock()
			mu.Lock()]]
			c.Wait()
		}
		mu.Unlock()
		close(done)
	}()
	mu.Lock()
	ready = true
	mu.Unlock()
	c.Signal()
	<-done
`,
	"load and store": `
	var n atomic.Int32
	var wg sync.WaitGroup
	for range NUMBER {
		wg.Go(func() {
			WRONG[[n.Store(n.Load() + 1)]]
			RIGHT[[n.Add(1)]]
		})
	}
	wg.Wait()
	if n.Load() != NUMBER {
		t.Error("lost")
	}
`,
	"compare and swap": `
	var n atomic.Int32
	var wg sync.WaitGroup
	for range NUMBER {
		wg.Go(func() {
			for {
				v := n.Load()
				swapped := n.CompareAndSwap(v, v+1)
				RIGHT[[if !swapped {
					continue
				}]]
				_ = swapped
				return
			}
		})
	}
	wg.Wait()
	if n.Load() != NUMBER {
		t.Error("lost")
	}
`,
	"two critical sections": `
	var mu, whole sync.Mutex
	n := 0
	get := func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
	set := func(v int) {
		mu.Lock()
		defer mu.Unlock()
		n = v
	}
	var wg sync.WaitGroup
	for range NUMBER {
		wg.Go(func() {
			RIGHT[[whole.Lock()
			defer whole.Unlock()]]
			set(get() + 1)
		})
	}
	wg.Wait()
	if n != NUMBER {
		t.Error("lost")
	}
	_ = &whole
`,
	"read lock again": `
	var mu sync.RWMutex
	var gate sync.Mutex
	var wg sync.WaitGroup
	for range NUMBER {
		wg.Go(func() {
			RIGHT[[gate.Lock()
			defer gate.Unlock()]]
			mu.RLock()
			mu.RLock()
			mu.RUnlock()
			mu.RUnlock()
		})
	}
	wg.Go(func() {
		RIGHT[[gate.Lock()
		defer gate.Unlock()]]
		mu.Lock()
		mu.Unlock()
	})
	wg.Wait()
	_ = &gate
`,
	"send and close": `
	c := make(chan int, NUMBER)
	var wg, senders sync.WaitGroup
	for range NUMBER {
		senders.Add(1)
		wg.Go(func() {
			c <- 1
			senders.Done()
		})
	}
	wg.Go(func() {
		RIGHT[[senders.Wait()]]
		close(c)
	})
	wg.Wait()
`,
	"receiver gives up": `
	c, quit := make(chan int RIGHT[[, NUMBER]]), make(chan bool)
	for range NUMBER {
		go func() { c <- 1 }()
	}
	go func() { close(quit) }()
	for range NUMBER {
		select {
		case <-c:
		case <-quit:
			return
		}
	}
`,
	"closed channel leads to a cycle": `
	var mu, other sync.Mutex
	c := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-c:
			RIGHT[[mu.Lock()
			other.Lock()]]
			WRONG[[other.Lock()
			mu.Lock()]]
			mu.Unlock()
			other.Unlock()
		default:
		}
	})
	wg.Go(func() {
		close(c)
		mu.Lock()
		other.Lock()
		other.Unlock()
		mu.Unlock()
	})
	wg.Wait()
`,
	"failed try leads to a cycle": `
	var mu, other, try sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() {
		try.Lock()
		mu.Lock()
		other.Lock()
		other.Unlock()
		mu.Unlock()
		try.Unlock()
	})
	for range NUMBER {
		wg.Go(func() {
			if try.TryLock() {
				try.Unlock()
				return
			}
			RIGHT[[mu.Lock()
			other.Lock()]]
			WRONG[[other.Lock()
			mu.Lock()]]
			mu.Unlock()
			other.Unlock()
		})
	}
	wg.Wait()
`,
	"deletion leads to a cycle": `
	var state, mu, other sync.Mutex
	m := map[int]bool{1: true}
	var wg sync.WaitGroup
	wg.Go(func() {
		state.Lock()
		ok := m[1]
		state.Unlock()
		if ok {
			return
		}
		RIGHT[[mu.Lock()
		other.Lock()]]
		WRONG[[other.Lock()
		mu.Lock()]]
		mu.Unlock()
		other.Unlock()
	})
	for range NUMBER {
		wg.Go(func() {
			state.Lock()
			delete(m, 1)
			state.Unlock()
			mu.Lock()
			other.Lock()
			other.Unlock()
			mu.Unlock()
		})
	}
	wg.Wait()
`,
}

// One passing run predicts each reversal, and no right program has a finding.
func TestTest_PredictedReversals(t *testing.T) {
	var programs []predictedProgram
	for _, p := range []struct {
		name   string
		within int
	}{{"wake-up", 6}, {"early signal", 6}, {"gap before the wait", 7}, {"load and store", 6}, {"compare and swap", 6}, {"two critical sections", 6}, {"read lock again", 6},
		{"send and close", 6}, {"receiver gives up", 7}, {"closed channel leads to a cycle", 6}, {"failed try leads to a cycle", 6},
		{"deletion leads to a cycle", 6}} {
		for _, number := range []int{2, 5} {
			programs = append(programs, predictedProgram{reversal{p.name, number, false}, p.within})
		}
		programs = append(programs, predictedProgram{reversal{p.name, 3, true}, 0})
	}
	findWithin(t, programs)
}
