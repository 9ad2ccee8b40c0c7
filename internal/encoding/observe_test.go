package encoding

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
)

// observer records everything that code can find out about a value: by reflection, by ==, cap, re-slicing, errors.Is
// and errors.Unwrap, Location, and the relative position of memory.
type observer struct {
	b   strings.Builder
	met []piece
}

// known are variables of this package, or their targets.
var known = []unsafe.Pointer{
	wordOfError(errTwinA), wordOfError(errTwinB), wordOfError(errHeapA), wordOfError(errHeapB),
	unsafe.Pointer(markA), unsafe.Pointer(markB), unsafe.Pointer(&marks[0]), unsafe.Pointer(&marks[1]), unsafe.Pointer(made),
	unsafe.Pointer(&items[0]), unsafe.Pointer(&items[1]), unsafe.Pointer(&items[2]), unsafe.Pointer(&numbers[0]), unsafe.Pointer(&numbers[1]),
	unsafe.Pointer(time.Local), unsafe.Pointer(time.UTC), unsafe.Pointer(berlin),
	unsafe.Pointer(&pool[0]), unsafe.Pointer(&pool[1]), unsafe.Pointer(&pool[2]), unsafe.Pointer(&array[0]), unsafe.Pointer(&array[1]), unsafe.Pointer(&parts.B),
	unsafe.Pointer(crowd[3]), unsafe.Pointer(crowd[77]), unsafe.Pointer(chained.next), unsafe.Pointer(chained.next.mark), unsafe.Pointer(held()),
	unsafe.Pointer(large[199]), unsafe.Pointer(&huge[4000].mark), unsafe.Pointer(&huge[4001].mark), wordOfError(mapped["a"]), wordOfError(mapped["b"]),
	unsafe.Pointer(&huge[4001]), unsafe.Pointer(&huge[2]),
}

// mustConstants returns the constants without closures.
func mustConstants() *memory.Constants {
	c, err := memory.ConstantsOf(nil, false)
	if err != nil {
		panic(err)
	}
	return c
}

func wordOfError(err error) unsafe.Pointer {
	v := any(err)
	return (*memory.Interface)(unsafe.Pointer(&v)).Data
}

func observe(v any) string {
	var o observer
	o.value(addressable(v))
	o.overlaps()
	return o.b.String()
}

func (o *observer) note(format string, args ...any) { fmt.Fprintf(&o.b, format, args...) }

// memory records the number of a piece of memory and whether it is a known variable. first means that it was not
// visited before.
func (o *observer) memory(at unsafe.Pointer, size uintptr, kind string) (first bool) {
	if i := slices.Index(known, at); i >= 0 {
		o.note("known%d ", i)
	}
	r := ref{at: uintptr(at), len: int(size)}
	for i, p := range o.met {
		if p.ref == r && p.size == size && p.spare == (kind == "map") {
			o.note("again%d ", i)
			return false
		}
	}
	o.met = append(o.met, piece{at: uintptr(at), size: size, spare: kind == "map", ref: r})
	return true
}

// overlaps records overlapping memory and its offsets.
func (o *observer) overlaps() {
	for i, a := range o.met {
		for j, b := range o.met[:i] {
			if !a.spare && !b.spare && a.at < b.at+b.size && b.at < a.at+a.size {
				o.note("%d lies %d from %d ", i, int64(a.at)-int64(b.at), j)
			}
		}
	}
}

func (o *observer) value(v reflect.Value) {
	if v.CanAddr() {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // unexported fields, too
	}
	switch t := v.Type(); {
	case t == instantType:
		o.time(v.Interface().(time.Time))
		return
	case t == reflect.PointerTo(locationType):
		o.zone(v.Interface().(*time.Location))
		return
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		o.note("%x ", math.Float64bits(v.Float()))
	case reflect.Interface:
		if v.IsNil() {
			o.note("nil ")
			return
		}
		o.note("%v ", v.Elem().Type())
		if err, ok := v.Interface().(error); ok {
			o.note("%s is %v %v ", err, errors.Is(err, errTwinA), errors.Is(err, errHeapB))
		}
		inner := reflect.New(v.Elem().Type()).Elem()
		inner.Set(v.Elem())
		o.value(inner)
	case reflect.Pointer:
		if v.IsNil() {
			o.note("nil ")
			return
		}
		o.note("& ")
		if size := v.Type().Elem().Size(); size == 0 || o.memory(v.UnsafePointer(), size, "") {
			o.value(v.Elem())
		}
	case reflect.Slice:
		o.note("%v %d %d ", v.IsNil(), v.Len(), v.Cap())
		if size := v.Type().Elem().Size(); size > 0 && v.Cap() > 0 && !o.memory(v.UnsafePointer(), size*uintptr(v.Cap()), "") {
			return
		}
		for v, i := v.Slice(0, v.Cap()), 0; i < v.Len(); i++ {
			o.value(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			o.value(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				o.value(v.Field(i))
			}
		}
	case reflect.Map:
		o.note("%v %d ", v.IsNil(), v.Len())
		if v.IsNil() || !o.memory(v.UnsafePointer(), 8, "map") {
			return
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, k := range keys {
			o.note("%v: ", k)
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(k))
			o.value(elem)
		}
	default:
		o.note("%v ", v)
	}
}

func (o *observer) time(t time.Time) {
	o.note("%s %d ", t, t.UnixNano())
	for _, month := range []time.Month{1, 7} {
		o.note("%v ", time.Date(1990, month, 1, 0, 0, 0, 0, t.Location()).Unix())
	}
	zone := t.Location()
	if zone == time.UTC {
		zone = nil // as it is stored
	}
	o.zone(zone)
}

func (o *observer) zone(zone *time.Location) {
	if zone == nil {
		o.note("utc ")
		return
	}
	o.memory(unsafe.Pointer(zone), 1, "map")
	o.note("%s %v ", zone, time.Date(2000, 7, 1, 0, 0, 0, 0, zone).Unix())
}

// changeable lists the memory through which v could be changed.
func changeable(v any) []uintptr {
	var all []uintptr
	seen := map[ref]bool{}
	var walk func(v reflect.Value)
	joined := reflect.TypeOf(errors.Join(errTwinA)).Elem() // nothing changes the result of Unwrap
	walk = func(v reflect.Value) {
		if v.Kind() >= reflect.Map && v.Kind() <= reflect.Slice && v.Kind() != reflect.String {
			if v.IsNil() || v.Kind() == reflect.Pointer && (v.Type().Elem() == locationType || v.Type().Elem().Size() == 0) ||
				v.Kind() == reflect.Slice && (v.Cap() == 0 || v.Type().Elem().Size() == 0) ||
				slices.Contains(known, v.UnsafePointer()) || mustConstants().Has(v.UnsafePointer()) {
				return
			}
			r := ref{at: v.Pointer(), typ: v.Type()}
			if seen[r] {
				return
			}
			seen[r] = true
			if v.Kind() != reflect.Pointer || !libraryError(v.Type()) {
				all = append(all, v.Pointer())
			}
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type() == joined {
					for j := range v.Field(i).Len() {
						walk(v.Field(i).Index(j))
					}
					continue
				}
				walk(v.Field(i))
			}
		case reflect.Map:
			for it := v.MapRange(); it.Next(); {
				walk(it.Value())
			}
		}
	}
	walk(reflect.ValueOf(v))
	return all
}
