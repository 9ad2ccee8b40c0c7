//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/encoding/rule"
)

type (
	engineConfig struct{ size int }
	node1        struct{ eng *Engine }
)

func (c *engineCore) first() error  { return nil }
func (c *engineCore) second() error { return nil }

func encode(t *testing.T, s *Set, v any) []byte {
	t.Helper()
	return planOf(t, s, v).Append(nil, v)
}

func sameEncoding(t *testing.T, s *Set, want bool, a, b any) {
	t.Helper()
	if got := bytes.Equal(encode(t, s, a), encode(t, s, b)); got != want {
		t.Errorf("%s and %s are encoded equally: %v, want %v", planOf(t, s, a).Text(a), planOf(t, s, b).Text(b), got, want)
	}
}

func TestNewSet_RefusesBadRules(t *testing.T) {
	want := `state rule IgnoreField[encoding.Engine]("nose"): encoding.Engine has no field "nose"`
	if s, err := NewSet(rule.IgnoreField[Engine]("nose")); s != nil || err == nil || err.Error() != want {
		t.Errorf("got  %v (%v)\nwant %s", err, s, want)
	}
}

func TestIgnoreField(t *testing.T) {
	s := newSet(t, rule.IgnoreField[Engine]("core.step"), rule.IgnoreField[engineConfig]("size"))
	core := &engineCore{}
	core.step = core.first
	sameEncoding(t, s, true, &Engine{core}, &Engine{&engineCore{}})
	sameEncoding(t, s, true, &node1{&Engine{core}}, &node1{&Engine{&engineCore{}}})
	sameEncoding(t, s, false, &node1{}, &node1{&Engine{}})
	if planOf(t, s, &node1{}).Copyable() {
		t.Error("an ignored function can be copied")
	}
	if c := (&engineConfig{3}); planOf(t, s, c).Copy(c).(*engineConfig).size != 3 {
		t.Error("an ignored number was not copied")
	}
	// The target of an ignored field of a foreign type might change, unless a rule says otherwise.
	type logged struct {
		to io.Writer
		n  int
	}
	if s := newSet(t, rule.IgnoreField[logged]("to")); planOf(t, s, logged{}).Copyable() {
		t.Error("an ignored pointer can be copied")
	}
	s = newSet(t, rule.IgnoreField[logged]("to"), rule.CopyBy(func(w io.Writer) io.Writer { return w }))
	l := &logged{&bytes.Buffer{}, 2}
	if c := planOf(t, s, l).Copy(l).(*logged); *c != *l || c == l {
		t.Errorf("copied to %v", c)
	}
}

func TestTag(t *testing.T) {
	type tagged struct {
		n     int
		cache map[string]int `macemc:"-"`
		done  chan int       `macemc:"-"`
	}
	type plain struct {
		n     int
		cache map[string]int `macemc:"-"`
	}
	s := newSet(t)
	sameEncoding(t, s, true, &tagged{n: 1, cache: map[string]int{"a": 1}}, &tagged{n: 1, done: make(chan int)})
	sameEncoding(t, s, false, &tagged{n: 1}, &tagged{n: 2})
	if planOf(t, s, &tagged{}).Copyable() {
		t.Error("a channel can be copied")
	}
	v := &plain{1, map[string]int{}}
	c := planOf(t, s, v).Copy(v).(*plain)
	c.cache["x"] = 1
	if v.cache["x"] != 1 {
		t.Error("the copy of an ignored field is not shallow")
	}
	if !planOf(t, s, plain{}).Flat() {
		t.Error("not flat because of a field that is copied shallowly anyway")
	}
	if f := planOf(t, s, v).Fields("", v, nil); len(f) != 1 || f[0] != (diff.Field{Path: "n", Value: "1"}) {
		t.Errorf("fields %v", f)
	}
}

