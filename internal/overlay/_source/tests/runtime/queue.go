// The queue of runnable goroutines of a test, in blocks with summaries, so that a choice among many is quick.

package runtime

import (
	testrun "internal/runtime"
	"internal/runtime/sys"
	"unsafe"
)

// macemcQ holds the runnable goroutines of a test in the order of their arrival. Its memory is outside the heap, because the scheduler
// has no write barriers. The compiler checks that of macemcTestPut and macemcTestGet, and of all functions that these call.
var macemcQ macemcRunQueue

// macemcRunQueue is a list of entries with an index each. Entries that have left it remain until the next compaction, so that no operation
// takes time in proportion to the number of entries. Blocks of entries have summaries.
type macemcRunQueue struct {
	entries uintptr // array of macemcRunnable
	blocks  uintptr // array of macemcSummary
	chains  uintptr // array of int32, by hash of the key: the first entry, as its index plus 1; 0 means none
	room    int     // number of entries for which there is memory, a power of two
	first   int     // the first block with an entry in the queue, if there is one
	end     int     // index of the next entry
	n       int     // number of entries in the queue
	weight  uint64  // testrun.SURW: sum of the weights
	arrived uint64  // number of entries that have arrived in the run
	limit   int64   // at most that of each entry in the queue
}

type macemcRunnable struct {
	gp             guintptr
	who            uint64
	prio           uint64 // testrun.SURW: expected number of points left, which does not change in the queue
	obj            uintptr
	limit          int64 // instant to which time may pass before it continues
	next, previous int32 // in the chain of its key, as indexes plus 1
}

// macemcSummary summarizes macemcInBlock entries.
type macemcSummary struct {
	in     uint64 // entries in the queue, as bits
	weight uint64 // testrun.SURW: sum of their weights
	prio   uint64 // of entry best
	best   int    // index of the first entry with the highest priority; -1 means unknown
}

const macemcInBlock = 64

//go:nosplit
func (q *macemcRunQueue) at(i int) *macemcRunnable {
	return (*macemcRunnable)(unsafe.Pointer(q.entries + uintptr(i)*unsafe.Sizeof(macemcRunnable{})))
}

//go:nosplit
func (q *macemcRunQueue) block(i int) *macemcSummary {
	return (*macemcSummary)(unsafe.Pointer(q.blocks + uintptr(i)*unsafe.Sizeof(macemcSummary{})))
}

// chain returns the chain of entries with a key.
func (q *macemcRunQueue) chain(key uint64) *int32 {
	return (*int32)(unsafe.Pointer(q.chains + uintptr(macemcMix(key)&uint64(q.room-1))*4))
}

// key returns the key of an entry by which the run looks entries up; 0 means none. It is the number of the goroutine if switches are
// followed, or the object for testrun.POS.
func (r *macemcRunnable) key() uint64 {
	switch {
	case len(macemcT.replayed) != 0:
		return r.who
	case macemcT.policy == testrun.POS:
		return uint64(r.obj)
	}
	return 0
}

// reset begins a run. The queue is empty.
func (q *macemcRunQueue) reset() { q.first, q.end, q.weight, q.arrived, q.limit = 0, 0, 0, 0, maxWhen }

// add appends a goroutine.
func (q *macemcRunQueue) add(gp *g) {
	if q.end == q.room {
		q.compact()
	}
	r := q.at(q.end)
	*r = macemcRunnable{who: gp.macemc.id, obj: gp.macemc.test.obj, limit: macemcLimitOf(gp)}
	q.limit = min(q.limit, r.limit)
	r.gp.set(gp)
	if macemcT.policy == testrun.SURW {
		r.prio = macemcLeft(r.who, gp.macemc.test.places)
	} else {
		r.prio = macemcTestPriority(gp)
	}
	q.put(q.end)
	q.end++
	q.arrived++
}

// relimit sets the limit to the least one of the entries.
func (q *macemcRunQueue) relimit() {
	q.limit = maxWhen
	for i := q.start(); i >= 0; i = q.after(i) {
		q.limit = min(q.limit, q.at(i).limit)
	}
}

// put adds the entry of an index, which is the last one, to its block and chain.
func (q *macemcRunQueue) put(i int) {
	r, b := q.at(i), q.block(i/macemcInBlock)
	if b.in == 0 || b.best >= 0 && r.prio > b.prio {
		b.best, b.prio = i, r.prio
	}
	b.in |= 1 << (i % macemcInBlock)
	if q.n == 0 {
		q.first = i / macemcInBlock
	}
	q.n++
	r.gp.ptr().macemc.test.entry = i
	if macemcT.policy == testrun.SURW {
		b.weight += r.prio
		q.weight += r.prio
	}
	if key := r.key(); key != 0 {
		chain := q.chain(key)
		r.next, r.previous = *chain, 0
		if *chain != 0 {
			q.at(int(*chain) - 1).previous = int32(i + 1)
		}
		*chain = int32(i + 1)
	}
}

