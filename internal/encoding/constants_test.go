package encoding

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/encoding/rule"
)

type marker struct{ n int }

type knot struct {
	err   error
	mark  *marker
	again *marker
	items []int
	at    time.Time
	zone  *time.Location
	any   any
	count *int
}

var (
	errTwinA, errTwinB = errors.New("twin"), errors.New("twin")
	errHeapA, errHeapB = fmt.Errorf("heap %w", errTwinA), fmt.Errorf("heap %w", errTwinA)
	markA              = &marker{1}
	markB              = &marker{1}
	marks              [3]marker
	items              = []int{1, 2, 3}
	made               = func() *marker { return &marker{5} }()
	nested             = &struct{ inner *marker }{made}

	// Heap memory reachable from variables, but not by a pointer to its beginning, or not directly.
	pool    = make([]int, 3+len(items))
	array   = func() *[4]marker { return new([4]marker) }()
	parts   = func() *struct{ A, B marker } { return &struct{ A, B marker }{} }()
	letters = func() *struct{ A, B, C int8 } { return &struct{ A, B, C int8 }{} }()
	behind  = func() *int8 { return &(&struct{ A, B int8 }{}).B }()
	mapped  = map[string]error{"a": errors.New("mapped"), "b": errors.New("mapped")}
	crowd   = func() map[int]*marker {
		m := map[int]*marker{}
		for i := range 100 {
			m[i] = &marker{7}
		}
		return m
	}()
	chained = func() *link { return &link{&link{&link{nil, &marker{8}}, &marker{8}}, nil} }()
	held    = func() func() *marker { m := &marker{11}; return func() *marker { return m } }()
	large   = func() *[200]*marker { return &[200]*marker{150: {12}, 199: {12}} }()
	huge    = func() []padded { return make([]padded, 5000) }()
)

type (
	link struct {
		next *link
		mark *marker
	}
	padded struct {
		n    int
		mark marker
	}
)

// constantValues returns pairs: the first value holds a constant, the second one a similar or another value.
func constantValues() [][2]*knot {
	return [][2]*knot{
		{{err: errTwinA}, {err: errTwinB}},
		{{err: errTwinA}, {err: errors.New("twin")}},
		{{err: errHeapA}, {err: errHeapB}},
		{{err: errHeapA}, {err: fmt.Errorf("heap %w", errTwinA)}},
		{{err: fmt.Errorf("x %w", errTwinA)}, {err: fmt.Errorf("x %w", errTwinB)}},
		{{err: errors.Join(errTwinA, errTwinB)}, {err: errors.Join(errTwinB, errTwinA)}},
		{{mark: markA}, {mark: markB}},
		{{mark: markA}, {mark: &marker{1}}},
		{{mark: &marks[0]}, {mark: &marks[1]}},
		{{mark: &marks[0]}, {mark: &marker{}}},
		{{mark: made}, {mark: &marker{5}}},
		{{items: items}, {items: []int{1, 2, 3}}},
		{{any: markA}, {any: &marker{1}}},
		{{any: &items[1]}, {any: &[]int{2}[0]}},
		{{count: &numbers[0]}, {count: &numbers[1]}},
		{{mark: markA, again: markA}, {mark: markA, again: markB}},
		{{zone: time.Local}, {zone: time.UTC}},
		{{count: &pool[1]}, {count: &pool[2]}},
		{{count: &pool[1]}, {count: new(int)}},
		{{items: pool[1:2:2]}, {items: pool[2:3:3]}},
		{{mark: &array[1]}, {mark: &array[2]}},
		{{mark: &array[0]}, {mark: &array[1]}},
		{{mark: &parts.A}, {mark: &parts.B}},
		{{any: &letters.A}, {any: &letters.B}},
		{{any: &letters.B}, {any: &letters.C}},
		{{any: &letters.C}, {any: new(int8)}},
		{{any: behind}, {any: new(int8)}},
		{{err: mapped["a"]}, {err: mapped["b"]}},
		{{err: mapped["a"]}, {err: errors.New("mapped")}},
		{{mark: crowd[1]}, {mark: crowd[2]}},
		{{mark: crowd[99]}, {mark: &marker{7}}},
		{{mark: chained.next.mark}, {mark: chained.next.next.mark}},
		{{mark: chained.next.mark}, {mark: &marker{8}}},
		{{mark: held()}, {mark: &marker{11}}},
		{{mark: large[150]}, {mark: large[199]}},
		{{mark: large[199]}, {mark: &marker{12}}},
		{{mark: &huge[4000].mark}, {mark: &huge[4001].mark}},
	}
}

