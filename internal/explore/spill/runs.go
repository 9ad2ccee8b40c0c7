package spill

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"
)

// Key is a fingerprint. Hi is 0 for fingerprints of one word.
type Key struct{ Lo, Hi uint64 }

// Compare orders keys.
func (k Key) Compare(o Key) int {
	if k.Lo != o.Lo {
		return cmp.Compare(k.Lo, o.Lo)
	}
	return cmp.Compare(k.Hi, o.Hi)
}

func (k Key) less(o Key) bool { return k.Lo < o.Lo || k.Lo == o.Lo && k.Hi < o.Hi }

// Wanted is a key to look up, with the caller's number for it.
type Wanted struct {
	Key
	Number uint32
}

// Runs is a set of keys in sorted files. A key may be in several.
type Runs struct {
	dir   string
	words int
	runs  []*run // older runs, which are mostly longer, come first
}

// mostRuns is the maximum number of runs, since a look-up searches all of them.
const mostRuns = 8

// NewRuns makes an empty set of keys of one or two words, with files in a folder.
func NewRuns(dir string, words int) *Runs { return &Runs{dir: dir, words: words} }

// Empty reports whether nothing was ever added.
func (r *Runs) Empty() bool { return len(r.runs) == 0 }

// Add adds ascending keys.
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

// merge merges the last runs into one: as many as are no longer than all runs after them together, and at least two.
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

// Find calls found with the numbers of the keys in the set, perhaps several times each. It sorts keys.
func (r *Runs) Find(keys []Wanted, found func(number uint32)) error {
	slices.SortFunc(keys, func(a, b Wanted) int { return a.Compare(b.Key) })
	for _, run := range r.runs {
		if err := run.find(keys, found); err != nil {
			return err
		}
	}
	return nil
}

// Bytes returns the memory of the set.
func (r *Runs) Bytes() (n int) {
	for _, run := range r.runs {
		n += 8*cap(run.first) + 4*cap(run.sums)
	}
	return n
}

// Disk returns the number of bytes in the files.
func (r *Runs) Disk() (n int64) {
	for _, run := range r.runs {
		n += int64(run.n) * int64(8*r.words)
	}
	return n
}

// Close closes the files.
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
