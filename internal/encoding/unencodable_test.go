//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unique"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/macetime"
)

type (
	withFunc    struct{ tick func() }
	withChan    struct{ done chan int }
	withUnsafe  struct{ p unsafe.Pointer }
	withPool    struct{ free sync.Pool }
	withSyncMap struct{ m sync.Map }
	deepFunc    struct {
		conns map[string][]*struct{ hooks [2]withFunc }
	}
	funcSlice   struct{ hooks []func(int) }
	Engine      struct{ core *engineCore } // like a library: the important type has no exported name
	engineCore  struct{ step func() error }
	usesForeign struct{ server http.Server }
	keyPointer  struct{ by map[*int]bool }
	keyStruct   struct {
		by map[struct{ owner *int }]bool
	}
	keyTime struct{ at map[macetime.Time]int }
	badTag  struct {
		a int `macemc:"ignore"`
	}
	anyHolder struct {
		name  string
		queue []any
		by    map[any]int
	}
	embedsFunc struct{ withFunc }
	atomicPtr  struct{ p atomic.Pointer[int] }
	handles    struct {
		good unique.Handle[goodPlace]
		bad  unique.Handle[badPlace]
	}
	goodPlace struct {
		name string
		at   [2]int
	}
	badPlace struct {
		name string
		at   [2]float64
	}
	pointerHandle struct{ of unique.Handle[*int] }
	anyHandle     struct{ of unique.Handle[any] }
)

