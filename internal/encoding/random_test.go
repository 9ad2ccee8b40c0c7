//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/internal/encoding/rule"
)

// checkRandom checks the invariants of two values of one type.
func checkRandom(s *Set, a, b any) error {
	p, err := s.Of(a)
	if err != nil {
		return err
	}
	encA, encB := p.Append(nil, a), p.Append(nil, b)
	seenA, seenB := observe(a), observe(b)
	if (seenA == seenB) != bytes.Equal(encA, encB) {
		return fmt.Errorf("of type %v, encoded alike: %v, but observed\n%s\n%s\n%x\n%x", p.Type(), bytes.Equal(encA, encB), seenA, seenB, encA, encB)
	}
	if !p.Copyable() {
		return p.Uncopyable()
	}
	c := p.Copy(a)
	if seen := observe(c); seen != seenA {
		return fmt.Errorf("of type %v, the copy is observed as\n%s\nthe original as\n%s", p.Type(), seen, seenA)
	}
	if enc := p.Append(nil, c); !bytes.Equal(enc, encA) {
		return fmt.Errorf("of type %v, the copy is encoded otherwise:\n%x\n%x", p.Type(), enc, encA)
	}
	mine := changeable(a)
	for _, at := range changeable(c) {
		if slices.Contains(mine, at) {
			return fmt.Errorf("of type %v, the copy of %s shares memory with it", p.Type(), seenA)
		}
	}
	return nil
}

// Distinguishable values are encoded differently and others equally, and copies are indistinguishable from their
// originals.
func TestRandomTypes(t *testing.T) {
	alike, different := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		typ := randomType(&tape{bytes: rapid.SliceOfN(rapid.Byte(), 30, 30).Draw(t, "type")}, 3)
		a := rapid.SliceOfN(rapid.Byte(), 100, 100).Draw(t, "value")
		b := bytes.Clone(a) // most values come from few bytes
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			b[rapid.IntRange(0, 15).Draw(t, "at")]++
		}
		x, y := randomValue(typ, a), randomValue(typ, b)
		if err := checkRandom(newSet(t), x, y); err != nil {
			t.Fatal(err)
		}
		if observe(x) == observe(y) {
			alike++
		} else {
			different++
		}
	})
	if least := (alike + different) / 20; min(alike, different) < least { // about half is expected of each
		t.Errorf("%d pairs alike, %d different: the test is one-sided", alike, different)
	}
}

// A plan that omits something that counts is detected.
func TestRandomTypesNoticeMutations(t *testing.T) {
	each := func(f func(n *node)) func(s *Set, p *Plan) {
		return func(s *Set, _ *Plan) {
			for _, n := range s.nodes {
				f(n)
			}
		}
	}
	for name, mutate := range map[string]func(s *Set, p *Plan){
		"capacity and nil":   func(s *Set, _ *Plan) { s.rules = &rule.List{Loose: true} },
		"identity":           func(s *Set, _ *Plan) { s.telling = memory.None },
		"identity in copies": func(s *Set, _ *Plan) { s.consts = memory.None },
		"the place in constants": func(s *Set, _ *Plan) {
			c := *s.telling
			c.Objects = slices.Clone(c.Objects)
			for i := range c.Objects {
				c.Objects[i].Name = c.Objects[i].End
			}
			s.telling = &c
		},
		"what variables lead to": func(s *Set, _ *Plan) { c := *s.consts; c.Table = make([]int32, len(c.Table)); s.telling = &c },
		"sharing":                func(_ *Set, p *Plan) { p.shares = false },
		"zones but for their name": each(func(n *node) {
			if n.typ == locationType {
				n.prog = n.prog[:1]
			}
		}),
		"the last field": each(func(n *node) {
			if n.kind == reflect.Struct && len(n.prog) > 1 && n.typ != locationType {
				n.prog = n.prog[:len(n.prog)-1]
			}
		}),
		"what pointers point to": each(func(n *node) {
			if n.kind == reflect.Pointer {
				n.elem = &node{typ: n.elem.typ, kind: n.elem.kind, size: n.elem.size, bare: n.elem.bare}
			}
		}),
		"maps as two types": each(func(n *node) { n.common = n }),
		"copies of maps": each(func(n *node) {
			n.fixes = slices.DeleteFunc(slices.Clone(n.fixes), func(l leaf) bool { return l.op == opMap })
		}),
		"copies of slices": each(func(n *node) {
			n.fixes = slices.DeleteFunc(slices.Clone(n.fixes), func(l leaf) bool { return l.op == opSlice })
		}),
		"errors that hold what changes": each(func(n *node) {
			if n.immutable {
				n.fixes = nil
			}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			const most = 4000
			for i := range most {
				random := func(n int) []byte {
					b := make([]byte, n)
					for i := range b {
						b[i] = byte(r.Uint32())
					}
					return b
				}
				typ := randomType(&tape{bytes: random(30)}, 3)
				if name == "zones but for their name" {
					typ = reflect.TypeFor[[]time.Time]() // others take long
				}
				if name == "what variables lead to" || name == "the place in constants" {
					typ = reflect.TypeFor[[]*marker]()
				}
				if name == "sharing" && cyclic(typ) {
					continue // it would not end
				}
				a := random(300)
				b := slices.Clone(a)
				if i%4 > 0 {
					b[r.IntN(min(100, 10*(1+i%10)))]++ // most values come from few bytes
				}
				s := newSet(t)
				x, y := randomValue(typ, a), randomValue(typ, b)
				p := planOf(t, s, x)
				if err := checkRandom(s, x, y); err != nil {
					t.Fatal(err)
				}
				if mutate(s, p); !survives(s, x, y) {
					t.Logf("noticed by pair %d", i+1)
					return
				}
			}
			t.Errorf("not noticed by %d pairs", most)
		})
	}
}

// cyclic reports whether values of a type may refer to themselves.
func cyclic(t reflect.Type) bool {
	return slices.ContainsFunc([]string{"tree", "embedding", "interface", "error"}, func(part string) bool { return strings.Contains(t.String(), part) })
}

func survives(s *Set, x, y any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return checkRandom(s, x, y) == nil
}

// A type without a canonical form is rejected by name anywhere in a random type.
func TestUnencodable_RandomTypes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bad := rapid.SampledFrom([]reflect.Type{reflect.TypeFor[func()](), reflect.TypeFor[chan int](), reflect.TypeFor[unsafe.Pointer](),
			reflect.TypeFor[sync.Map](), reflect.TypeFor[atomic.Pointer[int]](), reflect.TypeFor[map[*int]int]()}).Draw(t, "bad")
		inner := randomType(&tape{bytes: rapid.SliceOfN(rapid.Byte(), 30, 30).Draw(t, "type")}, 2)
		typ := reflect.StructOf([]reflect.StructField{{Name: "Good", Type: inner}, {Name: "Bad", Type: reflect.SliceOf(bad)}})
		_, err := newSet(t).Of(reflect.New(typ).Interface())
		if err == nil || !strings.Contains(err.Error(), "Bad[]") {
			t.Fatalf("%v: %v", typ, err)
		}
	})
}