// A constant is distinguished from similar values and is not copied.
func TestConstants(t *testing.T) {
	s := newSet(t)
	for i, pair := range constantValues() {
		a, b := encode(t, s, pair[0]), encode(t, s, pair[1])
		if bytes.Equal(a, b) {
			t.Errorf("%d: encoded alike: %s", i, planOf(t, s, pair[0]).Text(pair[0]))
		}
		if !bytes.Equal(a, encode(t, s, pair[0])) {
			t.Errorf("%d: encoded in two ways", i)
		}
		for k, v := range pair {
			c := planOf(t, s, v).Copy(v).(*knot)
			if !bytes.Equal(encode(t, s, c), encode(t, s, v)) {
				t.Errorf("%d: the copy of %d differs", i, k)
			}
			if k == 0 && (errors.Is(c.err, errTwinA) != errors.Is(v.err, errTwinA) || c.zone != v.zone) {
				t.Errorf("%d: copied to %+v", i, c)
			}
		}
	}
	v := &knot{err: errTwinA, mark: markA, items: items, count: &numbers[1], any: errHeapB}
	c := planOf(t, s, v).Copy(v).(*knot)
	if c.err != errTwinA || c.mark != markA || &c.items[0] != &items[0] || c.count != &numbers[1] || c.any != any(errHeapB) {
		t.Errorf("copied to %+v", c)
	}
	// Another program file has other locations.
	across := newSet(t, rule.AcrossPrograms())
	sameEncoding(t, across, true, &knot{mark: markA}, &knot{mark: &marker{1}})
	sameEncoding(t, across, true, &knot{err: errTwinA}, &knot{err: errTwinB})
	sameEncoding(t, across, false, &knot{zone: time.Local}, &knot{zone: time.FixedZone("", 0)})
	if c := planOf(t, across, v).Copy(v).(*knot); c.mark != markA {
		t.Error("a copy refers to something else")
	}
	v = &knot{err: mapped["b"], mark: &array[2], items: pool[2:4], count: &pool[1], any: &letters.B, again: chained.next.mark}
	c = planOf(t, s, v).Copy(v).(*knot)
	if c.err != mapped["b"] || c.mark != &array[2] || &c.items[0] != &pool[2] || c.count != &pool[1] || c.any != any(&letters.B) || c.again != chained.next.mark {
		t.Errorf("copied to %+v", c)
	}
}

// Memory held by a system's closures is distinguished from similar memory. Other systems have their own.
func TestHeldByClosures(t *testing.T) {
	twins := [2]error{errors.New("held"), errors.New("held")}
	table := map[string]*marker{"a": {3}}
	f := func() (*marker, error) { return table["a"], twins[1] }
	s := newSet(t, rule.Holding(f, nil, 7))
	sameEncoding(t, s, false, &knot{err: twins[1]}, &knot{err: errors.New("held")})
	sameEncoding(t, s, false, &knot{err: twins[1]}, &knot{err: twins[0]})
	sameEncoding(t, s, false, &knot{mark: table["a"]}, &knot{mark: &marker{3}})
	v := &knot{err: twins[1], mark: table["a"]}
	if c := planOf(t, s, v).Copy(v).(*knot); c.err != twins[1] || c.mark != table["a"] {
		t.Errorf("copied to %+v", c)
	}
	if other := newSet(t, rule.Holding(f, nil, 7)); other.consts != s.consts {
		t.Error("two sets of one system looked twice")
	}
	if other := newSet(t, rule.Holding(func() error { return twins[0] })); other.consts == s.consts {
		t.Error("sets of two systems have the same constants")
	}
}

// Memory reachable from a constant is kept wherever it is visited, even before the constant.
func TestReachedFromConstants(t *testing.T) {
	type holder struct {
		direct *marker
		whole  *struct{ inner *marker }
	}
	deep := &marker{9}
	hold := nested.inner
	nested.inner = deep
	defer func() { nested.inner = hold }()
	s := newSet(t)
	v := &holder{deep, nested}
	c := planOf(t, s, v).Copy(v).(*holder)
	if c.whole != nested || c.direct != deep {
		t.Errorf("copied to %+v", c)
	}
	sameEncoding(t, s, true, v, c)
	sameEncoding(t, s, false, v, &holder{&marker{9}, nested})
}

