package encoding

import (
	"cmp"
	"slices"
	"unsafe"
)

// seen records the memory visited by a walk over one value, to find repeated references and overlaps. Two references
// are to the same object if address, type, length and capacity agree.
type seen struct {
	list  []object
	index []int32 // hash table of positions in list, plus one; in use when list is long
	spans []span

	groups  [][]int // result of clusters
	members []int   // of groups
}

// object is a piece of memory. Addresses are stored as pointers, not numbers, which keeps the memory off the stack.
// Stacks move.
type object struct {
	at       unsafe.Pointer
	of       *node // type of the variable or of the elements; of a map itself
	len, cap int   // cap is a marker if it is not a slice
	pos      int   // of an encoding: position of the first visit
	again    bool  // visited more than once

	copied   unsafe.Pointer
	done     bool // the copy's content is complete or in progress
	together bool // the copy is in memory shared by several objects
	kept     bool // a constant, or part of one: it is its own copy
}

// Markers in place of a capacity.
const (
	isVariable = -1
	isMap      = -2
	isOpaque   = -3 // a pointer treated by a function
)

type span struct {
	low, high uintptr
	obj       int32
}

// linear is the number of objects up to which search is linear.
const linear = 8

func (s *seen) reset() {
	clear(s.list)
	s.list = s.list[:0]
}

// meet returns the object and whether it was visited before. The pointer is valid until the next call.
func (s *seen) meet(at unsafe.Pointer, of *node, length, capacity int) (*object, bool) {
	n := len(s.list)
	if n <= linear {
		for i := range s.list {
			if o := &s.list[i]; o.at == at && o.of == of && o.len == length && o.cap == capacity {
				o.again = true
				return o, true
			}
		}
		if n == linear {
			s.rehash(4 * linear)
		}
	} else {
		if 2*n > len(s.index) {
			s.rehash(2 * len(s.index))
		}
		for i := s.home(at, length); s.index[i] != 0; i = (i + 1) & (len(s.index) - 1) {
			if o := &s.list[s.index[i]-1]; o.at == at && o.of == of && o.len == length && o.cap == capacity {
				o.again = true
				return o, true
			}
		}
	}
	s.list = append(s.list, object{at: at, of: of, len: length, cap: capacity})
	if n >= linear {
		s.place(n)
	}
	return &s.list[n], false
}

func (s *seen) home(at unsafe.Pointer, length int) int {
	h := (uint64(uintptr(at)) + uint64(length)) * halves
	return int(h>>32) & (len(s.index) - 1)
}

func (s *seen) place(obj int) {
	i := s.home(s.list[obj].at, s.list[obj].len)
	for s.index[i] != 0 {
		i = (i + 1) & (len(s.index) - 1)
	}
	s.index[i] = int32(obj) + 1
}

// rehash makes the table at least that large, with a power of two as its size, and fills it from the list.
func (s *seen) rehash(size int) {
	if cap(s.index) >= size {
		s.index = s.index[:size]
		clear(s.index)
	} else {
		s.index = make([]int32, size)
	}
	for i := range s.list {
		s.place(i)
	}
}

// bytes returns the size of the object's memory. A slice covers its capacity, because an append to one slice is
// visible through another.
func (o *object) bytes() uintptr {
	switch o.cap {
	case isVariable:
		return o.of.size
	case isMap, isOpaque:
		return 0
	}
	return uintptr(o.cap) * o.of.size
}

// spare reports whether the object is a slice that is used twice and has room: an append to one overwrites an append
// to the other.
func (o *object) spare() bool { return o.again && o.cap > o.len }

// overlap reports whether objects share memory, so that their positions and sizes matter. Afterwards spans lists them
// by address.
func (s *seen) overlap() bool {
	s.spans = s.spans[:0]
	found := false
	for i := range s.list {
		o := &s.list[i]
		if n := o.bytes(); n > 0 {
			low := uintptr(o.at)
			s.spans = append(s.spans, span{low, low + n, int32(i)})
			found = found || o.spare()
		}
	}
	if len(s.spans) > 1 {
		slices.SortFunc(s.spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	}
	end := uintptr(0)
	for _, sp := range s.spans {
		if sp.low < end {
			return true
		}
		end = max(end, sp.high)
	}
	return found
}

// clusters returns the groups of overlapping objects. An object with spare room is a group of its own. Members
// and groups are in the order of their first visits. They are valid until the next call. A call of overlap must precede
// it.
func (s *seen) clusters() [][]int {
	s.members, s.groups = s.members[:0], s.groups[:0]
	for i := 0; i < len(s.spans); {
		first, end := i, s.spans[i].high
		for i++; i < len(s.spans) && s.spans[i].low < end; i++ {
			end = max(end, s.spans[i].high)
		}
		if i == first+1 && !s.list[s.spans[first].obj].spare() {
			continue
		}
		from := len(s.members)
		for _, sp := range s.spans[first:i] {
			s.members = append(s.members, int(sp.obj))
		}
		group := s.members[from:]
		slices.Sort(group)
		s.groups = append(s.groups, group)
	}
	slices.SortFunc(s.groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return s.groups
}
