//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"bytes"
	"testing"
	"unsafe"
)

func TestSharingCounts(t *testing.T) {
	type pair struct{ a, b *int }
	type slices2 struct{ a, b []int }
	type maps2 struct{ a, b map[int]int }
	type both struct {
		block [4]int
		part  []int
		one   *int
	}
	x, y := 1, 1
	array := []int{1, 2, 3, 4}
	m := map[int]int{}
	s := newSet(t)
	sameEncoding(t, s, false, pair{&x, &x}, pair{&x, &y})
	sameEncoding(t, s, true, pair{&x, &x}, pair{&y, &y})
	sameEncoding(t, s, false, maps2{m, m}, maps2{m, map[int]int{}}) // also of empty maps
	sameEncoding(t, s, false, maps2{m, nil}, maps2{})               // only one can be written to

	sameEncoding(t, s, true, slices2{array[:2:2], array[2:]}, slices2{[]int{1, 2}, []int{3, 4}})
	sameEncoding(t, s, false, slices2{array[:3], array[2:]}, slices2{[]int{1, 2, 3}, []int{3, 4}})
	// An append to the first is visible in the second.
	sameEncoding(t, s, false, slices2{array[:2], array[2:]}, slices2{[]int{1, 2}, []int{3, 4}})
	// An append to one overwrites an append to the other.
	sameEncoding(t, s, false, slices2{array[:2], array[:2]}, slices2{array[:2:2], array[:2:2]})
	sameEncoding(t, s, false, slices2{array[:2], nil}, slices2{array[:2:2], nil})
	sameEncoding(t, s, false, slices2{array[:2], nil}, slices2{append(make([]int, 0, 4), 1, 2), nil}) // visible by re-slicing
	sameEncoding(t, s, true, slices2{array[:2], nil}, slices2{[]int{1, 2, 3, 4}[:2], nil})

	apart := &both{one: new(int)}
	within := &both{}
	within.one = &within.block[2]
	sameEncoding(t, s, false, apart, within)
	c := planOf(t, s, within).Copy(within).(*both)
	if c.one != &c.block[2] {
		t.Error("a pointer into the value itself points elsewhere in the copy")
	}
	within.part = within.block[1:3]
	c = planOf(t, s, within).Copy(within).(*both)
	if c.one != &c.part[1] || &c.part[0] != &c.block[1] || cap(c.part) != 3 {
		t.Error("a slice of the value itself lies elsewhere in the copy")
	}
}

func TestCopy_SharedCapacity(t *testing.T) {
	type queue struct{ head, tail []string }
	array := []string{"a", "b", "c", "d"}
	q := &queue{array[:1], array[2:3]}
	c := planOf(t, newSet(t), q).Copy(q).(*queue)
	c.head = append(c.head, "x", "y") // overwrites the tail, as it would in the original
	if c.tail[0] != "y" || len(c.tail) != 1 || cap(c.tail) != 2 || array[2] != "c" {
		t.Errorf("%v %v", c, array)
	}
}

func TestCopyOfManyObjects(t *testing.T) {
	type tree struct {
		kids   []*tree
		parent *tree
		n      int
	}
	root := &tree{}
	count := 1
	var grow func(at *tree, depth int)
	grow = func(at *tree, depth int) {
		for range 5 {
			k := &tree{parent: at, n: count}
			count++
			at.kids = append(at.kids, k)
			if depth > 1 {
				grow(k, depth-1)
			}
		}
	}
	grow(root, 3) // 1 + 5 + 25 + 125 nodes
	s := newSet(t)
	p := planOf(t, s, root)
	c := p.Copy(root)
	if !bytes.Equal(p.Append(nil, root), p.Append(nil, c)) || !oracleEqual(root, c, allCount) {
		t.Error("the copy differs")
	}
	referred := 0
	p.References(c, func(unsafe.Pointer) { referred++ })
	if referred != 156+31 || count != 156 { // nodes, and the arrays behind kids
		t.Errorf("%d nodes and arrays, %d nodes", referred, count)
	}
	sameEncoding(t, s, true, root, c)
	root.kids[4].kids[4].kids[4].parent = root
	sameEncoding(t, s, false, root, c)
}

func TestMayShare(t *testing.T) {
	type leafNode struct{ n int }
	type rec struct{ next *rec }
	s := newSet(t)
	for _, c := range []struct {
		v    any
		want bool
	}{
		{1, false},
		{&struct {
			id    int
			peers []int
			names []string
			by    map[int]string
			leaf  *leafNode
		}{}, false},
		{struct{ a, b []int }{}, true},
		{struct{ a, b map[int]int }{}, true},
		{struct {
			a map[int]int
			b map[int]string
		}{}, false},
		{struct{ a, b *leafNode }{}, true},
		{[]*leafNode{}, true},
		{map[int][]int{}, true},
		{&rec{}, true},
		{struct{ v any }{}, true},
		{&struct {
			n int
			p *int
		}{}, true}, // p may point to n
		{struct {
			n int
			p *int
		}{}, false}, // the content of an interface has no address
		{&struct {
			a [4]int
			s []int
		}{}, true}, // s may be a part of a
		{&struct {
			n int
			s []int
		}{}, false}, // s can not
		{struct {
			a []leafNode
			n *int
		}{}, true},
		{struct {
			a []leafNode
			s []int
		}{}, false},
		{struct {
			a *[4]leafNode
			s []leafNode
		}{}, true},
		{struct{ a, b []struct{} }{}, false},
		{[1][]int{}, true}, // as if the array were longer
	} {
		if got := planOf(t, s, c.v).shares; got != c.want {
			t.Errorf("%T may share: %v", c.v, got)
		}
	}
}
