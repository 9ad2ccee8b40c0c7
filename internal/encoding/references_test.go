package encoding

import (
	"errors"
	"reflect"
	"testing"
	"time"
	"unsafe"
)

// refers has one reference of each kind that counts, and some that do not.
type refers struct {
	one    *int
	same   *int
	list   []int
	part   []int
	table  map[string]*int
	any    any
	err    error
	at     time.Time
	zone   *time.Location
	self   *refers
	array  [2]*int
	text   string
	none   *struct{}
	left   *int `macemc:"-"`
	const1 *marker
	const2 error
	empty  []int
}

func TestReferences(t *testing.T) {
	zone := time.FixedZone("x", 1)
	v := &refers{one: new(int), list: make([]int, 3), table: map[string]*int{"a": new(int)}, any: new(string), err: errors.New("x"),
		at: time.Now().In(zone), zone: zone, array: [2]*int{new(int), nil}, text: "text", none: &struct{}{}, left: new(int),
		const1: markA, const2: errTwinA, empty: []int{}}
	v.same, v.part, v.self = v.one, v.list[1:], v
	s := newSet(t)
	got := map[unsafe.Pointer]int{}
	planOf(t, s, v).References(v, func(at unsafe.Pointer) { got[at]++ })
	want := []unsafe.Pointer{unsafe.Pointer(v), unsafe.Pointer(v.one), unsafe.Pointer(&v.list[0]), unsafe.Pointer(&v.part[0]),
		reflect.ValueOf(v.table).UnsafePointer(), unsafe.Pointer(v.table["a"]), unsafe.Pointer(v.any.(*string)),
		reflect.ValueOf(v.err).UnsafePointer(), unsafe.Pointer(zone), unsafe.Pointer(v.array[0])}
	for i, at := range want {
		if got[at] != 1 {
			t.Errorf("reference %d was told of %d times", i, got[at])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d references, want %d", len(got), len(want))
	}
	planOf(t, s, nil).References(nil, func(unsafe.Pointer) { t.Error("nil refers to something") })
}
