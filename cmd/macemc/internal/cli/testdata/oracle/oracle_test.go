// Package oracle has random small programs of goroutines. Each test executes one of them, for what happens under "macemc test", and
// a model that knows nothing of Go's runtime enumerates what can happen. TestMain writes both.
package oracle

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
)

type kind int

const (
	lock kind = iota
	unlock
	send
	receive
	poll // select with a receive from either channel, and a default case
	add
	load
	swap // CompareAndSwap from 0 to 9
	done // of the WaitGroup
	wait
	waitCond // with lock 0: until the variable 0 is not 0
	setCond  // with lock 0: sets the variable 0, Signal
	kinds
	flip // draws whether the next operation is left out: a random number, or the order of a map
)

type op struct {
	kind kind
	arg  int
}

// program is one list of operations for each goroutine.
type program [][]op

const (
	locks    = 2
	channels = 2 // the first has no buffer, the second has room for one
	atomics  = 2
)

// random returns a program. Locks are balanced.
func random(seed uint64) program {
	r := rand.New(rand.NewPCG(seed, 1))
	p := make(program, 2+r.IntN(2))
	for i := range p {
		held := -1
		for range 2 + r.IntN(3) {
			switch k := kind(r.IntN(int(kinds))); k {
			case lock, unlock:
				if held >= 0 {
					p[i] = append(p[i], op{unlock, held})
					held = -1
				} else {
					held = r.IntN(locks)
					p[i] = append(p[i], op{lock, held})
				}
			case waitCond, setCond:
				if held < 0 {
					p[i] = append(p[i], op{k, 0})
				}
			default:
				p[i] = append(p[i], op{k, r.IntN(2)})
			}
		}
		if held >= 0 {
			p[i] = append(p[i], op{unlock, held})
		}
		p[i] = append(p[i], op{done, 0})
	}
	return p
}

// choice returns the program of a number: one that cannot deadlock and can end in at least four ways or, if the number is divisible by
// four, one that can deadlock and can also end.
func choice(n int) program {
	for k := uint64(0); ; k++ {
		p := random(seed()<<40 | uint64(n)<<20 | k)
		ends := p.model()
		if n%4 == 0 && ends["deadlock"] && len(ends) > 1 || n%4 > 0 && !ends["deadlock"] && len(ends) >= 4 {
			return p
		}
	}
}

// run executes a program and returns what its goroutines have seen. It does as little besides as possible: each operation of it is a
// point at which goroutines may be preempted.
func (p program) run() string {
	var mu [locks]sync.Mutex
	chans := [channels]chan int{make(chan int), make(chan int, 1)}
	var vars [atomics]atomic.Int32
	var wg, end sync.WaitGroup
	dones := 0
	for _, ops := range p {
		for _, o := range ops {
			if o.kind == done {
				dones++
			}
		}
	}
	wg.Add(dones)
	cond := sync.NewCond(&mu[0])
	ready := 0
	seen := make([][]string, len(p))
	end.Add(len(p))
	for i, ops := range p {
		go func() {
			defer end.Done()
			note := func(v any) { seen[i] = append(seen[i], fmt.Sprint(v)) }
			left := false
			for n, o := range ops {
				if left {
					left = false
					continue
				}
				switch o.kind {
				case flip:
					if left = rand.IntN(2) == 0; o.arg == 1 {
						for left = range map[bool]bool{false: true, true: true} {
							break
						}
					}
					note(sides[left])
				case lock:
					mu[o.arg].Lock()
				case unlock:
					mu[o.arg].Unlock()
				case send:
					chans[o.arg] <- 10*i + n
				case receive:
					note(<-chans[o.arg])
				case poll:
					select {
					case v := <-chans[0]:
						note(v)
					case v := <-chans[1]:
						note(v)
					default:
						note("-")
					}
				case add:
					note(vars[o.arg].Add(1))
				case load:
					note(vars[o.arg].Load())
				case swap:
					note(vars[o.arg].CompareAndSwap(0, 9))
				case done:
					wg.Done()
				case wait:
					wg.Wait()
				case waitCond:
					mu[0].Lock()
					for ready == 0 {
						cond.Wait()
					}
					ready--
					mu[0].Unlock()
				case setCond:
					mu[0].Lock()
					ready++
					cond.Signal()
					mu[0].Unlock()
				}
			}
		}()
	}
	end.Wait()
	return format(seen)
}

