package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// instruction is an instruction of a test program: a letter and a number. Goroutines execute their lists once.
//
//	L, U   lock and unlock mutex n; R, r: read-lock and read-unlock
//	S, W   send to channel n, which never blocks, and receive from it
//	+, ?   set variable n, and skip the next nested section unless it is set
type instruction struct {
	kind byte
	n    int
}

// program has the instructions of each goroutine. Goroutine g has the number g+1.
type program [][]instruction

func (p program) String() string {
	var lines []string
	for _, list := range p {
		var words []string
		for _, x := range list {
			words = append(words, fmt.Sprintf("%c%d", x.kind, x.n))
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

// parseProgram is the inverse of program.String.
func parseProgram(text string) (p program) {
	for line := range strings.SplitSeq(text, "\n") {
		var list []instruction
		for word := range strings.FieldsSeq(line) {
			list = append(list, instruction{word[0], int(word[1] - '0')})
		}
		p = append(p, list)
	}
	return p
}

// drawProgram draws a program of up to 4 goroutines, each with up to so many critical sections that are nested up to a depth.
func drawProgram(r *rand.Rand, sections, depth int) program {
	p := make(program, 2+r.IntN(3))
	channels := 0
	for g := range p {
		for range 1 + r.IntN(sections) {
			section := drawSection(r, 1+r.IntN(depth), nil)
			if r.IntN(4) == 0 && g > 0 { // an earlier goroutine sends
				from := r.IntN(g)
				p[from] = append(p[from], instruction{'S', channels})
				section = slices.Insert(section, r.IntN(2), instruction{'W', channels})
				channels++
			}
			if r.IntN(6) == 0 {
				p[g] = append(p[g], instruction{"+?"[r.IntN(2)], r.IntN(2)})
			}
			p[g] = append(p[g], section...)
		}
	}
	return p
}

// drawSection draws nested locks, none of them twice.
func drawSection(r *rand.Rand, depth int, held []int) (list []instruction) {
	lock := r.IntN(4)
	if depth == 0 || slices.Contains(held, lock) {
		return nil
	}
	kinds := [...]string{"LU", "LU", "LU", "Rr"}[r.IntN(4)]
	list = append(list, instruction{kinds[0], lock})
	for range 1 + r.IntN(2) {
		list = append(list, drawSection(r, depth-1, append(slices.Clip(held), lock))...)
	}
	return append(list, instruction{kinds[1], lock})
}

// machine executes a program.
type machine struct {
	program
	at     []int    // by goroutine: its next instruction
	writer [4]int   // by lock: goroutine that holds it, from 1 on
	reads  [4][]int // by lock: goroutines that hold it
	sent   [16]int  // by channel: number of values
	vars   [2]bool
	held   [][]holder // by goroutine
}

// holder is a lock that a goroutine holds since an instruction.
type holder struct{ lock, since int }

func newMachine(p program) *machine {
	return &machine{program: p, at: make([]int, len(p)), held: make([][]holder, len(p))}
}

func (m *machine) clone() *machine {
	c := *m
	c.at, c.held = slices.Clone(m.at), slices.Clone(m.held)
	for i := range c.held {
		c.held[i] = slices.Clone(c.held[i])
	}
	for i := range c.reads {
		c.reads[i] = slices.Clone(c.reads[i])
	}
	return &c
}

func (m *machine) ended(g int) bool { return m.at[g] == len(m.program[g]) }

// enabled reports whether a goroutine can execute its next instruction.
func (m *machine) enabled(g int) bool {
	if m.ended(g) {
		return false
	}
	switch x := m.program[g][m.at[g]]; x.kind {
	case 'L':
		return m.writer[x.n] == 0 && len(m.reads[x.n]) == 0
	case 'R':
		return m.writer[x.n] == 0
	case 'W':
		return m.sent[x.n] > 0
	}
	return true
}

// step executes the next instruction of a goroutine.
func (m *machine) step(g int) {
	i := m.at[g]
	x := m.program[g][i]
	m.at[g]++
	switch x.kind {
	case 'L', 'R':
		m.held[g] = append(m.held[g], holder{x.n, i})
		if x.kind == 'L' {
			m.writer[x.n] = g + 1
		} else {
			m.reads[x.n] = append(m.reads[x.n], g)
		}
	case 'U', 'r':
		m.held[g] = slices.DeleteFunc(m.held[g], func(h holder) bool { return h.lock == x.n })
		if x.kind == 'U' {
			m.writer[x.n] = 0
		} else {
			m.reads[x.n] = slices.DeleteFunc(m.reads[x.n], func(h int) bool { return h == g })
		}
	case 'S':
		m.sent[x.n]++
	case 'W':
		m.sent[x.n]--
	case '+':
		m.vars[x.n] = true
	case '?':
		if !m.vars[x.n] {
			m.skip(g)
		}
	}
}

// skip leaves out the nested section that begins at the next instruction, if there is one.
func (m *machine) skip(g int) {
	depth := 0
	for list := m.program[g]; m.at[g] < len(list); m.at[g]++ {
		switch list[m.at[g]].kind {
		case 'L', 'R':
			depth++
		case 'U', 'r':
			depth--
		default:
			if depth == 0 {
				return
			}
		}
		if depth == 0 {
			m.at[g]++
			return
		}
	}
}

// lockCycle is a cycle of goroutines in which each waits for the next one: for a lock that it holds, or for a value from it. It lists two
// contexts for each goroutine, sorted: of the request by which it got the lock that another one waits for, and of the request in which it
// waits. Both are the latter if another one waits for a value from it.
type lockCycle string

// pairs returns the contexts that cycleOf was given.
func (c lockCycle) pairs() (pairs [][2]uint64) {
	for _, pair := range strings.Split(strings.Trim(string(c), "[]"), "] [") {
		var p [2]uint64
		fmt.Sscan(pair, &p[0], &p[1])
		pairs = append(pairs, p)
	}
	return pairs
}

func cycleOf(pairs [][2]uint64) lockCycle {
	slices.SortFunc(pairs, func(a, b [2]uint64) int { return slices.Compare(a[:], b[:]) })
	return lockCycle(fmt.Sprint(pairs))
}

// context is the same for equal instructions of a goroutine.
func (p program) context(g, i int) uint64 {
	x := p[g][i]
	return uint64(1000*(g+1) + 10*int(x.kind) + x.n)
}

// awaited returns when another goroutine has done that for which g waits: it acquired the lock. The result is at[h] if g waits for a value
// from h.
func (m *machine) awaited(g, h int) (since []int) {
	x := m.program[g][m.at[g]]
	if x.kind == 'W' && slices.Contains(m.program[h][m.at[h]:], instruction{'S', x.n}) {
		return []int{m.at[h]}
	}
	for _, held := range m.held[h] {
		if x.kind != 'W' && held.lock == x.n && (x.kind != 'R' || m.writer[x.n] == h+1) {
			since = append(since, held.since)
		}
	}
	return since
}

// cycles returns the cycles of goroutines that wait for one another, with at least one lock.
func (m *machine) cycles() (list []lockCycle) {
	var path []int
	var since []int // by path: when the goroutine did that for which the one before it waits, see awaited
	var extend func()
	extend = func() {
		g := path[len(path)-1]
		for h := range m.program {
			if h == g || m.ended(h) || m.enabled(h) {
				continue
			}
			for _, at := range m.awaited(g, h) {
				switch {
				case h == path[0]:
					since[0] = at
					var pairs [][2]uint64
					for k, g := range path {
						if since[k] < m.at[g] || m.program[g][m.at[g]].kind != 'W' {
							pairs = append(pairs, [2]uint64{m.context(g, since[k]), m.context(g, m.at[g])})
						}
					}
					if len(pairs) > 0 {
						list = append(list, cycleOf(pairs))
					}
				case h > path[0] && !slices.Contains(path, h):
					path, since = append(path, h), append(since, at)
					extend()
					path, since = path[:len(path)-1], since[:len(since)-1]
				}
			}
		}
	}
	for g := range m.program {
		if !m.ended(g) && !m.enabled(g) {
			path, since = []int{g}, []int{0}
			extend()
		}
	}
	return list
}

// reachable returns the cycles of all states in which some goroutine waits, over all interleavings.
func (p program) reachable() map[lockCycle]bool {
	found, seen := map[lockCycle]bool{}, map[string]bool{}
	var visit func(m *machine)
	visit = func(m *machine) {
		key := fmt.Sprint(m.at, m.vars)
		if seen[key] {
			return
		}
		seen[key] = true
		for _, c := range m.cycles() {
			found[c] = true
		}
		for g := range p {
			if m.enabled(g) {
				c := m.clone()
				c.step(g)
				visit(c)
			}
		}
	}
	visit(newMachine(p))
	return found
}

// execution is a run of a program in the default order with holds, as in the changed runtime: the running goroutine continues until it
// waits, others follow in the order of their arrival, and goroutines that pause continue when all others wait.
type execution struct {
	*machine
	events []Event
	queue  []int
	paused []int        // the latest one first
	order  map[int]int  // by goroutine: Hold.Order
	passes map[int]bool // goroutines that have paused before their next instruction
	waits  map[int]bool
	holds  []Hold
	// sections are the critical sections with nested lock requests.
	sections []section
	waker    map[int]uint32 // by goroutine: number of the event that has woken it
}

// section is a lock request, or a wait for a value, in a critical section: the contexts of the outer and inner request, and the locks held
// then. Each lock request has a section with its context twice, too.
type section struct {
	pair  [2]uint64
	reads map[int]bool // by lock
}

// excludes reports whether a lock of both sections excludes that they overlap.
func (s section) excludes(other section) bool {
	for lock, read := range s.reads {
		if r, ok := other.reads[lock]; ok && !(r && read) {
			return true
		}
	}
	return false
}

// nest records the critical sections in which a goroutine requests a lock or waits for a value.
func (x *execution) nest(g int) {
	kind, at := x.program[g][x.at[g]].kind, x.context(g, x.at[g])
	if kind != 'L' && kind != 'R' && kind != 'W' {
		return
	}
	s := section{reads: map[int]bool{}}
	for _, h := range x.machine.held[g] {
		s.reads[h.lock] = x.writer[h.lock] == 0
	}
	for _, h := range x.machine.held[g] {
		s.pair = [2]uint64{x.context(g, h.since), at}
		x.sections = append(x.sections, s)
	}
	if kind != 'W' {
		s.pair = [2]uint64{at, at}
		x.sections = append(x.sections, s)
	}
}

// passed reports whether all goroutines have ended.
func (x *execution) passed() bool {
	for g := range x.program {
		if !x.ended(g) {
			return false
		}
	}
	return true
}

func (p program) execute(holds []Hold) *execution {
	x := &execution{machine: newMachine(p), order: map[int]int{}, passes: map[int]bool{},
		waits: map[int]bool{}, waker: map[int]uint32{}, holds: slices.Clone(holds)}
	for g := range p {
		x.queue = append(x.queue, g)
	}
	for {
		if len(x.queue) == 0 {
			if len(x.paused) == 0 {
				return x
			}
			x.queue, x.paused = x.paused, nil
		}
		g := slices.MinFunc(x.queue, func(a, b int) int { return x.order[a] - x.order[b] })
		k := slices.Index(x.queue, g)
		x.queue = slices.Delete(x.queue, k, k+1)
		delete(x.order, g)
		x.turn(g)
	}
}

// turn executes instructions of a goroutine until it waits, pauses or ends.
func (x *execution) turn(g int) {
	for !x.ended(g) {
		e, ok := x.event(g)
		if ok && !x.waits[g] {
			if !x.passes[g] && x.pauses(&e) {
				x.passes[g] = true
				x.paused = slices.Insert(x.paused, 0, g)
				return
			}
			x.events = append(x.events, e)
			x.nest(g)
			delete(x.waker, g)
		}
		delete(x.passes, g)
		if x.waits[g] = !x.enabled(g); x.waits[g] {
			return
		}
		x.step(g)
		for h := range x.program {
			if x.waits[h] && x.enabled(h) && !slices.Contains(x.queue, h) {
				x.waker[h] = uint32(len(x.events))
				x.queue = append(x.queue, h)
			}
		}
	}
}

// event returns the event of the next instruction of a goroutine.
func (x *execution) event(g int) (Event, bool) {
	i := x.at[g]
	in := x.program[g][i]
	ops := map[byte]Op{'L': Lock, 'R': RLock, 'U': Unlock, 'r': Unlock, 'S': Send, 'W': Receive}
	op, ok := ops[in.kind]
	object := uint64(in.n + 1)
	if op == Send || op == Receive {
		object += 100
	}
	return Event{Who: uint64(g + 1), Object: object, Place: x.context(g, i), Context: x.context(g, i), Op: op, Waker: x.waker[g]}, ok
}

// pauses reports whether a hold is before an event.
func (x *execution) pauses(e *Event) (held bool) {
	for i := range x.holds {
		h := &x.holds[i]
		if h.Op != uint32(e.Op) || h.Who != 0 && h.Who != e.Who || h.Context != e.Context {
			continue
		}
		if h.Seen++; h.Nth != 0 && h.Seen != h.Nth || h.Mode&Locked != 0 && len(x.machine.held[e.Who-1]) == 0 {
			continue
		}
		held = true
		x.order[int(e.Who)-1] = max(x.order[int(e.Who)-1], int(h.Order))
	}
	return held
}
