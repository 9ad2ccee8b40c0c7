package spill

import (
	"encoding/binary"
	"io"
	"os"
	"slices"
)

// run is a file of ascending keys, in blocks. An index in memory holds the first key of each block.
type run struct {
	dir   string
	file  *os.File
	words int
	n     int      // keys
	first []uint64 // by block: the first word of its first key
	sums  []uint32 // by block
}

const (
	blockKeys  = 512
	mostExtent = 64 // number of blocks read at once
	mostGap    = 8  // number of unneeded blocks that are read rather than skipped
	ahead      = 2  // extents
)

func (r *run) blockBytes() int { return 8 * r.words * blockKeys }

// bytesOf returns the length of a block.
func (r *run) bytesOf(block int) int {
	return min(r.blockBytes(), 8*r.words*(r.n-block*blockKeys))
}

func keyAt(b []byte, words, i int) (k Key) {
	b = b[8*words*i:]
	k.Lo = binary.LittleEndian.Uint64(b)
	if words == 2 {
		k.Hi = binary.LittleEndian.Uint64(b[8:])
	}
	return k
}

// runWriter writes a run.
type runWriter struct {
	run run
	buf []byte // blocks not yet written
	at  int64
}

func newRunWriter(dir string, words int) (*runWriter, error) {
	f, err := create(dir)
	if err != nil {
		return nil, err
	}
	return &runWriter{run: run{dir: dir, file: f, words: words}}, nil
}

func (w *runWriter) add(k Key) error {
	r := &w.run
	if r.n%blockKeys == 0 {
		if len(w.buf) == mostExtent*r.blockBytes() {
			if err := w.flush(); err != nil {
				return err
			}
		}
		r.first = append(r.first, k.Lo)
	}
	r.n++
	w.buf = binary.LittleEndian.AppendUint64(w.buf, k.Lo)
	if r.words == 2 {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, k.Hi)
	}
	return nil
}

func (w *runWriter) flush() error {
	for block := range slices.Chunk(w.buf, w.run.blockBytes()) {
		w.run.sums = append(w.run.sums, sum(block))
	}
	_, err := w.run.file.WriteAt(w.buf, w.at)
	w.at += int64(len(w.buf))
	w.buf = w.buf[:0]
	return err
}

// extent is a range of blocks that are read at once.
type extent struct {
	begin, end int
	buf        []byte
	err        error
}

// blockOf returns the last block that may hold a key, from a block on. The search begins there, since it is mostly
// near.
func (r *run) blockOf(lo uint64, from int) int {
	step := 1
	for from+step < len(r.first) && r.first[from+step] <= lo {
		from += step
		step *= 2
	}
	high := min(from+step, len(r.first))
	for from+1 < high {
		if mid := (from + high) / 2; r.first[mid] <= lo {
			from = mid
		} else {
			high = mid
		}
	}
	return from
}

// extents calls each with ranges of blocks that may hold keys.
func (r *run) extents(keys []Wanted, each func(begin, end int) bool) {
	if r.n == 0 {
		return
	}
	begin, end := 0, 0 // the range to be read
	at := 0
	for i := range keys {
		k := &keys[i].Key
		at = r.blockOf(k.Lo, at)
		from := at
		for r.words == 2 && from > 0 && r.first[from] == k.Lo { // keys may have equal first words
			from--
		}
		switch {
		case begin < end && from <= end+mostGap && at < begin+mostExtent:
			end = max(end, at+1)
			continue
		case begin < end && !each(begin, end):
			return
		}
		begin, end = max(from, end), at+1
	}
	if begin < end {
		each(begin, end)
	}
}

// read reads blocks.
func (r *run) read(e *extent) {
	n := (e.end-e.begin-1)*r.blockBytes() + r.bytesOf(e.end-1)
	if cap(e.buf) < n {
		e.buf = make([]byte, n)
	}
	e.buf = e.buf[:n]
	_, e.err = r.file.ReadAt(e.buf, int64(e.begin)*int64(r.blockBytes()))
	if e.err == io.EOF {
		e.err = damaged(r.dir)
	}
}

// block returns a block of an extent.
func (r *run) block(e *extent, k int) ([]byte, error) {
	b := e.buf[(k-e.begin)*r.blockBytes():][:r.bytesOf(k)]
	if sum(b) != r.sums[k] {
		return nil, damaged(r.dir)
	}
	return b, nil
}

// find calls found with the numbers of the keys in the run. Extents are read ahead.
func (r *run) find(keys []Wanted, found func(number uint32)) error {
	read, free, stop := make(chan *extent, ahead), make(chan *extent, ahead+2), make(chan struct{})
	defer close(stop)
	for range ahead + 2 {
		free <- &extent{}
	}
	go func() {
		defer close(read)
		r.extents(keys, func(begin, end int) bool {
			e := <-free
			e.begin, e.end = begin, end
			r.read(e)
			select {
			case read <- e:
				return e.err == nil
			case <-stop:
				return false
			}
		})
	}()
	i := 0
	for e := range read {
		if e.err != nil {
			return e.err
		}
		var err error
		if i, err = r.findIn(e, keys, i, found); err != nil {
			return err
		}
		free <- e
	}
	return nil
}

// findIn searches an extent for the keys from number i on, and returns the number of the first key after the extent.
func (r *run) findIn(e *extent, keys []Wanted, i int, found func(number uint32)) (int, error) {
	size := 8 * r.words
	for k := e.begin; k < e.end; k++ {
		var block []byte
		at := 0 // index in the block: all keys before it are less
		for ; i < len(keys) && (k+1 == len(r.first) || keys[i].Lo <= r.first[k+1]); i++ {
			key := keys[i].Key
			if key.Lo < r.first[k] {
				continue
			}
			if block == nil {
				var err error
				if block, err = r.block(e, k); err != nil {
					return i, err
				}
			}
			n := len(block) / size
			for low, high := at, n; low < high; at = low {
				if mid := int(uint(low+high) / 2); keyAt(block, r.words, mid).less(key) {
					low = mid + 1
				} else {
					high = mid
				}
			}
			if at < n && keyAt(block, r.words, at) == key {
				found(keys[i].Number)
			} else if at == n && k+1 < len(r.first) && key.Lo == r.first[k+1] {
				break // it may be in the next block, which is read, too
			}
		}
	}
	return i, nil
}

// cursor iterates over a run.
type cursor struct {
	run *run
	key Key
	at  int
	e   extent
	buf []byte // block
	err error
}

// next advances to the next key. It returns false at the end, or if err is set.
func (c *cursor) next() bool {
	r := c.run
	if c.at == r.n || c.err != nil {
		return false
	}
	if c.at%blockKeys == 0 {
		k := c.at / blockKeys
		if k == c.e.end {
			c.e.begin, c.e.end = k, min(len(r.first), k+mostExtent)
			if r.read(&c.e); c.e.err != nil {
				c.err = c.e.err
				return false
			}
		}
		if c.buf, c.err = r.block(&c.e, k); c.err != nil {
			return false
		}
	}
	c.key = keyAt(c.buf, r.words, c.at%blockKeys)
	c.at++
	return true
}
