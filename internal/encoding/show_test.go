//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/encoding/diff"
)

type (
	tick   int
	resend struct{}
	mood   uint8
	vector []int
	dict   map[string]int
)

func (m mood) String() string { return [...]string{"calm", "angry"}[m] }

type everything struct {
	Base
	Peers map[nodeID]*peer
	Set   map[nodeID]struct{}
	List  []peer
	Raw   []byte
	Mood  mood
	Bad   mood
	Self  *everything
	Any   any
	Msgs  []any
	Wait  time.Duration
	No    resend
	Err   error
	Empty dict
	Deep  *peer
}
type Base struct{ ID nodeID }
type peer struct {
	addr string
	load float64
}

func newEverything() *everything {
	p := &peer{"a b", 1.5}
	e := &everything{
		Base:  Base{7},
		Peers: map[nodeID]*peer{3: p, -1: nil, 10: p},
		Set:   map[nodeID]struct{}{2: {}, 1: {}},
		List:  []peer{{"x", 0}},
		Raw:   []byte("ok"),
		Mood:  1, Bad: 9,
		Any:  &Ping{4},
		Msgs: []any{resend{}, tick(3), Ping{1}, nil, "s", 5, vector{1}, uint8(7)},
		Wait: 1500 * time.Millisecond,
		Err:  errors.New("broken"),
	}
	e.Self = e
	return e
}