// Errors that hold mutable memory are copied with it. Others are not copied.
func TestErrorsInCopies(t *testing.T) {
	type holder struct {
		own *hookError
		err error
	}
	s := newSet(t)
	own := &hookError{n: 1}
	v := &holder{own, fmt.Errorf("a: %w", own)}
	c := planOf(t, s, v).Copy(v).(*holder)
	if c.own == own || errors.Unwrap(c.err) != error(c.own) {
		t.Errorf("copied to %+v", c)
	}
	sameEncoding(t, s, true, v, c)
	v = &holder{nil, fmt.Errorf("a: %w", errors.Join(errors.New("b"), os.ErrClosed))}
	if c := planOf(t, s, v).Copy(v).(*holder); c.err != v.err {
		t.Error("an error that cannot change was copied")
	}
}

type hookError struct{ n int }

func (e *hookError) Error() string { return fmt.Sprint(e.n) }

func TestZones(t *testing.T) {
	s := newSet(t)
	at := time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)
	parse := func(text string) time.Time {
		p, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	one, two := time.FixedZone("X", 3600), time.FixedZone("X", 7200)
	half := time.FixedZone("Y", 1800)
	for i, c := range []struct {
		a, b any
		same bool
	}{
		{parse("2024-01-01T12:00:00+01:00"), parse("2024-01-01T13:00:00+02:00"), false},
		{parse("2024-01-01T12:00:00+01:30"), parse("2024-01-01T12:00:00+01:30"), true},
		{at.In(one), at.In(two), false},
		{at.In(one), at.In(time.FixedZone("X", 3600)), true},
		{at, at.In(time.FixedZone("UTC", 0)), false},
		{at, at.Local(), false},
		// Zones are the same if and only if == says so.
		{[]time.Time{at.In(half), at.In(half)}, []time.Time{at.In(half), at.In(time.FixedZone("Y", 1800))}, false},
		{&knot{at: at.In(half), zone: half}, &knot{at: at.In(half), zone: time.FixedZone("Y", 1800)}, false},
		{map[time.Time]int{at: 1}, map[time.Time]int{at.In(time.FixedZone("", 0)): 1}, false},
	} {
		if got := bytes.Equal(encode(t, s, c.a), encode(t, s, c.b)); got != c.same {
			t.Errorf("%d: encoded alike: %v", i, got)
		}
		p := planOf(t, s, c.a)
		if !bytes.Equal(encode(t, s, p.Copy(c.a)), encode(t, s, c.a)) {
			t.Errorf("%d: the copy differs", i)
		}
	}
	// Formatting fills the look-up cache of a zone, which does not count.
	fresh, used := time.FixedZone("Z", 60), time.FixedZone("Z", 60)
	_ = at.In(used).String()
	sameEncoding(t, s, true, at.In(fresh), at.In(used))
	key := map[time.Time]int{at.In(one): 1}
	want := "times in map keys are compared by the identity of their zone: use UTC, or a number"
	if err := caught(func() { encode(t, s, key) }); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// Encodings are the same in every process that executes the same file, at any address.
func TestEncoding_Stable(t *testing.T) {
	var b strings.Builder
	s := newSet(t)
	for _, pair := range constantValues() {
		for _, v := range pair {
			if v.mark != nil && v.mark.n == 7 {
				continue // large maps have another order in every process
			}
			b.WriteString(hex.EncodeToString(encode(t, s, v)) + "\n")
		}
	}
	for i := range 20 {
		g := build(bytes.Repeat([]byte{byte(37 * i), byte(i), 3, 11}, 80))
		b.WriteString(hex.EncodeToString(encode(t, s, g)) + "\n")
	}
	if os.Getenv("MACEMC_PLAN_ENCODE") != "" {
		fmt.Print("<<<" + b.String() + ">>>")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEncoding_Stable$")
	cmd.Env = append(os.Environ(), "MACEMC_PLAN_ENCODE=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(out), "<<<")
	if got, _, _ := strings.Cut(after, ">>>"); got != b.String() {
		t.Error("another process encodes otherwise")
	}
}

// A constant map is encoded alike in every process, although the order of its entries in memory differs.
func TestConstants_LargeMap(t *testing.T) {
	type configured struct{ Members map[int][]byte }
	encodings := map[string]bool{}
	for range 5 {
		members := map[int][]byte{}
		for i := range 100 {
			members[i] = []byte("member")
		}
		s, err := NewSet(rule.Holding(func() map[int][]byte { return members }))
		if err != nil {
			t.Fatal(err)
		}
		encodings[string(encode(t, s, &configured{members}))] = true
		if same := string(encode(t, s, &configured{map[int][]byte{0: members[0]}})); same == string(encode(t, s, &configured{map[int][]byte{0: members[1]}})) {
			t.Error("entries are encoded alike outside of their map")
		}
	}
	if len(encodings) != 1 {
		t.Errorf("%d encodings, want 1", len(encodings))
	}
}
