// Package variables of nodes that are processes: the copies that are exchanged before a step, and goroutines parked in them.

package runtime

import "unsafe"

// macemcProcesses is a snapshot of the package variables that each process of a checked system has for itself, with their initial values. A
// process is a node of package bubble that executes an ordinary main function.
var macemcProcesses macemcStateType

// macemcInProcess is true while the variables of a process are installed.
var macemcInProcess bool

// macemcImage holds the values of a process's variables while another process runs.
type macemcImage struct {
	words    []byte
	retained []unsafe.Pointer // objects that words point to, except those of macemcProcesses
	waits    []macemcWait
}

// macemcWait is a goroutine that waits for a semaphore. Other processes have a semaphore at the same address.
type macemcWait struct {
	s    *sudog
	addr *uint32
}

// macemc_saveInitial records the values of the variables and returns their size in bytes; 0 means that they are too large.
func macemc_saveInitial(variables []macemcVariable) uintptr {
	st := &macemcProcesses
	st.save(variables, nil)
	for i := range st.regions {
		if st.regions[i].watched {
			*st = macemcStateType{}
			return 0
		}
	}
	return st.size
}

func macemc_dataStart() uintptr { return firstmoduledata.data }

// macemc_swapVariables saves the values of the variables to out and loads them from in. A nil in means the initial values. bubble is the
// bubble of the process that is suspended; 0 means none. process reports whether a process is resumed. The result is out, or a new object
// if out is nil.
func macemc_swapVariables(out, in *macemcImage, bubble uint64, process bool) *macemcImage {
	st := &macemcProcesses
	if out == nil {
		out = &macemcImage{words: make([]byte, st.size)}
	}
	if bubble != 0 {
		out.park(bubble)
	}
	clear(out.retained)
	out.retained = out.retained[:0]
	for i := range st.regions {
		r := &st.regions[i]
		now := unsafe.Pointer(&out.words[r.copy])
		memmove(now, unsafe.Pointer(r.from), r.size)
		if !memequal(now, unsafe.Pointer(&st.copies[r.copy]), r.size) {
			out.keep(uintptr(now), uintptr(now)+r.size)
		}
	}
	words := st.copies
	if in != nil {
		words = in.words
	}
	// Writes without barriers are safe unless the collector marks. Marking does not begin while this M holds a lock.
	mp := acquirem()
	st.leaveTimers()
	if gcphase == _GCoff {
		st.load(words)
		releasem(mp)
	} else {
		releasem(mp)
		stw := stopTheWorldGC(stwUnknown)
		st.load(words)
		startTheWorldGC(stw)
	}
	if in != nil {
		in.unpark()
	}
	macemcInProcess = process
	return out
}

// macemc_freshVariables returns an image for a process that initializes packages itself. values returns the values of a variable before
// that, or nil if the process does not initialize its package.
func macemc_freshVariables(values func(from, size uintptr) []byte) *macemcImage {
	st := &macemcProcesses
	im := &macemcImage{words: make([]byte, st.size)}
	copy(im.words, st.copies)
	for i := range st.regions {
		if r := &st.regions[i]; macemcGlobal(r.from) && st.variables[r.root].from == r.from {
			if v := values(r.from, r.size); v != nil {
				copy(im.words[r.copy:r.copy+r.size], v)
			}
		}
	}
	return im
}

// macemc_initialize initializes packages again, on the calling goroutine.
func macemc_initialize(again func(pkg string) bool) {
	for m := &firstmoduledata; m != nil; m = m.next {
		for _, t := range m.inittasks {
			if t.nfns == 0 || !again(funcpkgpath(findfunc(*(*uintptr)(add(unsafe.Pointer(t), 8))))) {
				continue
			}
			for i := range uintptr(t.nfns) {
				p := add(unsafe.Pointer(t), 8+i*unsafe.Sizeof(i))
				(*(*func())(unsafe.Pointer(&p)))()
			}
		}
	}
}

