//go:build macemc_overlay

package bubble

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	oldrand "math/rand"
	randv2 "math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
)

// trace is a hash of a program's actions, in order.
type trace struct{ h uint64 }

func (t *trace) add(args ...any) {
	f := fnv.New64a()
	fmt.Fprintf(f, "%x %v", t.h, args)
	t.h = f.Sum64()
}

type pointed struct{ v int }

// torture contains every implicit source of nondeterminism of a Go program.
var torture = map[string]func(*trace){
	"select": func(tr *trace) {
		a, b, c := make(chan int, 8), make(chan int, 8), make(chan int, 8)
		for i := range 8 {
			a <- i
			b <- i
			c <- i
		}
		for range 24 {
			select {
			case v := <-a:
				tr.add("a", v)
			case v := <-b:
				tr.add("b", v)
			case v := <-c:
				tr.add("c", v)
			}
		}
	},
	"map": func(tr *trace) {
		for _, size := range []int{4, 500} {
			m := map[string]int{}
			for i := range size {
				m[strconv.Itoa(i)] = i
			}
			for k := range m {
				tr.add(k)
			}
		}
	},
	"map of a few pointers": func(tr *trace) {
		m := map[*pointed]bool{}
		for i := range 6 {
			m[&pointed{i}] = true
		}
		for k := range m {
			tr.add(k.v)
		}
	},
	"random numbers": func(tr *trace) {
		var b [8]byte
		rand.Read(b[:])
		tr.add(oldrand.Int63(), randv2.Uint64(), oldrand.Perm(5), b, rand.Text())
	},
	"maphash": func(tr *trace) { tr.add(maphash.String(maphash.MakeSeed(), "x")) },
	"pool": func(tr *trace) {
		p := sync.Pool{New: func() any { tr.add("new"); return new(int) }}
		for range 5 {
			p.Put(p.Get())
			runtime.Gosched()
		}
	},
	"mutex": func(tr *trace) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 20 {
					mu.Lock()
					if i%3 == g%3 {
						runtime.Gosched()
					}
					tr.add(g, i)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
	},
	"wait for others without blocking": func(tr *trace) {
		var wg sync.WaitGroup
		var set atomic.Bool
		for g := range 3 {
			wg.Go(func() {
				for i := 0; !set.Load(); i++ {
					tr.add(g, i)
					runtime.Gosched()
				}
			})
		}
		wg.Go(func() { set.Store(true) })
		wg.Wait()
	},
	"wait for time without blocking": func(tr *trace) {
		var wg sync.WaitGroup
		began := time.Now()
		for g := range 3 {
			wg.Go(func() {
				i := 0
				for ; time.Since(began) < time.Duration(g)*time.Second/10; i++ {
					runtime.Gosched()
				}
				tr.add(g, i)
			})
		}
		wg.Wait()
	},
	"more goroutines than a run queue holds": func(tr *trace) {
		var wg sync.WaitGroup
		for g := range 700 {
			wg.Go(func() { tr.add(g); runtime.Gosched(); tr.add(g) })
		}
		wg.Wait()
	},
	"long enough to be preempted": func(tr *trace) {
		var wg sync.WaitGroup
		for g := range 3 {
			wg.Go(func() {
				for i := range 6 {
					x := 0
					for j := range 1_000_000 {
						x += j ^ i
					}
					tr.add(g, i, x&1)
				}
			})
		}
		wg.Wait()
	},
	"garbage": func(tr *trace) {
		var wg sync.WaitGroup
		for g := range 3 {
			wg.Go(func() {
				for i := range 200 {
					b := make([]byte, 64<<10)
					b[i] = 1
					tr.add(g, i)
				}
			})
		}
		wg.Wait()
	},
	"timers of the same instant": func(tr *trace) {
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for range 5 {
					time.Sleep(time.Millisecond)
					tr.add(g)
				}
			})
		}
		wg.Wait()
	},
	"system calls": func(tr *trace) {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 20 {
					b, _ := os.ReadFile("/proc/self/stat")
					syscall.Nanosleep(&syscall.Timespec{Nsec: 20_000}, nil)
					tr.add(g, i, len(b) > 0)
				}
			})
		}
		wg.Wait()
	},
	"system calls of who was due to be preempted": func(tr *trace) {
		var wg sync.WaitGroup
		for g := range 2 {
			wg.Go(func() {
				for i := range 2 {
					x := 0
					for j := range 20_000_000 {
						x += j ^ i
					}
					for range 20 {
						os.Getppid()
					}
					tr.add(g, i, x&1)
				}
			})
		}
		wg.Wait()
	},
	"what stops the world": func(tr *trace) {
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 5 {
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					runtime.GC()
					tr.add(g, i, m.Mallocs > 0)
				}
			})
		}
		wg.Wait()
	},
	"many wait for one": func(tr *trace) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		c, done := sync.NewCond(&mu), make(chan int)
		for g := range 20 {
			wg.Go(func() { mu.Lock(); c.Wait(); tr.add(g); mu.Unlock() })
			wg.Go(func() { <-done; tr.add(g) })
		}
		time.Sleep(time.Second)
		c.Signal()
		close(done)
		c.Broadcast()
		wg.Wait()
	},
	"sleep with a lock": func(tr *trace) {
		var mu sync.Mutex
		mu.Lock()
		go func() { mu.Lock(); tr.add("got it"); mu.Unlock() }()
		time.Sleep(time.Second)
		tr.add("slept")
		mu.Unlock()
	},
	"panic": func(tr *trace) {
		defer func() { tr.add(recover()) }()
		var m map[int]int
		//lint:ignore SA5000 it is to panic
		m[1] = 1
	},
}

