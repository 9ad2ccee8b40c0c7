package spill

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
)

// Key is a fingerprint; Hi is 0 when those of one word are kept.
type Key struct{ Lo, Hi uint64 }

// Compare orders keys.
func (k Key) Compare(o Key) int {
	if k.Lo != o.Lo {
		return cmp.Compare(k.Lo, o.Lo)
	}
	return cmp.Compare(k.Hi, o.Hi)
}

func (k Key) less(o Key) bool { return k.Lo < o.Lo || k.Lo == o.Lo && k.Hi < o.Hi }

// Wanted is a key that is looked for, and what the caller calls it.
type Wanted struct {
	Key
	Number uint32
}

// Runs is a set of keys in files, each of which is sorted. A key may be in several.
type Runs struct {
	dir   string
	words int
	runs  []*run // older ones, which mostly are longer, first
}

// mostRuns is how many runs there may be: a look-up goes through all of them.
const mostRuns = 8

// NewRuns makes an empty set of keys of one or two words, whose files are in a folder.
func NewRuns(dir string, words int) *Runs { return &Runs{dir: dir, words: words} }

// Empty reports whether nothing was ever added.
func (r *Runs) Empty() bool { return len(r.runs) == 0 }

// Add adds keys, which ascend.
func (r *Runs) Add(keys iter.Seq[Key]) error {
	run, err := r.write(keys)
	if err != nil {
		return err
	}
	if r.runs = append(r.runs, run); len(r.runs) > mostRuns {
		return r.merge()
	}
	return nil
}

// merge makes one run of the last ones: of as many as are no longer than all behind them together, and of two at least.
func (r *Runs) merge() error {
	k, behind := len(r.runs)-1, 0
	for ; k > 0; k-- {
		behind += r.runs[k].n
		if k < len(r.runs)-1 && r.runs[k-1].n > behind {
			break
		}
	}
	old := r.runs[k:]
	var failed error
	merged, err := r.write(union(old, &failed))
	if err = cmp.Or(failed, err); err != nil {
		if merged != nil {
			merged.file.Close()
		}
		return err
	}
	for _, run := range old {
		run.file.Close()
	}
	r.runs = append(slices.Clip(r.runs[:k]), merged)
	return nil
}

// write writes a run.
func (r *Runs) write(keys iter.Seq[Key]) (*run, error) {
	w, err := newRunWriter(r.dir, r.words)
	if err != nil {
		return nil, err
	}
	for k := range keys {
		if err = w.add(k); err != nil {
			break
		}
	}
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		w.run.file.Close()
		return nil, err
	}
	return &w.run, nil
}

// Find calls found with the numbers of those keys that are there, perhaps several times. It sorts them.
func (r *Runs) Find(keys []Wanted, found func(number uint32)) error {
	slices.SortFunc(keys, func(a, b Wanted) int { return a.Compare(b.Key) })
	for _, run := range r.runs {
		if err := run.find(keys, found); err != nil {
			return err
		}
	}
	return nil
}

// Bytes is the memory that the set takes.
func (r *Runs) Bytes() (n int) {
	for _, run := range r.runs {
		n += 8*cap(run.first) + 4*cap(run.sums)
	}
	return n
}

// Disk is how many bytes are in the files.
func (r *Runs) Disk() (n int64) {
	for _, run := range r.runs {
		n += int64(run.n) * int64(8*r.words)
	}
	return n
}

// Close gives the files back.
func (r *Runs) Close() {
	for _, run := range r.runs {
		run.file.Close()
	}
	r.runs = nil
}

// union yields the keys of runs, each once. An error ends it.
func union(runs []*run, failed *error) iter.Seq[Key] {
	return func(yield func(Key) bool) {
		var heads heads
		for _, run := range runs {
			c := &cursor{run: run}
			if c.next() {
				heads = append(heads, c)
			} else if *failed = c.err; c.err != nil {
				return
			}
		}
		heap.Init(&heads)
		var last Key
		for any := false; len(heads) > 0; {
			c := heads[0]
			if !any || c.key != last {
				if any, last = true, c.key; !yield(last) {
					return
				}
			}
			if c.next() {
				heap.Fix(&heads, 0)
			} else if *failed = c.err; c.err != nil {
				return
			} else {
				heap.Pop(&heads)
			}
		}
	}
}

type heads []*cursor

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].key.Compare(h[j].key) < 0 }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(*cursor)) }
func (h *heads) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
