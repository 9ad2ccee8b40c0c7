//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/encoding/typeinfo"
	"github.com/macemc/macemc/macetime"
)

// name is the head of an encoding: length and name of the type.
func name(s string) string { return string(rune(len(s))) + s }

const here = "github.com/macemc/macemc/internal/encoding."

func TestExactEncodings(t *testing.T) {
	type small struct {
		A int
		B bool
		C string
		D []uint16
	}
	type ints struct {
		I8  int8
		I16 int16
		I32 int32
		U   uint
		U32 uint32
		P   uintptr
	}
	type list struct {
		N    int
		Next *list
	}
	loop := &list{N: 5}
	loop.Next = &list{6, loop}
	array := []int{1, 2, 3, 4}
	for _, c := range []struct {
		v    any
		want string // after the head
		head string
	}{
		{nil, "", "\x00"},
		{7, "0e", name("int")},
		{-7, "0d", name("int")},
		{64, "8001", name("int")}, // zig-zag 128
		{"ab", "026162", name("string")},
		{Ping{1}, "02", name(here + "Ping")},
		{&Ping{1}, "01" + "02", name("*" + here + "Ping")}, // a pointer, its target
		{(*Ping)(nil), "00", name("*" + here + "Ping")},
		{small{-1, true, "x", []uint16{1, 200}}, "01" + "01" + "0178" + "08" + "01" + "c801", name(here + "small")},
		{ints{-1, -1, 1, 3, 300, 5}, "ff" + "01" + "02" + "03" + "ac02" + "05", name(here + "ints")},
		{[]string{"", "b"}, "08" + "00" + "0162", name("[]string")},
		{[]byte{1, 2}, "08" + "0102", name("[]uint8")},
		// Two elements, room for three, and the memory there.
		{[]byte{1, 2, 3}[:2], "0a" + "03" + "010203", name("[]uint8")},
		{[]byte{}, "00", name("[]uint8")},
		{[]byte(nil), "01", name("[]uint8")},
		{map[int]int{}, "00", name("map[int]int")},
		{map[int]int(nil), "01", name("map[int]int")},
		{map[int]string{3: "c", -1: "a"}, "04" + "01" + "0161" + "06" + "0163", name("map[int]string")},
		{map[string]bool{"b": true, "a": false}, "04" + "0161" + "00" + "0162" + "01", name("map[string]bool")},
		{map[uint8]struct{}{200: {}, 3: {}}, "04" + "03" + "c801", name("map[uint8]struct{}")},
		{map[bool]int8{true: -1}, "02" + "01" + "ff", name("map[bool]int8")},
		// By the bytes of the key's encoding: 1 is 02, -1 is 01.
		{map[[1]int]int{{1}: 1, {-1}: 2}, "04" + "01" + "04" + "02" + "02", name("map[[1]int]int")},
		{1.5, "000000000000f83f", name("float64")},
		{float32(1.5), "0000c03f", name("float32")},
		{math.Float64frombits(0xfff8000000000123), "230100000000f8ff", name("float64")},
		{complex64(1), "0000803f" + "00000000", name("complex64")},
		// The type of an interface's content, then the content; the last byte says that nothing overlaps.
		{[]any{nil, true}, "08" + "00" + "04626f6f6c" + "01" + "00", name("[]interface {}")},
		// The second pointer to the first element refers back to position 0 by 3.
		{loop, "01" + "0a" + "01" + "0c" + "03" + "00", name("*" + here + "list")},
		// Two slices of one array: after the content one group of two: at position 1 and 0 bytes further
		// with room for 4, at position 7 and 16 bytes further (zig-zag 32) with room for 2.
		{[][]int{array[:2], array[2:]}, "08" + "0a04" + "02040608" + "08" + "0608" + "01" + "02" + "010004" + "072002", name("[][]int")},
		// The same slice twice refers back to position 1 by 2*1+5.
		{[][]int{array, array}, "08" + "10" + "02040608" + "07" + "00", name("[][]int")},
	} {
		enc := encode(t, newSet(t), c.v)
		if got, want := string(enc), c.head+unhex(c.want); got != want {
			t.Errorf("%T %v:\n got  %q\n want %q", c.v, c.v, got, want)
		}
	}
}