func TestMethodByName(t *testing.T) {
	s := newSet(t, rule.MethodByName[Engine]("core.step"))
	a, b := &engineCore{}, &engineCore{}
	a.step, b.step = a.first, b.first
	sameEncoding(t, s, true, &Engine{a}, &Engine{b})
	b.step = b.second
	sameEncoding(t, s, false, &Engine{a}, &Engine{b})
	b.step = nil
	sameEncoding(t, s, false, &Engine{a}, &Engine{b})
	if got := planOf(t, s, a).Text(a); got != "&engineCore{step:encoding.(*engineCore).first-fm}" {
		t.Errorf("text %s", got)
	}
	if got := planOf(t, s, b).Fields("", b, nil); got[0] != (diff.Field{Path: "step", Value: "nil"}) {
		t.Errorf("fields %v", got)
	}
}

type message interface{ marshal() []byte }

type proto struct {
	n     int
	cache *proto // changes behind the scenes
}

func (p *proto) marshal() []byte { p.cache = &proto{}; return binary.AppendVarint(nil, int64(p.n)) }

func TestEncodeByAndCopyByInterface(t *testing.T) {
	encode := rule.EncodeBy(func(dst []byte, m message) []byte { return append(dst, m.marshal()...) })
	type holder struct {
		a, b *proto
		m    any
	}
	s := newSet(t, encode)
	p, q := &proto{n: 1}, &proto{n: 1, cache: &proto{}}
	sameEncoding(t, s, true, &holder{a: p, m: p}, &holder{a: q, m: q})
	sameEncoding(t, s, false, &holder{a: p, b: p}, &holder{a: p, b: q}) // sharing counts
	sameEncoding(t, s, false, &holder{a: p}, &holder{a: &proto{n: 2}})
	sameEncoding(t, s, false, &holder{}, &holder{a: &proto{}})
	if planOf(t, s, p).Copyable() || planOf(t, s, &holder{}).Copyable() {
		t.Error("can be copied, though nothing is known of it")
	}
	if got := planOf(t, s, &holder{}).Uncopyable().Error(); got != "state of *encoding.holder: field a (*encoding.proto) cannot be copied: "+
		"it is encoded by a function; add a sim.CopyBy rule for *encoding.proto or let it be rebuilt by replay" {
		t.Errorf("got %s", got)
	}
	s = newSet(t, encode, rule.CopyBy(func(m message) message {
		p := *m.(*proto)
		p.cache = nil
		return &p
	}))
	h := &holder{a: p, b: p, m: p}
	c := planOf(t, s, h).Copy(h).(*holder)
	if c.a == p || c.a != c.b || c.m != any(c.a) || c.a.n != 1 || c.a.cache != nil {
		t.Errorf("copied to %+v", c)
	}
	sameEncoding(t, s, true, h, c)
	if got, want := planOf(t, s, h).Text(&holder{a: p}), fmt.Sprintf("&holder{a:*proto#%016x b:nil m:nil}", Hash(0, []byte{1, 1, 0, 0, 0, 2}).Hi); got != want {
		t.Errorf("text %s, want %s", got, want)
	}
	s = newSet(t, encode, rule.ShowBy(func(m message) string { return fmt.Sprintf("proto(%d)", m.(*proto).n) }))
	if got := planOf(t, s, h).Text(&holder{a: p}); got != "&holder{a:proto(1) b:nil m:nil}" {
		t.Errorf("text %s", got)
	}
	s = newSet(t, encode, rule.ShowBy(func(message) string { return "proto[\n\ta  b\r\n\tc\n]" }))
	if got := planOf(t, s, h).Text(&holder{a: p}); got != "&holder{a:proto[ a  b c ] b:nil m:nil}" {
		t.Errorf("a text of several lines: %q", got)
	}
}