func TestUnencodable_Types(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{func() {}, "state of func(): cannot be encoded: it is a func"},
		{make(chan int), "state of chan int: cannot be encoded: it is a chan"},
		{&withFunc{}, "state of *encoding.withFunc: field tick (func()) cannot be encoded: " +
			"add sim.IgnoreField[encoding.withFunc](\"tick\") or sim.MethodByName[encoding.withFunc](\"tick\") to System.State, or tag the field `macemc:\"-\"`"},
		{withChan{}, "state of encoding.withChan: field done (chan int) cannot be encoded: " +
			"add sim.IgnoreField[encoding.withChan](\"done\") to System.State, or tag the field `macemc:\"-\"`"},
		{withUnsafe{}, "state of encoding.withUnsafe: field p (unsafe.Pointer) cannot be encoded: " +
			"add sim.IgnoreField[encoding.withUnsafe](\"p\") to System.State, or tag the field `macemc:\"-\"`"},
		{&withPool{}, "state of *encoding.withPool: field free (sync.Pool) cannot be encoded: " +
			"its content depends on the garbage collector; " +
			"add sim.IgnoreField[encoding.withPool](\"free\") to System.State, or tag the field `macemc:\"-\"`"},
		{&withSyncMap{}, "state of *encoding.withSyncMap: field m (sync.Map) cannot be encoded: " +
			"its content has no canonical form; use a plain map, handlers run one at a time; " +
			"add sim.IgnoreField[encoding.withSyncMap](\"m\") to System.State, or tag the field `macemc:\"-\"`"},
		{&deepFunc{}, "state of *encoding.deepFunc: field conns[][].hooks[].tick (func()) cannot be encoded: " +
			"add sim.IgnoreField[encoding.withFunc](\"tick\") or sim.MethodByName[encoding.withFunc](\"tick\") to System.State, or tag the field `macemc:\"-\"`"},
		{&funcSlice{}, "state of *encoding.funcSlice: field hooks[] (func(int)) cannot be encoded: " +
			"add sim.IgnoreField[encoding.funcSlice](\"hooks\") to System.State, or tag the field `macemc:\"-\"`"},
		{&embedsFunc{}, "state of *encoding.embedsFunc: field withFunc.tick (func()) cannot be encoded: " +
			"add sim.IgnoreField[encoding.withFunc](\"tick\") or sim.MethodByName[encoding.withFunc](\"tick\") to System.State, or tag the field `macemc:\"-\"`"},
		{&usesForeign{}, "state of *encoding.usesForeign: field server.TLSConfig.Time (func() time.Time) cannot be encoded: " +
			"add sim.IgnoreField[tls.Config](\"Time\") or sim.MethodByName[tls.Config](\"Time\") or sim.EncodeBy[tls.Config] to System.State" +
			", or tag field server of encoding.usesForeign `macemc:\"-\"`"},
		{&keyPointer{}, "state of *encoding.keyPointer: field by[key] (*int) cannot be encoded: " +
			"pointers have no canonical order, so they cannot be map keys; use a name or number; " +
			"add sim.IgnoreField[encoding.keyPointer](\"by\") to System.State, or tag the field `macemc:\"-\"`"},
		{&keyStruct{}, "state of *encoding.keyStruct: field by[key] (*int) cannot be encoded: " +
			"pointers have no canonical order, so they cannot be map keys; use a name or number; " +
			"add sim.IgnoreField[encoding.keyStruct](\"by\") to System.State, or tag the field `macemc:\"-\"`"},
		{&keyTime{}, "state of *encoding.keyTime: field at[key] (macetime.Time) cannot be encoded: " +
			"times have no order of their own, so they cannot be map keys; " +
			"add sim.IgnoreField[encoding.keyTime](\"at\") to System.State, or tag the field `macemc:\"-\"`"},
		{badTag{}, "state of encoding.badTag: field a (int) cannot be encoded: " +
			"the tag macemc:\"ignore\" is unknown, only macemc:\"-\" has a meaning; "},
		{handles{}, "state of encoding.handles: field bad (unique.Handle[github.com/macemc/macemc/internal/encoding.badPlace]) cannot be encoded: " +
			"it is a handle of what may look alike and not be equal: pointers, floats or interfaces; "},
		{pointerHandle{}, "state of encoding.pointerHandle: field of (unique.Handle[*int]) cannot be encoded: it is a handle of what may look alike"},
		{anyHandle{}, "state of encoding.anyHandle: field of (unique.Handle[interface {}]) cannot be encoded: it is a handle of what may look alike"},
		{atomicPtr{}, "state of encoding.atomicPtr: field p.v (unsafe.Pointer) cannot be encoded: " +
			"add sim.IgnoreField[atomic.Pointer[int]](\"v\") or sim.EncodeBy[atomic.Pointer[int]] to System.State, or tag field p of encoding.atomicPtr `macemc:\"-\"`"},
	} {
		_, err := newSet(t).Of(c.v)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%T: error is %v, not an *Error", c.v, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) || strings.HasSuffix(c.want, "`") && err.Error() != c.want {
			t.Errorf("%T:\n got  %s\n want %s", c.v, err, c.want)
		}
	}
}

// A rejected type stays rejected, and does not affect the types compiled with it.
func TestUnencodable_Remembered(t *testing.T) {
	s := newSet(t)
	type good struct{ next *good }
	type bad struct {
		g *good
		f func()
		b *bad
	}
	for range 2 {
		if _, err := s.Of(bad{}); err == nil {
			t.Error("a function was accepted")
		}
		p := planOf(t, s, &good{})
		g := &good{next: &good{}}
		if got := p.Text(p.Copy(g)); got != "&good{next:&{next:nil}}" {
			t.Errorf("got %s", got)
		}
	}
}

func TestUnencodable_WithinInterfaces(t *testing.T) {
	one := 1
	for _, c := range []struct {
		v    any
		want string
	}{
		{&anyHolder{queue: []any{1, make(chan int)}},
			"state of *encoding.anyHolder: field queue[1] (chan int) cannot be encoded: it is a chan; " +
				"add sim.IgnoreField[encoding.anyHolder](\"queue\") to System.State, or tag the field `macemc:\"-\"`"},
		{&anyHolder{queue: []any{1, "x", map[int]any{3: &withFunc{}}}},
			"state of *encoding.anyHolder: field queue[2].(map[int]interface {})[3].tick (func()) cannot be encoded: " +
				"add sim.IgnoreField[encoding.withFunc](\"tick\") or sim.MethodByName[encoding.withFunc](\"tick\") to System.State, or tag the field `macemc:\"-\"`"},
		{&anyHolder{by: map[any]int{1: 2, &one: 3}},
			"state of *encoding.anyHolder: field by (*int) cannot be encoded: " +
				"pointers have no canonical order, so they cannot be map keys; use a name or number; " +
				"add sim.IgnoreField[encoding.anyHolder](\"by\") to System.State, or tag the field `macemc:\"-\"`"},
		{map[float64]int{nan(): 1, nan(): 2},
			"state of map[float64]int: cannot be encoded: two of its keys are encoded alike, so its entries have no canonical order"},
	} {
		s := newSet(t)
		p := planOf(t, s, c.v)
		var e Encoder
		for range 2 { // the encoder is good for more after an error
			err := caught(func() { e.Add(p, c.v) })
			if err == nil || err.Error() != c.want {
				t.Errorf("%T:\n got  %v\n want %s", c.v, err, c.want)
			}
		}
		e.Reset()
		ok := &anyHolder{queue: []any{1}, by: map[any]int{"a": 1}}
		okPlan := planOf(t, s, ok)
		e.Add(okPlan, ok)
		if string(e.Bytes()) != string(okPlan.Append(nil, ok)) {
			t.Error("an encoder was spoilt by an error")
		}
		// It is displayed nevertheless.
		if p.Text(c.v) == "" || len(p.Fields("", c.v, nil)) == 0 {
			t.Error("nothing is shown")
		}
	}
}