// sides are what a goroutine notes after a draw.
var sides = map[bool]string{false: "heads", true: "tails"}

// drawnPrograms follow the delayed ones. They draw.
const drawnPrograms = 8

// choiceDrawn returns the program of a number: one that cannot deadlock and can end in at least four ways for each outcome of its draws.
func choiceDrawn(n int) program {
	for k := uint64(0); ; k++ {
		p := random(seed()<<40 | uint64(n)<<20 | k)
		draws, all := 0, 0
		for i, ops := range p {
			all += len(ops)
			var more []op
			for _, o := range ops {
				if o.kind == add || o.kind == load || o.kind == swap {
					more = append(more, op{flip, (n + draws) % 2})
					draws++
				}
				more = append(more, o)
			}
			p[i] = more
		}
		if draws == 0 || draws > 3 || all > 8 { // the model is small
			continue
		}
		if ends := p.model(); !ends["deadlock"] && len(ends) >= 3<<draws {
			return p
		}
	}
}

func format(seen [][]string) string {
	var parts []string
	for _, s := range seen {
		parts = append(parts, strings.Join(s, ","))
	}
	return strings.Join(parts, "|")
}

// ends is where runs of the programs write how they ended, 0 for nowhere. A variable could not keep it: what package variables lead to is
// restored before each run.
var ends int

var chosen [programs + boundedPrograms + timedPrograms + delayedPrograms + drawnPrograms]interface {
	run() string
	model() map[string]bool
}

func test(t *testing.T, n int) {
	var end string
	if _, ok := chosen[n].(timed); ok && n%2 > 0 { // its clock stands still while goroutines run
		synctest.Test(t, func(*testing.T) { end = chosen[n].run() })
	} else {
		end = chosen[n].run()
	}
	if ends != 0 {
		if _, err := syscall.Write(ends, fmt.Appendf(nil, "%d happened %s\n", n, end)); err != nil {
			panic(err)
		}
	}
}

func seed() uint64 {
	var n uint64
	fmt.Sscan(os.Getenv("ORACLE_SEED"), &n)
	return n
}

func TestMain(m *testing.M) {
	flag.Parse()
	run := regexp.MustCompile(flag.Lookup("test.run").Value.String())
	for n := range chosen {
		switch {
		case !run.MatchString(fmt.Sprint("Test", n)):
		case n < programs:
			chosen[n] = choice(n)
		case n < programs+boundedPrograms:
			chosen[n] = choiceBounded(n)
		case n < programs+boundedPrograms+timedPrograms:
			chosen[n] = choiceTimed(n)
		case n < programs+boundedPrograms+timedPrograms+delayedPrograms:
			chosen[n] = choiceDelayed(n)
		default:
			chosen[n] = choiceDrawn(n)
		}
	}
	if name := os.Getenv("ORACLE_FILE"); name != "" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) { // another process of the tests has begun before
			if file, err = os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0); err == nil {
				ends = int(file.Fd())
				os.Exit(m.Run())
			}
		}
		if err != nil {
			panic(err)
		}
		for n, p := range chosen {
			if p == nil {
				continue
			}
			possible := p.model()
			if n >= programs && n < programs+boundedPrograms {
				possible = p.(program).bounded(1)
			}
			for end := range possible {
				fmt.Fprintf(file, "%d possible %s\n", n, end)
			}
			if p, ok := p.(delayed); ok {
				all, _ := p.ends(unlimited)
				for end := range all {
					fmt.Fprintf(file, "%d unlimited %s\n", n, end)
				}
			}
		}
		ends = int(file.Fd())
		defer file.Close()
	}
	m.Run()
}

const programs = 40

