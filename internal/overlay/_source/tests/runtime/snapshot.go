// The snapshot of package variables and of the heap reachable from them, which each run restores.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

const (
	macemcLeave   = iota // neither restored nor watched
	macemcRestore        // restored with everything reachable from it
	macemcWatch          // changes of its own words are recorded
	macemcTypes          // type records of the runtime and of package reflect, not restored with anything reachable from them
)

// macemcRegion is a memory region in a snapshot.
type macemcRegion struct {
	from, size uintptr
	copy       uintptr // offset in copies
	root       int32   // index of the variable from which it is reachable
	watched    bool    // not restored
}

// macemcBlock is a range of regions. Few of them change in a run, so they are compared together first.
type macemcBlock struct {
	from, size, copy uintptr
	first, end       int32
}

// macemcBlockMax is the maximum size of a block that has several regions.
const macemcBlockMax = 4096

// macemcStateMax is the maximum size of a snapshot in bytes.
const macemcStateMax = 64 << 20

// macemcRestores is the maximum number of restores between runs.
const macemcRestores = 10

// macemcState is the snapshot of package variables before the first run of the process, and of the heap objects reachable from them. It
// excludes objects of the runtime and channels on which goroutines outside the test wait.
var macemcState macemcStateType

type macemcStateType struct {
	variables []macemcVariable // ascending by address
	objects   macemcObjects
	literals  macemcLiterals
	regions   []macemcRegion
	blocks    []macemcBlock
	copies    []byte
	size      uintptr
	changed   []bool // see macemc_testChanged
	taken     bool
	restores  bool // variables are restored, not only watched
	pages     macemcPages
	undone    bool // a change of a variable was undone
	awaited   [64]macemcSync
	nawaited  int
}

// macemc_testSave takes the snapshot without the objects hide.
func macemc_testSave(variables []macemcVariable, hide []unsafe.Pointer) {
	macemcState.save(variables, hide)
}

func (st *macemcStateType) save(variables []macemcVariable, hide []unsafe.Pointer) {
	st.variables, st.changed, st.taken = variables, make([]bool, len(variables)), true
	st.objects = macemcObjects{table: make([]uintptr, 1<<12)}
	st.literals.find(variables)
	stw := stopTheWorldGC(stwUnknown)
	for sweepone() != ^uintptr(0) {
	}
	o := &st.objects
	for _, p := range hide {
		o.add(uintptr(p))
	}
	macemcSkipRuntime(o)
	macemcAwaited(o.add)
	first := len(o.kept)
	for _, v := range variables {
		if v.kind == macemcTypes {
			o.scan(v.from, v.to)
		}
	}
	o.complete(first)
	st.addVariables(false)
	for i := 0; i < len(st.regions) && st.size <= macemcStateMax; i++ {
		if r := st.regions[i]; !r.watched {
			macemcReferences(r.from, r.from+r.size, func(p uintptr) { st.refer(p, r.root) })
		}
	}
	macemcAddMappings(st)
	if st.restores = len(variables) > 0 && st.size <= macemcStateMax; !st.restores { // watch only the words of the variables themselves
		st.regions, st.size = nil, 0
		st.addVariables(true)
	}
	st.arrange()
	st.copies = make([]byte, st.size)
	for _, b := range st.blocks {
		memmove(unsafe.Pointer(&st.copies[b.copy]), unsafe.Pointer(b.from), b.size)
	}
	st.pages.begin(st)
	st.await()
	st.free()
	startTheWorldGC(stw)
}

// addVariables adds the variables that are restored or watched. watch means that all are watched.
func (st *macemcStateType) addVariables(watch bool) {
	for i, v := range st.variables {
		if v.kind == macemcRestore || v.kind == macemcWatch {
			st.add(v.from, v.to-v.from, int32(i), watch || v.kind == macemcWatch)
		}
	}
}

// macemc_testIsolates reports whether runs find the variables as they were before the first one.
func macemc_testIsolates() bool { return macemcState.restores || len(macemcState.variables) == 0 }

// macemc_testRestore restores the snapshot.
func macemc_testRestore() {
	st := &macemcState
	if st.restores {
		macemcRestoreMappings()
	}
	st.pages.fill(st)
	for range macemcRestores {
		if !st.taken || !st.restoreAll() {
			break
		}
		macemc_testGiveTurns() // outsiders may change variables
	}
}

// restoreAll restores the snapshot, and reports whether it has woken outsiders.
func (st *macemcStateType) restoreAll() (woken bool) {
	clear(st.changed)
	macemcOrder() // those that it wakes act before the run
	stw := stopTheWorldGC(stwUnknown)
	macemcAwaited(func(p uintptr) {
		if at, ok := macemcObject(p); ok {
			if r := st.region(at); r != nil {
				r.watched = true
			}
		}
	})
	st.await()
	awaited := st.awaited[:st.nawaited]
	for i := range awaited {
		memmove(unsafe.Pointer(&awaited[i].now), unsafe.Pointer(awaited[i].from), awaited[i].size)
	}
	st.pages.restore(st)
	st.relock()
	for i := range awaited {
		w := &awaited[i]
		if memmove(unsafe.Pointer(w.from), unsafe.Pointer(&w.now), w.size); w.cond {
			macemcRelist((*notifyList)(unsafe.Pointer(w.from)))
		}
	}
	mp := acquirem() // no outsider runs before all are awake
	startTheWorldGC(stw)
	woken = st.wake()
	releasem(mp)
	return woken
}