// alone runs a function as the program of a node for ten seconds of the node's time.
func alone(f func(*trace), how sim.Interleave, pick int) (uint64, *node) {
	stepping.Lock()
	defer stepping.Unlock()
	runtime.GOMAXPROCS(1)
	tr := &trace{}
	n := start(boot{nodes: 1})
	n.perform(&input{kind: bootInput, boot: new(boot), seeds: seeds{how: how, pick: pick}}, func(ctx context.Context, h *Host) error {
		f(tr)
		<-ctx.Done()
		return nil
	})
	for n.next > 0 && n.next < epoch+10e9 {
		n.perform(&input{kind: wakeInput, seeds: seeds{how: how, pick: pick}}, nil)
	}
	return tr.h, n
}

// load keeps the processor busy outside the program: with the collector, other goroutines and other threads.
func load(t *testing.T) {
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	for range 3 {
		go func() {
			var keep [][]byte
			for {
				select {
				case <-stop:
					return
				default:
					keep = append(keep, make([]byte, 100<<10))
					if len(keep) > 50 {
						keep = nil
					}
					runtime.Gosched()
				}
			}
		}()
	}
	for range 4 { // returns from system calls and competes for the processor
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					syscall.Nanosleep(&syscall.Timespec{Nsec: 50_000}, nil)
				}
			}
		}()
	}
}

// Every source of nondeterminism yields one trace, under every schedule, while the process does other work.
func TestTorture(t *testing.T) {
	load(t)
	for name, f := range torture {
		t.Run(name, func(t *testing.T) {
			runs := 30
			if name == "wait for time without blocking" || name == "system calls of who was due to be preempted" {
				runs = 10 // these compute for long
			}
			for _, how := range []sim.Interleave{sim.FIFO, sim.Random, 3} {
				first := uint64(0)
				for i := range runs {
					h, n := alone(f, how, 5)
					stepping.Lock()
					n.discard()
					stepping.Unlock()
					if i == 0 {
						first = h
					} else if h != first {
						t.Errorf("%v: run %d differs from the first: %x and %x; %d ids, %d places", how, i, h, first, n.ctl.ids, n.ctl.yields)
					}
					if n.ctl.outside.count > 0 {
						t.Errorf("%v: run %d: goroutine %d waited for others than those of its node: %s", how, i, n.ctl.outside.last, reason(n.ctl.outside.why))
					}
				}
				t.Logf("%v: %x", how, first)
			}
		})
	}
}