func Test0(t *testing.T)  { test(t, 0) }
func Test1(t *testing.T)  { test(t, 1) }
func Test2(t *testing.T)  { test(t, 2) }
func Test3(t *testing.T)  { test(t, 3) }
func Test4(t *testing.T)  { test(t, 4) }
func Test5(t *testing.T)  { test(t, 5) }
func Test6(t *testing.T)  { test(t, 6) }
func Test7(t *testing.T)  { test(t, 7) }
func Test8(t *testing.T)  { test(t, 8) }
func Test9(t *testing.T)  { test(t, 9) }
func Test10(t *testing.T) { test(t, 10) }
func Test11(t *testing.T) { test(t, 11) }
func Test12(t *testing.T) { test(t, 12) }
func Test13(t *testing.T) { test(t, 13) }
func Test14(t *testing.T) { test(t, 14) }
func Test15(t *testing.T) { test(t, 15) }
func Test16(t *testing.T) { test(t, 16) }
func Test17(t *testing.T) { test(t, 17) }
func Test18(t *testing.T) { test(t, 18) }
func Test19(t *testing.T) { test(t, 19) }
func Test20(t *testing.T) { test(t, 20) }
func Test21(t *testing.T) { test(t, 21) }
func Test22(t *testing.T) { test(t, 22) }
func Test23(t *testing.T) { test(t, 23) }
func Test24(t *testing.T) { test(t, 24) }
func Test25(t *testing.T) { test(t, 25) }
func Test26(t *testing.T) { test(t, 26) }
func Test27(t *testing.T) { test(t, 27) }
func Test28(t *testing.T) { test(t, 28) }
func Test29(t *testing.T) { test(t, 29) }
func Test30(t *testing.T) { test(t, 30) }
func Test31(t *testing.T) { test(t, 31) }
func Test32(t *testing.T) { test(t, 32) }
func Test33(t *testing.T) { test(t, 33) }
func Test34(t *testing.T) { test(t, 34) }
func Test35(t *testing.T) { test(t, 35) }
func Test36(t *testing.T) { test(t, 36) }
func Test37(t *testing.T) { test(t, 37) }
func Test38(t *testing.T) { test(t, 38) }
func Test39(t *testing.T) { test(t, 39) }
func Test40(t *testing.T) { test(t, 40) }
func Test41(t *testing.T) { test(t, 41) }
func Test42(t *testing.T) { test(t, 42) }
func Test43(t *testing.T) { test(t, 43) }
func Test44(t *testing.T) { test(t, 44) }
func Test45(t *testing.T) { test(t, 45) }
func Test46(t *testing.T) { test(t, 46) }
func Test47(t *testing.T) { test(t, 47) }
func Test48(t *testing.T) { test(t, 48) }
func Test49(t *testing.T) { test(t, 49) }
func Test50(t *testing.T) { test(t, 50) }
func Test51(t *testing.T) { test(t, 51) }
func Test52(t *testing.T) { test(t, 52) }
func Test53(t *testing.T) { test(t, 53) }
func Test54(t *testing.T) { test(t, 54) }
func Test55(t *testing.T) { test(t, 55) }
func Test56(t *testing.T) { test(t, 56) }
func Test57(t *testing.T) { test(t, 57) }
func Test58(t *testing.T) { test(t, 58) }
func Test59(t *testing.T) { test(t, 59) }
func Test60(t *testing.T) { test(t, 60) }
func Test61(t *testing.T) { test(t, 61) }
func Test62(t *testing.T) { test(t, 62) }
func Test63(t *testing.T) { test(t, 63) }
func Test64(t *testing.T) { test(t, 64) }
func Test65(t *testing.T) { test(t, 65) }
func Test66(t *testing.T) { test(t, 66) }
func Test67(t *testing.T) { test(t, 67) }
func Test68(t *testing.T) { test(t, 68) }
func Test69(t *testing.T) { test(t, 69) }
func Test70(t *testing.T) { test(t, 70) }
func Test71(t *testing.T) { test(t, 71) }
func Test72(t *testing.T) { test(t, 72) }
func Test73(t *testing.T) { test(t, 73) }
func Test74(t *testing.T) { test(t, 74) }
func Test75(t *testing.T) { test(t, 75) }
func Test76(t *testing.T) { test(t, 76) }
func Test77(t *testing.T) { test(t, 77) }
func Test78(t *testing.T) { test(t, 78) }
func Test79(t *testing.T) { test(t, 79) }
func Test80(t *testing.T) { test(t, 80) }
func Test81(t *testing.T) { test(t, 81) }
func Test82(t *testing.T) { test(t, 82) }
func Test83(t *testing.T) { test(t, 83) }
