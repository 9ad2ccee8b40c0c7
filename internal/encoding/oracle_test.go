package encoding

import (
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// The oracle decides equality and disjointness in the slow and obvious way, by package reflect alone.

// oracle compares two values: they must have the same content and, by a bijection between their references, the same
// sharing.
type oracle struct {
	counts
	to   map[ref]ref // from the left value to the right one
	from map[ref]ref
	// Pieces of memory in the order of the comparison.
	left, right []piece
}

// ref is the identity of a pointer, slice or map.
type ref struct {
	at       uintptr
	typ      reflect.Type
	len, cap int
}

type piece struct {
	at, size uintptr
	spare    bool // of a slice: it has room behind its elements
	again    bool
	ref      ref
}

// counts defines which differences count.
type counts struct {
	nils  bool // whether an empty slice or map is nil
	spare bool // capacity, and the memory beyond the length
	bits  bool // of a NaN
}

var allCount = counts{true, true, true}

func encodedBy(s *Set) counts {
	return counts{!s.rules.Loose, !s.rules.Loose, true}
}

func oracleEqual(a, b any, by counts) bool {
	o := oracle{counts: by, to: map[ref]ref{}, from: map[ref]ref{}}
	return o.equal(addressable(a), addressable(b)) && o.sameOverlaps()
}

func addressable(v any) reflect.Value {
	p := reflect.New(reflect.TypeFor[any]()).Elem()
	if v != nil {
		p.Set(reflect.ValueOf(v))
	}
	return p
}

// bind records that two references correspond. first means that this is new; ok means that it contradicts no other one.
func (o *oracle) bind(a, b ref, sizeA, sizeB uintptr) (first, ok bool) {
	ta, seenA := o.to[a]
	tb, seenB := o.from[b]
	if seenA || seenB {
		for i := range o.left {
			if o.left[i].ref == a {
				o.left[i].again, o.right[i].again = true, true
			}
		}
		return false, seenA && seenB && ta == b && tb == a
	}
	o.to[a], o.from[b] = b, a
	o.left = append(o.left, piece{a.at, sizeA, a.cap > a.len, false, a})
	o.right = append(o.right, piece{b.at, sizeB, b.cap > b.len, false, b})
	return true, true
}

func (o *oracle) equal(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.String:
		return a.String() == b.String()
	case reflect.Float32, reflect.Float64:
		return o.sameFloat(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		return o.sameFloat(real(a.Complex()), real(b.Complex())) && o.sameFloat(imag(a.Complex()), imag(b.Complex()))
	case reflect.Interface:
		return o.equal(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if f.Name != "_" && f.Tag.Get("macemc") != "-" && !o.equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !o.equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		size := a.Type().Elem().Size()
		if size > 0 {
			ra := ref{a.Pointer(), a.Type().Elem(), 1, -1}
			rb := ref{b.Pointer(), b.Type().Elem(), 1, -1}
			if first, ok := o.bind(ra, rb, size, size); !first {
				return ok
			}
		}
		return o.equal(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() || o.nils && a.IsNil() != b.IsNil() || o.spare && a.Cap() != b.Cap() {
			return false
		}
		size := a.Type().Elem().Size()
		if size > 0 && (a.Cap() > 0 || b.Cap() > 0) {
			if a.Cap() == 0 || b.Cap() == 0 {
				// Empty, and only one has memory behind it, which has no counterpart unless it is shared.
				return o.lone(a, b, size)
			}
			ra := ref{a.Pointer(), a.Type().Elem(), a.Len(), a.Cap()}
			rb := ref{b.Pointer(), b.Type().Elem(), b.Len(), b.Cap()}
			if first, ok := o.bind(ra, rb, uintptr(a.Cap())*size, uintptr(b.Cap())*size); !first {
				return ok
			}
		}
		if o.spare {
			a, b = a.Slice(0, a.Cap()), b.Slice(0, b.Cap())
		}
		for i := range a.Len() {
			if !o.equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() || o.nils && a.IsNil() != b.IsNil() {
			return false
		}
		if a.IsNil() || b.IsNil() {
			if a.IsNil() && b.IsNil() {
				return true
			}
			return o.lone(a, b, 0)
		}
		ra, rb := ref{a.Pointer(), a.Type(), 0, -2}, ref{b.Pointer(), b.Type(), 0, -2}
		if first, ok := o.bind(ra, rb, 0, 0); !first {
			return ok
		}
		for _, k := range a.MapKeys() {
			va, vb := a.MapIndex(k), b.MapIndex(k)
			if !vb.IsValid() || !o.equal(va, vb) {
				return false
			}
		}
		return true
	}
	if a.CanInt() {
		return a.Int() == b.Int()
	}
	return a.Uint() == b.Uint()
}

// lone handles an empty slice or map on one side if the other side has nil or no memory. It must be visited only once
// and overlap nothing.
func (o *oracle) lone(a, b reflect.Value, size uintptr) bool {
	side := func(v reflect.Value, seen map[ref]ref, list *[]piece) bool {
		r := ref{v.Pointer(), v.Type(), 0, -2}
		if v.Kind() == reflect.Slice {
			r = ref{v.Pointer(), v.Type().Elem(), v.Len(), v.Cap()}
			if v.Cap() == 0 {
				*list = append(*list, piece{})
				return true
			}
		} else if v.IsNil() {
			*list = append(*list, piece{})
			return true
		}
		if _, ok := seen[r]; ok {
			return false
		}
		seen[r] = ref{} // corresponds to nothing
		p := piece{at: r.at}
		if v.Kind() == reflect.Slice {
			p.size = uintptr(v.Cap()) * size
		}
		*list = append(*list, p)
		return true
	}
	return side(a, o.to, &o.left) && side(b, o.from, &o.right)
}

func (o *oracle) sameOverlaps() bool {
	overlap := func(p, q piece) bool { return p.at < q.at+q.size && q.at < p.at+p.size }
	// Overlap is transitive here: such memory belongs together.
	group := func(ps []piece) []int {
		g := make([]int, len(ps))
		for i := range g {
			g[i] = i
		}
		for range ps {
			for i := range ps {
				for j := range ps {
					if overlap(ps[i], ps[j]) {
						g[i] = min(g[i], g[j])
						g[j] = g[i]
					}
				}
			}
		}
		return g
	}
	ga, gb := group(o.left), group(o.right)
	if !slices.Equal(ga, gb) {
		return false
	}
	alone := func(g []int, i int) bool {
		for j := range g {
			if j != i && g[j] == g[i] {
				return false
			}
		}
		return true
	}
	for i, g := range ga {
		if g != i && o.left[i].at-o.left[g].at != o.right[i].at-o.right[g].at {
			return false
		}
		// The capacity counts only if memory is shared.
		shared := !alone(ga, i) || o.left[i].again && (o.left[i].spare || o.right[i].spare)
		if shared && o.left[i].size != o.right[i].size {
			return false
		}
	}
	return true
}

func (o *oracle) sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || !o.bits && a != a && b != b
}

// memoryOf returns all changeable memory that v refers to.
func memoryOf(v any) []piece {
	var all []piece
	seen := map[ref]bool{}
	var walk func(v reflect.Value)
	note := func(r ref, size uintptr) bool {
		if seen[r] {
			return false
		}
		seen[r] = true
		all = append(all, piece{at: r.at, size: size})
		return true
	}
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Pointer:
			if !v.IsNil() && note(ref{v.Pointer(), v.Type(), 1, -1}, v.Type().Elem().Size()) {
				walk(v.Elem())
			}
		case reflect.Slice:
			if note(ref{v.Pointer(), v.Type(), v.Len(), v.Cap()}, uintptr(v.Cap())*v.Type().Elem().Size()) {
				v = v.Slice(0, v.Cap())
				for i := range v.Len() {
					walk(v.Index(i))
				}
			}
		case reflect.Map:
			if !v.IsNil() && note(ref{v.Pointer(), v.Type(), 0, -2}, 1) {
				for it := v.MapRange(); it.Next(); {
					walk(it.Value())
				}
			}
		}
	}
	walk(reflect.ValueOf(v))
	return all
}

// scramble changes everything that can be changed through v: every number and string, every map, and the spare
// capacity of slices.
func scramble(v any) {
	seen := map[ref]bool{}
	var walk func(v reflect.Value)
	open := func(v reflect.Value) reflect.Value { // also unexported fields
		return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	walk = func(v reflect.Value) {
		if v.CanAddr() {
			v = open(v)
		}
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.CanAddr() || v.Field(i).Kind() >= reflect.Interface && v.Field(i).Kind() != reflect.String {
					walk(v.Field(i))
				}
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Pointer:
			r := ref{v.Pointer(), v.Type(), 1, -1}
			if !v.IsNil() && !seen[r] {
				seen[r] = true
				walk(v.Elem())
			}
		case reflect.Slice:
			r := ref{v.Pointer(), v.Type(), v.Len(), v.Cap()}
			if seen[r] {
				return
			}
			seen[r] = true
			for i := range v.Len() {
				walk(v.Index(i))
			}
			for i := v.Len(); i < v.Cap(); i++ {
				open(v.Slice(0, v.Cap()).Index(i)).SetZero()
			}
		case reflect.Map:
			r := ref{v.Pointer(), v.Type(), 0, -2}
			if v.IsNil() || seen[r] {
				return
			}
			seen[r] = true
			for it := v.MapRange(); it.Next(); {
				walk(it.Value())
			}
			if v.CanInterface() {
				v.Clear()
				v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
			}
		default:
			if !v.CanSet() {
				return
			}
			switch {
			case v.CanInt():
				v.SetInt(v.Int() + 1)
			case v.CanUint():
				v.SetUint(v.Uint() + 1)
			case v.CanFloat():
				v.SetFloat(17.25)
			case v.CanComplex():
				v.SetComplex(17.25)
			case v.Kind() == reflect.String:
				v.SetString(v.String() + "x")
			case v.Kind() == reflect.Bool:
				v.SetBool(!v.Bool())
			}
		}
	}
	walk(reflect.ValueOf(v))
}
