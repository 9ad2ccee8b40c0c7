//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

var (
	berlin  = time.FixedZone("Berlin", 3600)
	numbers [2]int
)

type (
	view   map[string]*marker // the types of leaves by other names
	index  map[string]int
	twin   marker
	number int
	tree   struct {
		Left, Right *tree
		Up          *tree
		N           int8
	}
	embedding struct {
		sync.Mutex
		*marker
		tree
		box[*marker]
		hidden any
		count  atomic.Int32
		_      [3]byte
	}
)

// leaves are the types that random types are made of.
var leaves = []reflect.Type{
	reflect.TypeFor[int8](), reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[time.Time](), reflect.TypeFor[*time.Location](),
	reflect.TypeFor[*marker](), reflect.TypeFor[*int](), reflect.TypeFor[[]int](), reflect.TypeFor[*tree](), reflect.TypeFor[embedding](),
	reflect.TypeFor[box[[]int8]](), reflect.TypeFor[big.Int](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[sync.RWMutex](),
	reflect.TypeFor[atomic.Uint64](), reflect.TypeFor[map[string]*marker](),
	reflect.TypeFor[view](), reflect.TypeFor[*twin](), reflect.TypeFor[*number](),
}

// randomType makes a type from a tape.
func randomType(t *tape, depth int) reflect.Type {
	if depth == 0 {
		return leaves[t.next(len(leaves))]
	}
	switch t.next(8) {
	case 0:
		return reflect.PointerTo(randomType(t, depth-1))
	case 1:
		return reflect.SliceOf(randomType(t, depth-1))
	case 2:
		return reflect.ArrayOf(t.next(3), randomType(t, depth-1))
	case 3:
		return reflect.MapOf([]reflect.Type{leaves[0], leaves[1], reflect.TypeFor[pair]()}[t.next(3)], randomType(t, depth-1))
	case 4, 5, 6:
		fields := make([]reflect.StructField, 1+t.next(4))
		for i := range fields {
			fields[i] = reflect.StructField{Name: "F" + string(rune('A'+i)), Type: randomType(t, depth-1)}
		}
		return reflect.StructOf(fields)
	}
	return leaves[t.next(len(leaves))]
}

// maker fills values from a tape. It sometimes reuses what it has made, in whole or in part.
type maker struct {
	*tape
	pool  map[reflect.Type][]reflect.Value // by class
	types []reflect.Type                   // the first of each class
	zones []*time.Location
	depth int
}

func randomValue(typ reflect.Type, bytes []byte) any {
	m := maker{tape: &tape{bytes: bytes}, pool: map[reflect.Type][]reflect.Value{},
		zones: []*time.Location{nil, time.Local, berlin, time.FixedZone("Berlin", 3600), time.FixedZone("Berlin", 7200), time.FixedZone("", 3600), time.FixedZone("", 1800)}}
	root := reflect.New(typ)
	m.pool[m.class(typ)] = []reflect.Value{root.Elem()}
	m.fill(root.Elem())
	return root.Interface()
}

func (m *maker) fill(v reflect.Value) {
	m.depth++
	defer func() { m.depth-- }()
	if v.CanAddr() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	t := v.Type()
	switch t {
	case instantType:
		if at := time.Unix(int64(m.next(3)), 0).UTC(); m.next(4) > 0 {
			zone := m.zones[m.next(len(m.zones))]
			if v.Set(reflect.ValueOf(at)); zone != nil {
				v.Set(reflect.ValueOf(at.In(zone)))
			}
		}
		return
	case reflect.PointerTo(locationType):
		v.Set(reflect.ValueOf(m.zones[m.next(len(m.zones))]))
		return
	case reflect.TypeFor[error]():
		v.Set(reflect.ValueOf([]any{errTwinA, errTwinB, errHeapA, errHeapB, errors.New("twin"), fmt.Errorf("heap %w", errTwinA), fmt.Errorf("heap %w", errors.New("twin")),
			errors.Join(errTwinA, errTwinB), &hookError{1}, fmt.Errorf("own %w", &hookError{1}), errors.Join(errTwinA, &hookError{1}),
			mapped["a"], mapped["b"], errors.New("mapped")}[m.next(14)]))
		return
	case reflect.TypeFor[big.Int]():
		v.Addr().Interface().(*big.Int).Lsh(big.NewInt(int64(m.int())), uint(64*m.next(3)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(m.next(2) == 1)
	case reflect.String:
		v.SetString(m.text())
	case reflect.Float64:
		v.SetFloat(m.float())
	case reflect.Struct:
		for i := range v.NumField() {
			if t.Field(i).Name != "_" {
				m.fill(v.Field(i))
				if f := v.Field(i); t.Name() == "" && f.CanAddr() && f.CanSet() {
					m.pool[m.class(f.Type())] = append(m.pool[m.class(f.Type())], f)
				}
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			m.fill(v.Index(i))
		}
	case reflect.Interface:
		if inner := []reflect.Type{nil, leaves[0], leaves[1], leaves[9], leaves[10], leaves[11], leaves[13], leaves[7]}[m.next(8)]; inner != nil && m.depth < 12 {
			made := reflect.New(inner).Elem()
			m.fill(made)
			v.Set(made)
		}
	case reflect.Pointer:
		m.pointer(v)
	case reflect.Slice:
		m.slice(v)
	case reflect.Map:
		if again := m.pool[m.class(t)]; len(again) > 0 && m.next(3) == 1 {
			v.Set(again[m.next(len(again))].Convert(t))
			return
		}
		if m.next(4) == 0 {
			return
		}
		v.Set(reflect.MakeMap(t))
		for range m.next(3) {
			key, elem := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			m.fill(key)
			m.fill(elem)
			v.SetMapIndex(key, elem)
		}
		m.keep(v)
	default:
		if v.CanInt() {
			v.SetInt(int64(m.next(3)))
		} else {
			v.SetUint(uint64(m.next(3)))
		}
	}
}

// class returns the first type seen among those with mutually convertible pointers.
func (m *maker) class(t reflect.Type) reflect.Type {
	for _, c := range m.types {
		if reflect.PointerTo(c).ConvertibleTo(reflect.PointerTo(t)) {
			return c
		}
	}
	m.types = append(m.types, t)
	return t
}

// keep puts a copy of a pointer, slice or map into the pool.
func (m *maker) keep(v reflect.Value) {
	kept := reflect.New(v.Type()).Elem()
	kept.Set(v)
	class := m.class(v.Type())
	m.pool[class] = append(m.pool[class], kept)
}

func (m *maker) pointer(v reflect.Value) {
	t := v.Type()
	class := m.class(t.Elem())
	again := m.pool[class] // variables
	switch choice := m.next(8); {
	case choice == 0 || m.depth > 12:
		return
	case choice < 4 && len(again) > 0:
		v.Set(again[m.next(len(again))].Addr().Convert(t))
		return
	case choice < 5 && t == leaves[9]:
		v.Set(reflect.ValueOf([]*marker{markA, markB, &marks[0], &marks[1], made, nested.inner, &array[0], &array[1], &parts.B,
			crowd[3], crowd[77], chained.next.mark, held(), large[199], &huge[4000].mark, &huge[4001].mark}[m.next(16)]))
		return
	case choice < 5 && t == leaves[10]:
		v.Set(reflect.ValueOf([]*int{&numbers[0], &numbers[1], &items[1], &pool[0], &pool[1], &pool[2]}[m.next(6)]))
		return
	}
	v.Set(reflect.New(t.Elem()))
	m.pool[class] = append(again, v.Elem())
	m.fill(v.Elem())
}

func (m *maker) slice(v reflect.Value) {
	t := v.Type()
	again := m.pool[m.class(t)]
	switch choice := m.next(8); {
	case choice == 0 || m.depth > 12:
		return
	case choice < 3 && len(again) > 0:
		s := again[m.next(len(again))].Convert(t)
		from := m.next(s.Len() + 1)
		to := from + m.next(s.Len()-from+1)
		v.Set(s.Slice3(from, to, to+m.next(s.Cap()-to+1)))
		return
	case choice < 4 && t == leaves[11]:
		v.Set(reflect.ValueOf([][]int{items, pool, pool[1:], pool[2:]}[m.next(4)][:1+m.next(3)]))
		return
	}
	n := m.next(4)
	made := reflect.MakeSlice(t, n, n)
	for i := range n {
		m.fill(made.Index(i))
		class := m.class(t.Elem())
		m.pool[class] = append(m.pool[class], made.Index(i))
	}
	v.Set(made.Slice(0, m.next(n+1)))
	m.keep(made)
}
