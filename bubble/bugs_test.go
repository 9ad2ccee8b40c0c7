//go:build macemc_overlay

package bubble_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// bug is a small concurrency bug together with its fixed version.
type bug struct {
	name       string
	interleave sim.Interleave
	program    func(broken bool) bubble.Main
	actions    []sim.AnyAction
	always     func(*sim.View) bool
	eventually func(*sim.View) bool
	kinds      []sim.FindingKind
}

// count is the state that most of the programs show.
type count struct {
	N    int
	Done bool
}

func right(want int) func(*sim.View) bool {
	return func(v *sim.View) bool {
		for _, c := range bubble.Seen[count](v) {
			if c.Done && c.N != want {
				return false
			}
		}
		return true
	}
}

// begin is the value that an action uses to start a program's work.
type begin func()

var start = func() []sim.AnyAction {
	a := bubble.Call("start", func(f begin, _ context.Context) error { f(); return nil })
	a.Times = 1
	return []sim.AnyAction{a}
}()

var twice = func() []sim.AnyAction {
	a := start[0].(sim.Action[*bubble.Program])
	a.Times = 2
	return []sim.AnyAction{a}
}()

func atLeast(n int) func(*sim.View) bool {
	return func(v *sim.View) bool {
		left, ok := bubble.SeenAt[int](v, 0)
		return !ok || left >= n
	}
}

// lastOne sells the last item of a stock. Each request is a step of its own.
func lastOne(broken bool) bubble.Main {
	return func(ctx context.Context, h *bubble.Host) error {
		var mu sync.Mutex
		left := 1
		h.Observe(func() any { mu.Lock(); defer mu.Unlock(); return left })
		h.Expose(begin(func() {
			mu.Lock()
			sells := left > 0
			if broken {
				mu.Unlock()
				mu.Lock()
			}
			if sells {
				left--
			}
			mu.Unlock()
		}))
		<-ctx.Done()
		return nil
	}
}

// counting returns programs that do some work when they are started, and whose state is a count.
func counting(work func(h *bubble.Host, c *count, broken bool)) func(broken bool) bubble.Main {
	return func(broken bool) bubble.Main {
		return func(ctx context.Context, h *bubble.Host) error {
			var c count
			h.Observe(func() any { return c })
			h.Expose(begin(func() { work(h, &c, broken) }))
			<-ctx.Done()
			return nil
		}
	}
}

// drawing returns programs that fail for one of the random numbers that they draw.
func drawing(draw func(*bubble.Host) int) func(broken bool) bubble.Main {
	return counting(func(h *bubble.Host, c *count, broken bool) {
		if draw(h) == 371 && broken {
			c.N++
		}
		c.Done = true
	})
}

var twoRequests = bug{
	name: "two requests at a time", kinds: []sim.FindingKind{sim.Safety},
	actions: twice, always: atLeast(0), program: lastOne,
}

