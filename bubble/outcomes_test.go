//go:build macemc_overlay

package bubble

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/macemc/macemc/sim"
)

// op is one operation of a thread of a random program.
type op struct {
	do opKind
	on int // index of the variable, lock or channel
}

type opKind byte

const (
	loadOp  opKind = iota // loads a variable into the thread's register
	storeOp               // stores the register plus 1 into a variable
	unlockOp
	runlockOp
	lockOp // this and the following operations are switch points
	rlockOp
	sendOp // sends the register
	recvOp // receives into the register
)

// variables, locks and channels are the numbers that a program has of each. Only the last lock can be shared. Channel i has capacity i.
const variables, locks, channels = 2, 2, 2

// threads is a program: the operations of each goroutine.
type threads [][]op

// randomThreads returns a random program. Its locks nest.
func randomThreads(r *rand.Rand) threads {
	var body func(n int, held []int) []op
	body = func(n int, held []int) (ops []op) {
		for ; n > 0; n-- {
			switch k := r.IntN(8); {
			case k < 3:
				ops = append(ops, op{loadOp, r.IntN(variables)}, op{storeOp, r.IntN(variables)})
			case k < 6:
				m, lock, unlock := r.IntN(locks), lockOp, unlockOp
				if m == locks-1 && r.IntN(2) == 0 {
					lock, unlock = rlockOp, runlockOp
				}
				inner := body(1+r.IntN(2), append(slices.Clone(held), m))
				if !slices.Contains(held, m) || lock == rlockOp && r.IntN(4) == 0 {
					inner = slices.Concat([]op{{lock, m}}, inner, []op{{unlock, m}})
				}
				ops = append(ops, inner...)
			case k < 7:
				ops = append(ops, op{sendOp, r.IntN(channels)})
			default:
				ops = append(ops, op{recvOp, r.IntN(channels)})
			}
		}
		return ops
	}
	p := make(threads, 2+r.IntN(2))
	for i := range p {
		p[i] = body(1+r.IntN(3), nil)
	}
	return p
}

// final is the final state of a program: the position and the register of each thread, and the variables.
type final struct {
	At, Register []int // by thread
	Variable     [variables]int
}

// program returns the program of a node. It leaves its final state in m.
func (p threads) program(m *final) Main {
	return func(ctx context.Context, h *Host) error {
		var shared sync.RWMutex
		mus := [locks]sync.Locker{new(sync.Mutex), &shared}
		var chans [channels]chan int
		for i := range chans {
			chans[i] = make(chan int, i)
		}
		for t, ops := range p {
			go func() {
				for i, o := range ops {
					m.At[t] = i
					switch o.do {
					case loadOp:
						m.Register[t] = m.Variable[o.on]
					case storeOp:
						m.Variable[o.on] = m.Register[t] + 1
					case lockOp:
						mus[o.on].Lock()
					case unlockOp:
						mus[o.on].Unlock()
					case rlockOp:
						shared.RLock()
					case runlockOp:
						shared.RUnlock()
					case sendOp:
						chans[o.on] <- m.Register[t]
					case recvOp:
						m.Register[t] = <-chans[o.on]
					}
				}
				m.At[t] = len(ops)
			}()
		}
		<-ctx.Done()
		return nil
	}
}

// circle reports whether threads wait for each other's locks in a cycle.
func (p threads) circle(m *final) bool {
	has := func(t, lock int) bool {
		times := 0
		for _, o := range p[t][:m.At[t]] {
			switch {
			case o.on != lock:
			case o.do == lockOp || o.do == rlockOp:
				times++
			case o.do == unlockOp || o.do == runlockOp:
				times--
			}
		}
		return times > 0
	}
	var back func(from, to, steps int) bool // reports whether a waits-for path of at most that many steps exists
	back = func(from, to, steps int) bool {
		if steps == 0 || m.At[from] == len(p[from]) {
			return false
		}
		o := p[from][m.At[from]]
		if o.do != lockOp && o.do != rlockOp {
			return false
		}
		for t := range p {
			if has(t, o.on) && (t == to || back(t, to, steps-1)) {
				return true
			}
		}
		return false
	}
	for t := range p {
		if back(t, t, len(p)) {
			return true
		}
	}
	return false
}

// world is a state of a program in the brute-force search.
type world struct {
	final
	blocked []bool     // by thread: in a queue
	owner   [locks]int // the thread that has a lock, or that is next when all readers have left; -1 means none
	readers [locks]int
	waiting [locks][]int // readers that enter when the owner has left
	buffer  [channels][]int
	senders [channels][]int // waiting threads, in order
	takers  [channels][]int
}

func (w *world) clone() *world {
	c := *w
	c.At, c.Register, c.blocked = slices.Clone(w.At), slices.Clone(w.Register), slices.Clone(w.blocked)
	for i := range locks {
		c.waiting[i] = slices.Clone(w.waiting[i])
	}
	for i := range channels {
		c.buffer[i], c.senders[i], c.takers[i] = slices.Clone(w.buffer[i]), slices.Clone(w.senders[i]), slices.Clone(w.takers[i])
	}
	return &c
}