func TestFields(t *testing.T) {
	e := newEverything()
	var b strings.Builder
	for _, f := range planOf(t, newSet(t), e).Fields("n0", e, nil) {
		fmt.Fprintf(&b, "%s = %s\n", f.Path, f.Value)
	}
	want := `n0.Base.ID = 7
n0.Peers[-1] = nil
n0.Peers[3].addr = "a b"
n0.Peers[3].load = 1.5
n0.Peers[10] = -> n0.Peers[3]
n0.Set[1] = {}
n0.Set[2] = {}
n0.List[0].addr = x
n0.List[0].load = 0
n0.Raw = "ok"
n0.Mood = angry(1)
n0.Bad = 9
n0.Self = -> n0
n0.Any.(*Ping).Seq = 4
n0.Msgs[0] = resend{}
n0.Msgs[1] = tick(3)
n0.Msgs[2].(Ping).Seq = 1
n0.Msgs[3] = nil
n0.Msgs[4] = "s"
n0.Msgs[5] = 5
n0.Msgs[6].(vector)[0] = 1
n0.Msgs[7] = uint8(7)
n0.Wait = 1.5s
n0.Err.(*errorString).s = broken
n0.Empty = nil
n0.Deep = nil
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFieldsOfOtherThings(t *testing.T) {
	s := newSet(t)
	array := []int{1, 2, 3}
	for _, c := range []struct {
		v    any
		want []diff.Field
	}{
		{nil, []diff.Field{{Path: "x", Value: "nil"}}},
		{3, []diff.Field{{Path: "x", Value: "3"}}},
		{[]int(nil), []diff.Field{{Path: "x", Value: "nil"}}},
		{[2]bool{true}, []diff.Field{{Path: "x[0]", Value: "true"}, {Path: "x[1]", Value: "false"}}},
		{[2]byte{1, 2}, []diff.Field{{Path: "x", Value: "0x0102"}}},
		{[][]int{array[:2], array[1:]},
			[]diff.Field{{Path: "x[0][0]", Value: "1"}, {Path: "x[0][1]", Value: "2"}, {Path: "x[1][0]", Value: "2"}, {Path: "x[1][1]", Value: "3"},
				{Path: "memory of x[0]", Value: "x[0] at +0 bytes with room for 3, x[1] at +8 bytes with room for 2"}}},
		{[]any{make(chan int)}, []diff.Field{{Path: "x[0]", Value: "(chan int)"}}},
		{map[pair]int{{1, 2, "a b"}: 3}, []diff.Field{{Path: `x[{from:1 to:2 tag:"a b"}]`, Value: "3"}}},
		{map[string]int{"a:b": 3, "a.b": 4}, []diff.Field{{Path: `x[a.b]`, Value: "4"}, {Path: `x["a:b"]`, Value: "3"}}},
	} {
		got := planOf(t, s, c.v).Fields("x", c.v, []diff.Field{{Path: "before", Value: ""}})
		if !slices.Equal(got[1:], c.want) {
			t.Errorf("%T: got  %v\nwant %v", c.v, got[1:], c.want)
		}
	}
	if got := planOf(t, s, Ping{}).Fields("", Ping{}, nil)[0].Path; got != "Seq" {
		t.Errorf("got path %q without a prefix", got)
	}
}

func TestText(t *testing.T) {
	x := 1
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{Ping{1}, "Ping{Seq:1}"},
		{&Ping{1}, "&Ping{Seq:1}"},
		{(*Ping)(nil), "*Ping(nil)"},
		{resend{}, "resend{}"},
		{tick(3), "tick(3)"},
		{mood(1), "mood(1)"},
		{3, "3"}, {int8(3), "int8(3)"}, {true, "true"},
		{"a", `"a"`}, {label("a"), "label(a)"}, {label("a b"), `label("a b")`}, {label(""), `label("")`},
		{1.5, "float64(1.5)"}, {math.Copysign(0, -1), "float64(-0)"}, {nan(), "float64(NaN)"}, {2i, "complex128((0+2i))"},
		{time.Second, "Duration(1s)"},
		{time.Unix(0, 5).UTC(), `Time("1970-01-01T00:00:00.000000005Z[UTC]")`},
		{[]int{1, 2}, "[]int{1 2}"}, {vector{}, "vector{}"}, {vector(nil), "vector(nil)"},
		{[]byte("hi"), `[]uint8("hi")`}, {[]byte{0}, "[]uint8(0x00)"}, {[]byte{}, "[]uint8{}"},
		{map[string]int{"b": 1, "a": 2, "c:": 3}, `map[string]int{a:2 b:1 "c:":3}`},
		{dict{}, "dict{}"},
		{[]string{"nil", "a b", "", "x/y:z"}, `[]string{nil "a b" "" x/y:z}`},
		{[]any{nil, "nil", 1, "1", int64(1), []any{}}, `[]interface {}{nil "nil" 1 "1" int64(1) []interface {}{}}`},
		{[]*int{&x, nil, &x}, "[]*int{&1 nil #2}"}, // the slice is #1
		{[]any{&x, &x}, "[]interface {}{&1 *int(#2)}"},
		{[1]*int{&x}, "[1]*int{&1}"},
		{&peer{"n0:1", 2}, "&peer{addr:n0:1 load:2}"},
		{box[Ping]{Ping{1}}, "box[Ping]{v:{Seq:1}}"},
		{struct{ A, B int }{1, 2}, "struct { A int; B int }{A:1 B:2}"},
		{[2]struct{}{}, "[2]struct {}{}"},
	} {
		s := newSet(t)
		for range 2 {
			if got := planOf(t, s, c.v).Text(c.v); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		}
	}
}

func TestDiff(t *testing.T) {
	f := func(text string) (fs []diff.Field) {
		for _, part := range strings.Fields(text) {
			path, value, _ := strings.Cut(part, "=")
			fs = append(fs, diff.Field{Path: path, Value: value})
		}
		return fs
	}
	for _, c := range []struct {
		a, b string
		want []diff.Change
	}{
		{"", "", nil},
		{"a=1 b=2", "a=1 b=2", nil},
		{"a=1 b=2", "a=1 b=3", []diff.Change{{Path: "b", Old: "2", New: "3"}}},
		{"a=1 c=3", "a=1 b=2 c=3", []diff.Change{{Path: "b", Old: "", New: "2"}}},
		{"a=1 b=2 c=3", "c=4", []diff.Change{{Path: "a", Old: "1", New: ""}, {Path: "b", Old: "2", New: ""}, {Path: "c", Old: "3", New: "4"}}},
		{"m[1]=a m[3]=c z=1", "m[2]=b m[3]=c z=2",
			[]diff.Change{{Path: "m[1]", Old: "a", New: ""}, {Path: "m[2]", Old: "", New: "b"}, {Path: "z", Old: "1", New: "2"}}},
		{"m=map[]", "m[1]=x", []diff.Change{{Path: "m", Old: "map[]", New: ""}, {Path: "m[1]", Old: "", New: "x"}}},
		// Also right when the lists disagree about the order.
		{"a=1 b=2", "b=3 a=1", []diff.Change{{Path: "b", Old: "2", New: "3"}}},
		{"a=1 b=2 c=3", "c=4 d=5 a=6",
			[]diff.Change{{Path: "c", Old: "3", New: "4"}, {Path: "d", Old: "", New: "5"}, {Path: "a", Old: "1", New: "6"},
				{Path: "b", Old: "2", New: ""}}},
	} {
		if got := diff.Between(f(c.a), f(c.b)); !slices.Equal(got, c.want) {
			t.Errorf("%s to %s:\n got  %v\n want %v", c.a, c.b, got, c.want)
		}
	}
}