func unhex(s string) string {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestTimes(t *testing.T) {
	var clock macetime.Model
	clock.Reset(0)
	t1, t2 := clock.Now(), clock.Now()
	type state struct {
		a, b, c macetime.Time
		m       macetime.MonotoneTime
	}
	s := newSet(t)
	p := planOf(t, s, state{})
	var e Encoder
	add := func(v any, want string) {
		t.Helper()
		e.Reset()
		e.Add(p, v)
		if got := string(e.Bytes()[len(name(here+"state")):]); got != unhex(want) {
			t.Errorf("got %x, want %s", got, want)
		}
	}
	add(state{t2, t1, t2, macetime.MonotoneTime{}}, "01"+"02"+"01"+"0000")
	if !slices.Equal(e.Times(), []macetime.Time{t2, t1}) {
		t.Errorf("times %v", e.Times())
	}
	add(state{t1, macetime.Time{}, t1.Add(time.Second), macetime.MonotoneTime{Node: 1, Count: 9}}, "01"+"00"+"02"+"0209")
	if !slices.Equal(e.Times(), []macetime.Time{t1, t1.Add(time.Second)}) {
		t.Errorf("times %v", e.Times())
	}
	// A second value continues the list.
	e.Add(p, state{a: t2, b: t1})
	if got := string(e.Bytes()); !strings.HasSuffix(got, "\x03\x01\x00\x00\x00") || len(e.Times()) != 3 {
		t.Errorf("got %q and %d times", got, len(e.Times()))
	}
	// Without an encoder every value begins with an empty list.
	sameEncoding(t, s, true, state{a: t1, b: t2}, state{a: t2, b: t1})
	if got := p.Text(state{a: t2, b: t1, c: t2}); got != "state{a:t1 b:t2 c:t1 m:{Node:0 Count:0}}" {
		t.Errorf("text %s", got)
	}
	if got := p.Text(state{}); got != "state{a:t0 b:t0 c:t0 m:{Node:0 Count:0}}" {
		t.Errorf("text %s", got)
	}
	if !p.Flat() {
		t.Error("times are not flat")
	}
}

func TestOrdinaryLibraryTypes(t *testing.T) {
	type state struct {
		at   time.Time
		wait time.Duration
		addr netip.Addr
		mu   sync.Mutex
		once sync.Once
		err  error
		by   map[netip.Addr]int
	}
	s := newSet(t)
	sentinel := errors.New("sentinel")
	v := &state{
		at: time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC), addr: netip.MustParseAddr("fe80::1%eth0"), err: sentinel,
		by: map[netip.Addr]int{netip.MustParseAddr("10.0.0.1"): 1, netip.MustParseAddr("::1"): 2},
	}
	c := planOf(t, s, v).Copy(v).(*state)
	if !c.at.Equal(v.at) || c.addr != v.addr || c.err != sentinel || c.by[netip.MustParseAddr("::1")] != 2 {
		t.Errorf("copied to %v", c)
	}
	sameEncoding(t, s, true, v, c)
	now := time.Now() // with a monotonic reading, which String shows
	sameEncoding(t, s, false, &state{at: now}, &state{at: now.Round(0)})
	sameEncoding(t, s, false, &state{at: now}, &state{at: now.Add(1)})
	sameEncoding(t, s, false, &state{at: now.UTC()}, &state{at: now.In(time.FixedZone("X", 60))})
	sameEncoding(t, s, false, &state{addr: netip.MustParseAddr("fe80::1%a")}, &state{addr: netip.MustParseAddr("fe80::1%b")})
	sameEncoding(t, s, false, &state{err: io.EOF}, &state{err: sentinel})
	locked := &state{}
	locked.mu.Lock()
	sameEncoding(t, s, false, &state{}, locked)
}

func TestEncoderAddsUp(t *testing.T) {
	s := newSet(t)
	var e Encoder
	var want []byte
	for _, v := range []any{1, nil, newBenchRef(), Ping{2}, build([]byte("12345"))} {
		e.Add(planOf(t, s, v), v)
		want = planOf(t, s, v).Append(want, v)
	}
	if !bytes.Equal(e.Bytes(), want) {
		t.Errorf("got  %q\nwant %q", e.Bytes(), want)
	}
}