// turn makes a thread execute an operation at a switch point, and all others up to the next one. It reports whether the thread could.
func (w *world) turn(p threads, t int) bool {
	if w.blocked[t] || w.At[t] == len(p[t]) {
		return false
	}
	o := p[t][w.At[t]]
	switch o.do {
	case lockOp:
		if w.owner[o.on] >= 0 {
			return false
		}
		w.owner[o.on] = t
		if w.readers[o.on] > 0 {
			w.blocked[t] = true
			return true
		}
	case rlockOp:
		if w.owner[o.on] >= 0 {
			w.waiting[o.on], w.blocked[t] = append(w.waiting[o.on], t), true
			return true
		}
		w.readers[o.on]++
	case sendOp:
		switch c := o.on; {
		case len(w.takers[c]) > 0:
			r := w.takers[c][0]
			w.takers[c] = w.takers[c][1:]
			w.Register[r], w.blocked[r] = w.Register[t], false
			w.At[r]++
		case len(w.buffer[c]) < c:
			w.buffer[c] = append(w.buffer[c], w.Register[t])
		default:
			w.senders[c], w.blocked[t] = append(w.senders[c], t), true
			return true
		}
	case recvOp:
		c := o.on
		if len(w.buffer[c]) == 0 && len(w.senders[c]) == 0 {
			w.takers[c], w.blocked[t] = append(w.takers[c], t), true
			return true
		}
		if len(w.senders[c]) > 0 {
			s := w.senders[c][0]
			w.senders[c], w.blocked[s] = w.senders[c][1:], false
			w.buffer[c] = append(w.buffer[c], w.Register[s])
			w.At[s]++
		}
		w.Register[t], w.buffer[c] = w.buffer[c][0], w.buffer[c][1:]
	default:
		w.plain(o, t)
	}
	for w.At[t]++; w.At[t] < len(p[t]); w.At[t]++ {
		o := p[t][w.At[t]]
		if o.do >= lockOp {
			break
		}
		w.plain(o, t)
	}
	return true
}

func (w *world) plain(o op, t int) {
	switch o.do {
	case loadOp:
		w.Register[t] = w.Variable[o.on]
	case storeOp:
		w.Variable[o.on] = w.Register[t] + 1
	case unlockOp:
		for _, r := range w.waiting[o.on] {
			w.readers[o.on]++
			w.blocked[r] = false
			w.At[r]++
		}
		w.owner[o.on], w.waiting[o.on] = -1, nil
	case runlockOp:
		if next := w.owner[o.on]; w.readers[o.on] == 1 && next >= 0 {
			w.blocked[next] = false
			w.At[next]++
		}
		w.readers[o.on]--
	}
}

// outcomes computes all final states of a program by brute force.
func (p threads) outcomes() map[string]bool {
	ends, seen := map[string]bool{}, map[string]bool{}
	var visit func(w *world)
	visit = func(w *world) {
		key := fmt.Sprint(*w)
		if seen[key] {
			return
		}
		seen[key] = true
		stuck := true
		for t := range p {
			if next := w.clone(); next.turn(p, t) {
				stuck = false
				visit(next)
			}
		}
		if stuck {
			ends[fmt.Sprint(w.final)] = true
		}
	}
	visit(&world{final: final{At: make([]int, len(p)), Register: make([]int, len(p))}, blocked: make([]bool, len(p)), owner: [locks]int{-1, -1}})
	return ends
}

// Under drawn schedules, random programs reach only the final states that brute force over all interleavings finds, and most of these. A
// cycle of locks is reported if and only if there is one.
func TestOutcomes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	share := map[sim.Interleave]int{sim.FIFO: 0, sim.Random: 85, 1: 70, 3: 70} // minimum percentage of outcomes found
	possible, found, circles := 0, map[sim.Interleave]int{}, 0
	for range 100 {
		p := randomThreads(r)
		want := p.outcomes()
		possible += len(want)
		for how := range share {
			got := map[string]bool{}
			for pick := range 64 {
				m := &final{At: make([]int, len(p)), Register: make([]int, len(p))}
				text := p.run(m, how, pick)
				end := fmt.Sprint(*m)
				if !want[end] {
					t.Errorf("%v, %v %d: %s, which cannot be", p, how, pick, end)
				}
				got[end] = true
				circle := p.circle(m)
				if circle != (text != "") {
					t.Errorf("%v, %v %d: a circle of locks is there: %v; what is told: %q", p, how, pick, circle, text)
				}
				if circle {
					circles++
				}
			}
			found[how] += len(got)
		}
	}
	t.Logf("of %d: %v; %d circles", possible, found, circles)
	for how, least := range share {
		if 100*found[how] < least*possible || found[sim.FIFO] != 100 || circles == 0 {
			t.Errorf("%v: %d of %d outcomes, want %d of a hundred; first come, first served %d", how, found[how], possible, least, found[sim.FIFO])
		}
	}
}

// run executes the program under a schedule and returns the deadlock report.
func (p threads) run(m *final, how sim.Interleave, pick int) string {
	stepping.Lock()
	defer stepping.Unlock()
	runtime.GOMAXPROCS(1)
	n := start(boot{nodes: 1})
	defer n.discard()
	n.perform(&input{kind: bootInput, boot: new(boot), seeds: seeds{how: how, pick: pick}}, p.program(m))
	for n.next > 0 {
		n.perform(&input{kind: wakeInput, seeds: seeds{how: how, pick: pick}}, nil)
	}
	return n.deadlock()
}