func TestEncodeByAndCopyByValue(t *testing.T) {
	type secret struct{ a, b int }
	type table map[string]int
	type holder struct {
		s    secret
		list []secret
		by   map[secret]int
		t    table
	}
	s := newSet(t,
		rule.EncodeBy(func(dst []byte, s secret) []byte { return append(dst, byte(s.a)) }),
		rule.CopyBy(func(t table) table { return table{"copied": len(t)} }))
	a := &holder{secret{1, 2}, []secret{{3, 4}}, map[secret]int{{1, 1}: 1, {2, 1}: 2}, nil}
	b := &holder{secret{1, 9}, []secret{{3, 9}}, map[secret]int{{1, 2}: 1, {2, 2}: 2}, nil}
	sameEncoding(t, s, true, a, b)
	b.list[0].a++
	sameEncoding(t, s, false, a, b)
	if !planOf(t, s, secret{}).Flat() || !planOf(t, s, a).Copyable() {
		t.Error("numbers cannot be copied")
	}
	a.t = table{"x": 1, "y": 2}
	if c := planOf(t, s, a).Copy(a).(*holder); c.t["copied"] != 2 || c.list[0] != a.list[0] {
		t.Errorf("copied to %v", c)
	}
	want := "state of map[encoding.secret]int: cannot be encoded: two of its keys are encoded alike, so its entries have no canonical order"
	alike := map[secret]int{{1, 1}: 1, {1, 2}: 2}
	if err := caught(func() { encode(t, s, alike) }); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	// A copy must have the same type.
	defer func() {
		if r := recover(); r != "encoding: the CopyBy function made a *encoding.other of a *encoding.proto" {
			t.Errorf("recovered %v", r)
		}
	}()
	s = newSet(t, rule.CopyBy(func(m message) message { return &other{} }))
	planOf(t, s, &proto{}).Copy(&proto{})
}

type other struct{ proto }

// Elements are copied by their rule everywhere, whether they hold pointers or not.
func TestCopyByElements(t *testing.T) {
	type degrees int
	type gauges struct {
		one   degrees
		slice []degrees
		array [1]degrees
		inner []struct{ d [1]degrees }
		by    map[string]degrees
		part  []degrees // of slice
	}
	g := &gauges{one: 1, slice: []degrees{1, 1}, array: [1]degrees{1}, inner: []struct{ d [1]degrees }{{[1]degrees{1}}}, by: map[string]degrees{"": 1}}
	s := newSet(t, rule.CopyBy(func(degrees) degrees { return 2 }))
	for _, g.part = range [][]degrees{nil, g.slice[1:]} {
		c := planOf(t, s, g).Copy(g).(*gauges)
		if c.one != 2 || c.slice[0] != 2 || c.slice[1] != 2 || c.array[0] != 2 || c.inner[0].d[0] != 2 || c.by[""] != 2 || len(c.part) > 0 && c.part[0] != 2 {
			t.Errorf("copied to %+v", c)
		}
	}
}

func TestFunctionMustAppend(t *testing.T) {
	s := newSet(t, rule.EncodeBy(func(dst []byte, n int) []byte { return nil }))
	want := "state of int: cannot be encoded: its function must append to the slice it is given"
	if err := caught(func() { encode(t, s, 3) }); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestByElements(t *testing.T) {
	type both struct {
		s []int
		m map[int]int
		n [][]string
	}
	plain, strict := newSet(t, rule.ByElements()), newSet(t)
	for _, v := range []*both{{s: []int{}}, {m: map[int]int{}}, {n: [][]string{}}} {
		sameEncoding(t, plain, true, v, &both{})
		sameEncoding(t, strict, false, v, &both{})
	}
	if got := planOf(t, strict, both{}).Text(both{s: []int{}}); got != "both{s:[] m:nil n:nil}" {
		t.Errorf("text %s", got)
	}
	if got := planOf(t, plain, both{}).Text(both{s: []int{}}); got != "both{s:[] m:map[] n:[]}" {
		t.Errorf("text %s", got)
	}
	full := &both{s: []int{1, 2}}
	sameEncoding(t, plain, true, full, &both{s: []int{1, 2, 3}[:2]})
	sameEncoding(t, strict, false, full, &both{s: []int{1, 2, 3}[:2]})
	sameEncoding(t, strict, false, full, &both{s: append(make([]int, 0, 3), 1, 2)})
	if c := planOf(t, plain, full).Copy(&both{s: []int{1, 2, 3}[:2]}).(*both); cap(c.s) != 2 {
		t.Errorf("there is room in a copy that is to have none: %d", cap(c.s))
	}
	// A copy keeps the difference either way.
	v := &both{s: []int{}}
	if c := planOf(t, plain, v).Copy(v).(*both); c.s == nil || c.m != nil || c.n != nil {
		t.Errorf("copied to %#v", c)
	}
}
