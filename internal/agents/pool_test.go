package agents_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/testsched"
)

// toy is a test whose runs show what its process has executed before.
type toy struct {
	points  uint64        // of a run
	fails   uint64        // one in so many runs fails; 0 means none
	ends    int           // number of runs after which a further process ends; 0 means that it does not end
	slow    time.Duration // maximum time of a run
	effects bool          // a further process changes files

	mu   sync.Mutex
	runs []int // by process
}

// process starts a process of the test, and returns its end of the connection.
func (x *toy) process() net.Conn {
	here, there := net.Pipe()
	x.mu.Lock()
	number := len(x.runs)
	x.runs = append(x.runs, 0)
	x.mu.Unlock()
	go func() {
		defer there.Close()
		c := testsched.Connect(there)
		state := uint64(0)
		for {
			var q testsched.Request
			if c.Receive(&q) != nil {
				return
			}
			r := &testsched.Response{Effects: x.effects && number > 0}
			for _, w := range q.Weights {
				state = testsched.Mix(state ^ w.Who ^ w.Points)
			}
			for _, s := range q.Schedules[:1+rand.IntN(len(q.Schedules))] {
				x.mu.Lock()
				x.runs[number]++
				n := x.runs[number]
				x.mu.Unlock()
				if number > 0 && n == x.ends {
					return
				}
				if x.slow > 0 && rand.IntN(100) == 0 {
					time.Sleep(rand.N(x.slow))
				}
				if x.ends == 0 {
					state = testsched.Mix(state ^ s.Seed)
				} else {
					state = testsched.Mix(s.Seed)
				}
				o := &testsched.Outcome{Points: x.points, Choices: 500, Hash: state % 5000}
				if x.fails > 0 && state%x.fails == 0 {
					o.Kind = testsched.Failed
				}
				r.Outcomes = append(r.Outcomes, o)
				r.Weights = append(r.Weights, testsched.Weight{Who: 1 + state%9, Points: state % 1000})
				if o.Kind != testsched.Passed {
					break
				}
			}
			if c.Send(r) != nil {
				return
			}
		}
	}()
	return here
}

// explore explores the test on so many cores, and describes the result.
func (x *toy) explore(t *testing.T, seed uint64, cores int, c explorer.Config) string {
	runs := &agents.Runs{}
	free := agents.NewCores(t.TempDir(), cores)
	first := x.process()
	open := func(work func(*agents.Runner)) {
		stream := x.process()
		defer stream.Close()
		work(agents.RunnerOf(stream, 1, &agents.Runs{}))
	}
	pool := agents.NewPool(agents.RunnerOf(first, 20_000, runs), open, free, testsched.First)
	c.Seed, c.Agents = seed, pool
	r := explorer.Explore(c, pool.Run)
	pool.Close(false)
	free.Wait()
	first.Close()
	found := uint64(0)
	if r.Found != nil {
		found = r.Found.Seed
	}
	return fmt.Sprint(r.Schedules, r.Orders, r.Once, r.By, found, r.Saturated)
}

// Results depend on the seed, and not on the number of processes that work at once, also if runs depend on earlier ones of their process.
func TestPool_Cores(t *testing.T) {
	for seed := range uint64(6) {
		c := explorer.Config{Schedules: 3000}
		processes := 0
		explore := func(cores int) string {
			x := &toy{points: 40, fails: 2500, slow: time.Duration(cores) * 500 * time.Microsecond}
			text := x.explore(t, seed, cores, c)
			processes = max(processes, len(x.runs))
			return text
		}
		want := explore(1)
		for _, cores := range []int{1, 2, 4} {
			if got := explore(cores); got != want {
				t.Errorf("seed %d, %d cores: got %s, want %s", seed, cores, got, want)
			}
		}
		if seed == 0 && processes < 4 {
			t.Errorf("%d processes", processes)
		}
	}
}

// The first process executes what others do not because they have ended.
func TestPool_ProcessEnds(t *testing.T) {
	c := explorer.Config{Schedules: 2000}
	want := (&toy{points: 10, ends: 1 << 30}).explore(t, 1, 2, c) // few points: one process
	for _, ends := range []int{1, 2, 70} {
		x := &toy{points: 40, ends: ends}
		if got := x.explore(t, 1, 2, c); got != want || len(x.runs) < 2 {
			t.Errorf("ends at run %d: got %s, want %s; runs of processes: %d", ends, got, want, x.runs)
		}
	}
}

// A test that changes files has one process, because others may use the files.
func TestPool_Effects(t *testing.T) {
	x := &toy{points: 40, effects: true}
	x.explore(t, 1, 2, explorer.Config{Schedules: 3000})
	if len(x.runs) != 2 || x.runs[1] > 300 {
		t.Errorf("runs of processes: %d", x.runs)
	}
}

// The processes of a command use no more cores than it has, besides one for each package.
func TestCores(t *testing.T) {
	folder := t.TempDir()
	a, b := agents.NewCores(folder, 4), agents.NewCores(folder, 4)
	var releases []func()
	for _, c := range []*agents.Cores{a, b} {
		releases = append(releases, c.Claim())
	}
	if a.Claim() != nil || b.Claim() != nil {
		t.Error("a fifth core is claimed")
	}
	if slices.ContainsFunc(releases, func(f func()) bool { return f == nil }) {
		t.Fatal("a free core is not claimed")
	}
	releases[0]()
	if b.Claim() == nil {
		t.Error("a core that was released is not claimed")
	}
	if agents.NewCores("", 4).Claim() != nil {
		t.Error("a core is claimed without a folder")
	}
}