func TestEncoding_AllocatesNothing(t *testing.T) {
	s := newSet(t)
	array := []int{1, 2, 3, 4}
	overlapping := [][]int{array[:2], {5}, array[1:]}
	for _, v := range []any{Ping{1}, newBenchState(), newBenchRef(), map[any]int{1: 1, "a": 2, [2]int{1, 2}: 3}, overlapping} {
		var e Encoder
		p := planOf(t, s, v)
		if n := testing.AllocsPerRun(100, func() {
			e.Reset()
			e.Add(p, v)
			if q, _ := s.Of(v); q != p {
				t.Error("another plan")
			}
			Hash(1, e.Bytes())
		}); n != 0 {
			t.Errorf("%T: %v allocations", v, n)
		}
	}
}

func TestPlans_Kept(t *testing.T) {
	s := newSet(t)
	var all []*Plan
	values := []any{nil, 1, "", true, 1.5, Ping{}, &Ping{}, []int{}, map[int]int{}, int8(1), uint(1), [3]int{}, struct{}{}}
	for range 3 {
		for i, v := range values {
			p := planOf(t, s, v)
			if len(all) <= i {
				all = append(all, p)
			}
			if all[i] != p {
				t.Errorf("%T has two plans", v)
			}
		}
	}
}

func TestFlat(t *testing.T) {
	s := newSet(t)
	for _, c := range []struct {
		v    any
		want bool
	}{
		{nil, true}, {1, true}, {"s", true}, {Ping{}, true}, {[2]Ping{}, true}, {time.Time{}, true}, {celsius{}, true},
		{netip.Addr{}, true}, {struct{}{}, true},
		{&Ping{}, false}, {[]int(nil), false}, {map[int]int(nil), false}, {struct{ v any }{}, false}, {[1]*int{}, false},
	} {
		if got := planOf(t, s, c.v).Flat(); got != c.want {
			t.Errorf("%T is flat: %v", c.v, got)
		}
	}
}

func TestStableTypeNames(t *testing.T) {
	type generic = box[map[nodeID]*Ping]
	for _, c := range []struct {
		v           any
		full, short string
	}{
		{1, "int", "int"},
		{&Ping{}, "*" + here + "Ping", "*Ping"},
		{[]map[nodeID][3]*Ping{}, "[]map[" + here + "nodeID][3]*" + here + "Ping", "[]map[nodeID][3]*Ping"},
		{generic{}, here + "box[map[" + here + "nodeID]*" + here + "Ping]", "box[map[nodeID]*Ping]"},
		{struct {
			A int `x:"y"`
			b Ping
			Ping
		}{}, `struct{ A int "x:\"y\"";github.com/macemc/macemc/internal/encoding b ` + here + `Ping;^ Ping ` + here + `Ping}`,
			`struct { A int "x:\"y\""; b Ping; Ping }`},
		{time.Second, "time.Duration", "Duration"},
	} {
		p := planOf(t, newSet(t), c.v)
		if got := typeinfo.Name(p.Type()); got != c.full {
			t.Errorf("got %s, want %s", got, c.full)
		}
		if got := typeinfo.Short(p.Type()); got != c.short {
			t.Errorf("got %s, want %s", got, c.short)
		}
	}
}

type box[T any] struct{ v T }

func TestHash(t *testing.T) {
	// The first half with seed 0 is plain xxh64, with a published value for empty input.
	if got := Hash(0, nil).Hi; got != 0xef46db3751d8e999 {
		t.Errorf("got %x", got)
	}
	a, b := Hash(1, []byte("abc")), Hash(2, []byte("abc"))
	if a == b || a.Hi == a.Lo || a != Hash(1, []byte("abc")) || a == Hash(1, []byte("abd")) {
		t.Error("hashes do not tell apart what they should")
	}
	if a.Add(b).Sub(b) != a || a.Add(b) != b.Add(a) {
		t.Error("sums cannot be taken apart")
	}
}