func TestUnencodable_Uncopyable(t *testing.T) {
	h := &anyHolder{queue: []any{0, &withFunc{tick: func() {}}}}
	s := newSet(t, rule.MethodByName[withFunc]("tick"))
	p := planOf(t, s, h)
	if !p.Copyable() {
		t.Error("not copyable, though its static types are")
	}
	want := "state of *encoding.anyHolder: field queue[1].tick (func()) cannot be copied: it is a function; " +
		"add a sim.CopyBy rule for func() or let it be rebuilt by replay"
	if err := caught(func() { p.Copy(h) }); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	h.queue = slices.Delete(h.queue, 1, 2)
	if c := p.Copy(h).(*anyHolder); len(c.queue) != 1 || c == h {
		t.Errorf("copied to %v after a failed copy", c)
	}

	p = planOf(t, s, &withFunc{})
	if p.Copyable() || p.Flat() || planOf(t, s, withFunc{}).Flat() {
		t.Error("a function can be copied")
	}
	want = "state of *encoding.withFunc: field tick (func()) cannot be copied: it is a function; " +
		"add a sim.CopyBy rule for func() or let it be rebuilt by replay"
	if err := caught(func() { p.Copy(&withFunc{}) }); err == nil || err.Error() != want || p.Uncopyable().Error() != want {
		t.Errorf("got %v and %v\nwant %s", err, p.Uncopyable(), want)
	}
}

// caught returns the error with which f panics.
func caught(f func()) (err error) {
	defer Catch(&err)
	f()
	return nil
}

func TestCatch_PassesOtherPanics(t *testing.T) {
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("recovered %v", r)
		}
	}()
	caught(func() { panic("other") })
}

func TestWrongTypeGiven(t *testing.T) {
	defer func() {
		if r := recover(); r != "encoding: the plan of encoding.Ping was given a int" {
			t.Errorf("recovered %v", r)
		}
	}()
	planOf(t, newSet(t), Ping{}).Append(nil, 3)
}

func TestTwoTypesOfOneName(t *testing.T) {
	first := func() any { type local struct{ A int }; return local{} }()
	second := func() any { type local struct{ B string }; return local{} }()
	s := newSet(t)
	planOf(t, s, first)
	_, err := s.Of(second)
	want := "state of encoding.local: cannot be encoded: another type is named github.com/macemc/macemc/internal/encoding.local too, " +
		"of kind struct: rename one of them, types declared in functions need names of their own"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	type holder struct{ Any any }
	h := &holder{second}
	p := planOf(t, s, h)
	want = strings.Replace(want, "encoding.local: ", "*encoding.holder: field Any (encoding.local) ", 1)
	if err := caught(func() { p.Append(nil, h) }); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