// compare restores what differs from the snapshot in a range of memory, whose first block, or one before it, has an index.
func (st *macemcStateType) compare(first int32, from, to uintptr) {
	for i := int(first); i < len(st.blocks) && st.blocks[i].from < to; i++ {
		b := &st.blocks[i]
		for at, end := max(from, b.from), min(to, b.from+b.size); at < end; at += macemcBlockMax {
			n := min(end-at, macemcBlockMax)
			if !memequal(unsafe.Pointer(at), unsafe.Pointer(&st.copies[b.copy+at-b.from]), n) {
				st.restore(st.regions[b.first:b.end], at, at+n)
			}
		}
	}
}

// region returns the region that contains an address; nil means that the snapshot does not restore it.
func (st *macemcStateType) region(at uintptr) *macemcRegion {
	next := macemcFirst(len(st.regions), func(i int) bool { return st.regions[i].from > at })
	if next == 0 {
		return nil
	}
	if r := &st.regions[next-1]; at < r.from+r.size && !r.watched {
		return r
	}
	return nil
}

// restore restores the parts of regions in a range of memory that differ from the snapshot.
func (st *macemcStateType) restore(regions []macemcRegion, from, to uintptr) {
	for i := range regions {
		r := &regions[i]
		at, end := max(from, r.from), min(to, r.from+r.size)
		if at >= end {
			continue
		}
		old := unsafe.Pointer(&st.copies[r.copy+at-r.from])
		if memequal(unsafe.Pointer(at), old, end-at) {
			continue
		}
		if r.watched {
			st.changed[r.root] = true
			st.pages.compareAlways(at, end-at) // as long as it differs
		} else {
			memmove(unsafe.Pointer(at), old, end-at)
			st.undone = true
		}
	}
}

// arrange sorts the regions by address and combines neighbors into blocks. Only alignment separates neighbors.
func (st *macemcStateType) arrange() {
	list := st.regions
	macemcSort(list, func(r *macemcRegion) uintptr { return r.from })
	st.size = 0
	for i := range list {
		r := &list[i]
		if n := len(st.blocks); n > 0 {
			b, last := &st.blocks[n-1], &list[i-1]
			if gap := r.from - last.from - last.size; gap < 32 && r.watched == last.watched && r.from+r.size-b.from <= macemcBlockMax {
				b.size, b.end = r.from+r.size-b.from, int32(i+1)
				r.copy, st.size = b.copy+r.from-b.from, b.copy+b.size
				continue
			}
		}
		st.size = (st.size + goarch.PtrSize - 1) &^ (goarch.PtrSize - 1)
		r.copy = st.size
		st.blocks = append(st.blocks, macemcBlock{r.from, r.size, r.copy, int32(i), int32(i + 1)})
		st.size += r.size
	}
}

// macemcSort sorts a list by addresses (Shell sort).
func macemcSort[T any](list []T, from func(*T) uintptr) {
	for n := len(list) / 2; n > 0; n /= 2 {
		for i := n; i < len(list); i++ {
			for k := i; k >= n && from(&list[k-n]) > from(&list[k]); k -= n {
				list[k-n], list[k] = list[k], list[k-n]
			}
		}
	}
}

// macemc_testUndone reports whether variables have been restored that a test had changed.
func macemc_testUndone() bool { return macemcState.undone }

// macemc_testChanged returns whether variables differed before the latest run and were not restored, by variable.
func macemc_testChanged() []bool { return macemcState.changed }

// macemc_testData returns the start address of package variables.
func macemc_testData() uintptr { return firstmoduledata.data }

func (st *macemcStateType) add(from, size uintptr, root int32, watched bool) {
	if size == 0 {
		return
	}
	st.regions = append(st.regions, macemcRegion{from, size, st.size, root, watched})
	st.size += size
}

// refer adds the memory that p points to.
func (st *macemcStateType) refer(p uintptr, root int32) {
	o := &st.objects
	at, ok := macemcObject(p)
	if !ok {
		if l := st.literals.of(p); l != nil && !l.added {
			l.added = true
			st.add(l.from, l.to-l.from, root, false)
		}
		return
	}
	known := len(o.kept)
	if o.add(at); len(o.kept) > known {
		st.add(at, spanOfHeap(at).elemsize, root, false)
	}
}

// macemcSkipRuntime excludes objects of the runtime from which everything is reachable.
func macemcSkipRuntime(o *macemcObjects) {
	forEachGRace(func(gp *g) { o.add(uintptr(unsafe.Pointer(gp))) })
	o.add(uintptr(unsafe.Pointer(macemcTestStep)))
	o.add(uintptr(unsafe.Pointer(macemcEndings)))
	for _, pp := range allp {
		o.add(uintptr(unsafe.Pointer(pp)))
		for _, s := range pp.sudogcache {
			o.add(uintptr(unsafe.Pointer(s)))
		}
	}
	for mp := allm; mp != nil; mp = mp.alllink {
		o.add(uintptr(unsafe.Pointer(mp)))
	}
	for s := sched.sudogcache; s != nil; s = s.next {
		o.add(uintptr(unsafe.Pointer(s)))
	}
}
