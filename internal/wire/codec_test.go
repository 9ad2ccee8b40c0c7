package wire_test

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

type (
	plain struct {
		Node  sim.NodeID
		Small int8
		Flag  bool
		Name  string
		Raw   []byte
		hid   uint32
		Real  float64
	}
	deep struct {
		Next  *deep
		Body  any
		Map   map[string][]plain
		Pair  [2]int
		Empty []struct{}
		At    time.Time
	}
	empty struct{}
	bad   struct {
		Fine int
		In   []struct{ f func() }
	}
	timed struct{ At macetime.Time }
)

func codec(t testing.TB) *wire.Types {
	c, err := wire.NewTypes(plain{}, deep{}, &deep{}, empty{}, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRoundTrip(t *testing.T) {
	c := codec(t)
	p := plain{-3, math.MinInt8, true, "ä\x00", []byte{0, 1}, 7, math.Inf(-1)}
	for _, msg := range []any{
		nil, 5, "", empty{}, p,
		deep{Next: &deep{Body: p}, Body: deep{Body: "x"}, Map: map[string][]plain{"b": {p}, "a": nil}, Pair: [2]int{1, -1},
			Empty: make([]struct{}, 3), At: time.Unix(5, 6).UTC()},
		&deep{Body: &deep{}},
	} {
		data, err := c.Append([]byte("keep"), msg)
		if err != nil {
			t.Fatalf("%v: %v", msg, err)
		}
		got, err := c.Decode(data[4:])
		if err != nil || !reflect.DeepEqual(got, msg) {
			t.Errorf("%#v came back as %#v, %v", msg, got, err)
		}
	}
}

// One tag byte, then zigzag -3, zigzag 1, true, empty name, empty bytes, 7, 8 bytes of float.
func TestEncodingIsSmall(t *testing.T) {
	data, err := codec(t).Append(nil, plain{Node: -3, Small: 1, Flag: true, hid: 7})
	if err != nil || len(data) != 1+1+1+1+1+1+1+8 {
		t.Errorf("%d bytes: % x, %v", len(data), data, err)
	}
}

func TestRefusals(t *testing.T) {
	_, err := wire.NewTypes(bad{}, timed{}, make(chan int))
	for _, want := range []string{"wire_test.bad.In[].f is a func", "wire_test.timed.At is a macetime.Time", "chan int is a chan"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	c := codec(t)
	if _, err := c.Append(nil, timed{}); err == nil || !strings.Contains(err.Error(), "wire_test.timed is not a message type") {
		t.Errorf("unknown type: %v", err)
	}
	loop := &deep{}
	loop.Next = loop
	if _, err := c.Append(nil, loop); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("circle: %v", err)
	}
}

// Data that no encoder makes is refused, with the reason.
func TestWrongDataIsRefused(t *testing.T) {
	c, err := wire.NewTypes(plain{}, deep{}, map[any]int{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	encoded := func(msg any) []byte {
		data, err := c.Append(nil, msg)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	head, rest := encoded(plain{})[:2], encoded(plain{})[3:] // Small is between them
	flag, pointer := encoded(plain{}), encoded(deep{})
	flag[3], pointer[1] = 2, 2
	for want, data := range map[string][]byte{
		"1 bytes are left over after a int": append(encoded(5), 0),
		"2 is not a bool":                   flag,
		"256 does not fit into a int8":      slices.Concat(head, binary.AppendVarint(nil, 256), rest),
		"bad pointer":                       pointer,
		"a map key cannot be compared":      slices.Concat(encoded(map[any]int{})[:1], []byte{1}, encoded(plain{}), []byte{0}),
		"message type 5 is not known":       {5},
		"200 elements do not fit into":      slices.Concat(encoded(map[any]int{})[:1], binary.AppendUvarint(nil, 200)),
		"the data ends within a number":     {0x80},
	} {
		if msg, err := c.Decode(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("% x: %#v, %v; want %q", data, msg, err, want)
		}
	}
}

func TestIDTellsTypesApart(t *testing.T) {
	a, _ := wire.NewTypes(plain{}, empty{})
	b, _ := wire.NewTypes(empty{}, plain{}, plain{})
	other, _ := wire.NewTypes(plain{})
	if a.ID() != b.ID() || a.ID() == other.ID() {
		t.Errorf("IDs %x, %x, %x", a.ID(), b.ID(), other.ID())
	}
}

// A decoded message encodes to bytes that decode to an equal message. Nothing panics.
func FuzzDecode(f *testing.F) {
	c := codec(f)
	for _, msg := range []any{plain{Name: "x", Raw: []byte{1}}, deep{Next: &deep{}, Map: map[string][]plain{"k": {{}}}}, empty{}} {
		data, _ := c.Append(nil, msg)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		msg, err := c.Decode(data)
		if err != nil {
			return
		}
		again, err := c.Append(nil, msg)
		if err != nil {
			t.Fatalf("%#v: %v", msg, err)
		}
		back, err := c.Decode(again)
		if err != nil {
			t.Fatalf("%#v: %v", msg, err)
		}
		third, _ := c.Append(nil, back)
		if string(again) != string(third) {
			t.Fatalf("%x became %x", again, third)
		}
	})
}

func TestCutDataIsRefused(t *testing.T) {
	c := codec(t)
	rapid.Check(t, func(t *rapid.T) {
		msg := plain{Node: sim.NodeID(rapid.Int().Draw(t, "node")), Name: rapid.String().Draw(t, "name"), Raw: rapid.SliceOf(rapid.Byte()).Draw(t, "raw")}
		data, _ := c.Append(nil, msg)
		cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
		if got, err := c.Decode(data[:cut]); err == nil && cut > 0 {
			t.Fatalf("%d of %d bytes were read as %#v", cut, len(data), got)
		}
	})
}