// remove removes the entry of an index.
func (q *macemcRunQueue) remove(i int) {
	r, b := q.at(i), q.block(i/macemcInBlock)
	if b.best == i {
		b.best = -1
	}
	b.in &^= 1 << (i % macemcInBlock)
	q.n--
	for q.n > 0 && q.block(q.first).in == 0 {
		q.first++
	}
	if macemcT.policy == testrun.SURW {
		b.weight -= r.prio
		q.weight -= r.prio
	}
	if key := r.key(); key != 0 {
		if r.next != 0 {
			q.at(int(r.next) - 1).previous = r.previous
		}
		if r.previous != 0 {
			q.at(int(r.previous) - 1).next = r.next
		} else {
			*q.chain(key) = r.next
		}
	}
}

// compact makes room for an entry: it removes entries that have left, or doubles the memory.
func (q *macemcRunQueue) compact() {
	old, n := *q, 0
	if 2*q.n >= q.room {
		q.room = max(1024, 2*q.room)
		room := uintptr(q.room)
		q.entries = uintptr(persistentalloc(room*unsafe.Sizeof(macemcRunnable{}), 0, &memstats.other_sys))
		q.blocks = uintptr(persistentalloc(room/macemcInBlock*unsafe.Sizeof(macemcSummary{}), 0, &memstats.other_sys))
		q.chains = uintptr(persistentalloc(room*4, 0, &memstats.other_sys))
	}
	for i := old.start(); i >= 0; i = old.after(i) {
		*q.at(n) = *old.at(i)
		n++
	}
	memclrNoHeapPointers(unsafe.Pointer(q.blocks), uintptr(q.room/macemcInBlock)*unsafe.Sizeof(macemcSummary{}))
	memclrNoHeapPointers(unsafe.Pointer(q.chains), uintptr(q.room)*4)
	q.first, q.end, q.n, q.weight = 0, n, 0, 0
	for i := range n {
		q.put(i)
	}
}

// start returns the index of the first entry; -1 means none.
func (q *macemcRunQueue) start() int {
	if q.n == 0 {
		return -1
	}
	return q.first*macemcInBlock + sys.TrailingZeros64(q.block(q.first).in)
}

// after returns the index of the entry after another one; -1 means none.
func (q *macemcRunQueue) after(i int) int {
	i++
	in := uint64(0)
	if i < q.end {
		in = q.block(i/macemcInBlock).in >> (i % macemcInBlock) << (i % macemcInBlock)
	}
	for b := i / macemcInBlock; ; in = q.block(b).in {
		if in != 0 {
			return b*macemcInBlock + sys.TrailingZeros64(in)
		}
		if b++; b*macemcInBlock >= q.end {
			return -1
		}
	}
}

// nth returns the index of the entry before which k others are in the queue.
func (q *macemcRunQueue) nth(k int) int {
	b := q.first
	for ; k >= sys.OnesCount64(q.block(b).in); b++ {
		k -= sys.OnesCount64(q.block(b).in)
	}
	in := q.block(b).in
	for ; k > 0; k-- {
		in &= in - 1
	}
	return b*macemcInBlock + sys.TrailingZeros64(in)
}

// highest returns the index of the first entry with the highest priority. There must be one.
func (q *macemcRunQueue) highest() int {
	best, prio := -1, uint64(0)
	for i := q.first; i*macemcInBlock < q.end; i++ {
		b := q.block(i)
		if b.in == 0 {
			continue
		}
		if b.best < 0 {
			for in := b.in; in != 0; in &= in - 1 {
				if k := i*macemcInBlock + sys.TrailingZeros64(in); b.best < 0 || q.at(k).prio > b.prio {
					b.best, b.prio = k, q.at(k).prio
				}
			}
		}
		if best < 0 || b.prio > prio {
			best, prio = b.best, b.prio
		}
	}
	return best
}

// weighted returns the index of the entry for which the sum of the weights of earlier ones is at most w, and its own makes it exceed w. w
// is less than the sum of all.
func (q *macemcRunQueue) weighted(w uint64) int {
	b := q.first
	for ; w >= q.block(b).weight; b++ {
		w -= q.block(b).weight
	}
	for in := q.block(b).in; ; in &= in - 1 {
		i := b*macemcInBlock + sys.TrailingZeros64(in)
		if w < q.at(i).prio {
			return i
		}
		w -= q.at(i).prio
	}
}

// find returns the index of a goroutine's entry; -1 means none. The run must follow switches.
func (q *macemcRunQueue) find(who uint64) int {
	if q.n == 0 {
		return -1
	}
	i := int(*q.chain(who)) - 1
	for i >= 0 && q.at(i).who != who {
		i = int(q.at(i).next) - 1
	}
	return i
}

// redraw draws new priorities for the goroutines whose next operation uses the same object.
func (q *macemcRunQueue) redraw(obj uintptr) {
	if obj == 0 || q.n == 0 {
		return
	}
	if len(macemcT.replayed) != 0 { // the chains have other keys
		for i := q.start(); i >= 0; i = q.after(i) {
			q.redrawAt(i, obj)
		}
		return
	}
	for i := int(*q.chain(uint64(obj))) - 1; i >= 0; i = int(q.at(i).next) - 1 {
		q.redrawAt(i, obj)
	}
}

func (q *macemcRunQueue) redrawAt(i int, obj uintptr) {
	if r := q.at(i); r.obj == obj {
		r.prio = macemcMix(r.prio ^ macemcT.points)
		q.block(i / macemcInBlock).best = -1
	}
}