// leaveTimers excludes the timers of the checker that are armed, because the runtime lists them. They were not when the snapshot was taken.
func (st *macemcStateType) leaveTimers() {
	for _, pp := range allp {
		for i := range pp.timers.heap {
			if r := st.region(uintptr(unsafe.Pointer(pp.timers.heap[i].timer))); r != nil {
				r.watched = true
			}
		}
	}
}

func (st *macemcStateType) load(words []byte) {
	for i := range st.regions {
		if r := &st.regions[i]; !r.watched {
			memmove(unsafe.Pointer(r.from), unsafe.Pointer(&words[r.copy]), r.size)
		}
	}
}

// keep retains the objects that words of memory may point to. Words that are no pointers, or have been some, may denote an object that the
// collector has found unused: only after its span is swept is it known to be free.
func (im *macemcImage) keep(from, to uintptr) {
	for ; from+8 <= to; from += unsafe.Sizeof(from) {
		p := *(*uintptr)(unsafe.Pointer(from))
		if p < 1<<12 {
			continue
		}
		mp := acquirem() // no collection begins meanwhile
		if s := spanOfHeap(p); s != nil && s.sweepgen != mheap_.sweepgen {
			s.ensureSwept()
		}
		if at, ok := macemcObject(p); ok && *macemcProcesses.objects.place(at) != at {
			im.retained = append(im.retained, unsafe.Pointer(at))
		}
		releasem(mp)
	}
}

// park removes the goroutines of a bubble from the queues of semaphores in the variables.
func (im *macemcImage) park(bubble uint64) {
	im.waits = im.waits[:0]
	forEachGRace(func(gp *g) {
		if gp.bubble == nil || gp.bubble.id != bubble || readgstatus(gp) != _Gwaiting {
			return
		}
		s := gp.waiting
		if s == nil || s.c.get() != nil {
			return
		}
		if addr := (*uint32)(s.elem.get()); addr != nil && macemcProcesses.holds(uintptr(unsafe.Pointer(addr))) {
			im.waits = append(im.waits, macemcWait{s, addr})
		}
	})
	first := 0 // index of the first wait that is not yet in the order of its queue
	for first < len(im.waits) {
		macemcSift(im.waits[first].addr, func(s *sudog) bool {
			for i := first; i < len(im.waits); i++ {
				if im.waits[i].s == s {
					im.waits[first], im.waits[i] = im.waits[i], im.waits[first]
					first++
					return false
				}
			}
			return true // it belongs to the checker
		})
	}
}

// unpark puts the goroutines back into the queues.
func (im *macemcImage) unpark() {
	for _, w := range im.waits {
		root := semtable.rootFor(w.addr)
		lock(&root.lock)
		root.nwait.Add(1)
		macemcQueue(root, w.addr, w.s)
		unlock(&root.lock)
	}
	clear(im.waits)
	im.waits = im.waits[:0]
}

// holds reports whether p points to memory that each process has for itself.
func (st *macemcStateType) holds(p uintptr) bool {
	if !macemcGlobal(p) {
		at, ok := macemcObject(p)
		return ok && *st.objects.place(at) == at
	}
	i := macemcFirst(len(st.variables), func(i int) bool { return st.variables[i].to > p })
	return i < len(st.variables) && st.variables[i].from <= p && st.variables[i].kind == macemcRestore
}

// macemcOwn reports whether p points to memory that the running process has for itself.
func macemcOwn(p uintptr) bool { return macemcInProcess && macemcProcesses.holds(p) }

// macemcMoveChan assigns a channel that a package variable referenced initially to the bubble of the running process.
func macemcMoveChan(c *hchan) {
	if c == nil || c.bubble != nil || !macemcOn {
		return
	}
	if b := getg().bubble; b != nil && macemcOwn(uintptr(unsafe.Pointer(c))) {
		c.bubble = b
	}
}