var smallBugs = []bug{
	{
		name: "semaphore that does not wake", interleave: sim.Random, kinds: []sim.FindingKind{sim.Safety},
		actions: start, always: noIdleRoom, program: share,
	},
	{
		name: "semaphore that does not wake, by priorities", interleave: sim.Interleave(2), kinds: []sim.FindingKind{sim.Safety},
		actions: start, always: noIdleRoom, program: share,
	},
	{
		name: "one random number of a thousand", interleave: sim.FIFO, kinds: []sim.FindingKind{sim.Safety}, actions: start, always: right(0),
		program: drawing(func(h *bubble.Host) int { return rand.IntN(1000) }),
	},
	{
		name: "one choice of a thousand", interleave: sim.FIFO, kinds: []sim.FindingKind{sim.Safety}, actions: start, always: right(0),
		program: drawing(func(h *bubble.Host) int { return h.Choose("item", 1000) }),
	},
	{
		name: "update lost between two critical sections", interleave: sim.Random, kinds: []sim.FindingKind{sim.Safety},
		actions: start, always: right(2),
		program: func(broken bool) bubble.Main {
			return func(ctx context.Context, h *bubble.Host) error {
				var mu sync.Mutex
				var c count
				h.Observe(func() any { mu.Lock(); defer mu.Unlock(); return c })
				h.Expose(begin(func() {
					var wg sync.WaitGroup
					for range 2 {
						wg.Go(func() {
							mu.Lock()
							n := c.N
							if broken {
								mu.Unlock()
								mu.Lock()
							}
							c.N = n + 1
							mu.Unlock()
						})
					}
					wg.Wait()
					mu.Lock()
					c.Done = true
					mu.Unlock()
				}))
				<-ctx.Done()
				return nil
			}
		},
	},
	twoRequests,
	{
		name: "two requests at a time, by priorities", interleave: sim.Interleave(2), kinds: []sim.FindingKind{sim.Safety},
		actions: twice, always: atLeast(0), program: lastOne,
	},
	{
		name: "locks in both orders", interleave: sim.Interleave(2), kinds: []sim.FindingKind{sim.Panic}, actions: start,
		program: func(broken bool) bubble.Main {
			return func(ctx context.Context, h *bubble.Host) error {
				var a, b sync.Mutex
				//lint:ignore SA2001 the order of the locks is what matters
				both := func(x, y *sync.Mutex) { x.Lock(); y.Lock(); y.Unlock(); x.Unlock() }
				h.Expose(begin(func() {
					go both(&a, &b)
					if broken {
						go both(&b, &a)
					} else {
						go both(&a, &b)
					}
				}))
				<-ctx.Done()
				return nil
			}
		},
	},
	{
		name: "nobody reads the answer after the time-out", kinds: []sim.FindingKind{sim.Liveness, sim.Deadlock}, actions: start,
		eventually: func(v *sim.View) bool {
			c, ok := bubble.SeenAt[count](v, 0)
			return ok && c.Done && c.N == 0
		},
		program: counting(func(_ *bubble.Host, c *count, broken bool) { // of workers
			answer := make(chan int, 1)
			if broken {
				answer = make(chan int)
			}
			c.N++
			go func() {
				time.Sleep(2 * time.Second)
				answer <- 1
				c.N--
			}()
			select {
			case <-answer:
			case <-time.After(time.Second):
			}
			c.Done = true
		}),
	},
	{
		name: "select does not prefer the stop", kinds: []sim.FindingKind{sim.Safety}, actions: start, always: right(0),
		program: counting(func(_ *bubble.Host, c *count, broken bool) { // done after the stop
			work, stop := make(chan int, 2), make(chan struct{})
			work <- 1
			close(stop)
			select {
			case <-work:
				select {
				case <-stop:
					if broken {
						c.N++
					}
				default:
					c.N++
				}
			case <-stop:
			}
			c.Done = true
		}),
	},
	{
		name: "context not honoured", kinds: []sim.FindingKind{sim.Liveness, sim.Deadlock},
		actions:    []sim.AnyAction{start[0], bubble.Signal(os.Interrupt)},
		eventually: func(v *sim.View) bool { p, ok := v.Service(0).(*bubble.Program); return ok && p.Ended != "" },
		program: func(broken bool) bubble.Main {
			return func(ctx context.Context, h *bubble.Host) error {
				var wg sync.WaitGroup
				never := make(chan int)
				h.Expose(begin(func() {
					wg.Go(func() {
						if broken {
							<-never
							return
						}
						select {
						case <-never:
						case <-ctx.Done():
						}
					})
				}))
				<-ctx.Done()
				wg.Wait()
				return nil
			}
		},
	},
	{
		name: "WaitGroup counted in the goroutine", kinds: []sim.FindingKind{sim.Safety}, actions: start, always: right(2),
		program: counting(func(_ *bubble.Host, c *count, broken bool) {
			var wg sync.WaitGroup
			n := 0
			for range 2 {
				if !broken {
					wg.Add(1)
				}
				go func() {
					if broken {
						wg.Add(1)
					}
					n++
					wg.Done()
				}()
			}
			wg.Wait()
			*c = count{n, true}
		}),
	},
	{
		name: "channel closed twice", interleave: sim.Random, kinds: []sim.FindingKind{sim.Safety}, actions: start, always: right(0),
		program: counting(func(_ *bubble.Host, c *count, broken bool) { // of panics
			var once sync.Once
			done := make(chan struct{})
			stop := func() {
				defer func() {
					if recover() != nil {
						c.N++
					}
					c.Done = true
				}()
				select {
				case <-done:
				default:
					close(done)
				}
			}
			for range 2 {
				if broken {
					go stop()
				} else {
					go once.Do(stop)
				}
			}
		}),
	},
}

func (b *bug) system(broken bool) sim.System {
	s := sim.System{
		Name: b.name, Nodes: 1, State: bubble.Rules, Network: netsim.Both{Streams: netsim.Streams{}}, Actions: b.actions, Interleave: b.interleave,
		New: func(sim.NodeID) sim.Service { return bubble.Service(b.program(broken)) },
	}
	if b.always != nil {
		s.Properties = append(s.Properties, sim.Property{Name: "right", Always: b.always})
	}
	if b.eventually != nil {
		s.Properties = append(s.Properties, sim.Property{Name: "comes to its end", Eventually: b.eventually})
	}
	return s
}

// Each bug is found, by at most some 1,500 paths, and the search of its fixed version finds nothing.
func TestSmallBugs(t *testing.T) {
	for _, b := range append(smallBugs, writeBugs()...) {
		t.Run(b.name, func(t *testing.T) {
			began := time.Now()
			r, err := searched(t, search.Config{System: b.system(true), Workers: 1, Time: 30 * time.Second, WalkSteps: 100})
			if err != nil {
				t.Fatal(err)
			}
			if r.Finding == nil {
				t.Fatalf("not found: %s after %d paths", r.Verdict, r.Stats.Paths)
			}
			expected := false
			for _, k := range b.kinds {
				expected = expected || r.Finding.Kind == k
			}
			if !expected {
				t.Errorf("found %s: %s, want one of %v", r.Finding.Kind, r.Finding.Message, b.kinds)
			}
			t.Logf("found in %v, %d paths: %s %s", time.Since(began).Round(time.Millisecond), r.Stats.Paths, r.Finding.Kind, r.Finding.Message)

			r, err = searched(t, search.Config{System: b.system(false), Workers: 1, Time: *clean, MaxPaths: 1500, WalkSteps: 100})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("the correct version: %s after %d paths, every state visited: %v", r.Verdict, r.Stats.Paths, r.Stats.Complete)
			if r.Finding != nil || r.Stats.Paths == 0 {
				t.Errorf("the correct version: %s after %d paths: %+v", r.Verdict, r.Stats.Paths, r.Finding)
			}
		})
	}
}

// A choice without alternatives is a finding that names the call.
func TestChoose_Misuse(t *testing.T) {
	b := bug{name: "misuse", actions: start, program: drawing(func(h *bubble.Host) int { return h.Choose("nothing", 0) })}
	r, err := searched(t, search.Config{System: b.system(true), Workers: 1, MaxPaths: 100})
	if err != nil || r.Finding == nil || !strings.Contains(r.Finding.Message, `Choose("nothing", 0)`) {
		t.Errorf("%v: %+v", err, r.Finding)
	}
}
