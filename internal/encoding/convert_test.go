//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/encoding/typeinfo"
	"pgregory.net/rapid"
)

type (
	numberOf struct{ N int }
	hidden   struct { // two types that differ in what counts
		A *struct{ P, Q *int }
		B *struct {
			P *int
			Q *int `macemc:"-"`
		}
	}
	others struct {
		N    int
		Raw  map[string]int
		View index
		A    *numberOf
		B    *struct{ N int }
		At   *number
	}
)

// Memory that is referred to as two types is one piece: in encodings and in copies.
func TestConvert_SharedMemory(t *testing.T) {
	for name, build := range map[string]func(together bool) any{
		"maps": func(together bool) any {
			v := &struct {
				Raw  map[string]int
				View index
			}{map[string]int{}, index{}}
			if together {
				v.View = v.Raw
			}
			return v
		},
		"pointers": func(together bool) any {
			v := &struct {
				A *marker
				B *twin
			}{&marker{}, &twin{}}
			if together {
				v.B = (*twin)(v.A)
			}
			return v
		},
		"a field": func(together bool) any {
			v := &struct {
				N  int
				At *number
			}{At: new(number)}
			if together {
				v.At = (*number)(&v.N)
			}
			return v
		},
		"an element": func(together bool) any {
			v := &struct {
				S  []int
				At *number
			}{make([]int, 3), new(number)}
			if together {
				v.At = (*number)(&v.S[1])
			}
			return v
		},
		"what does not count in one": func(together bool) any {
			v := &hidden{A: &struct{ P, Q *int }{new(int), new(int)}}
			v.B = (*struct {
				P *int
				Q *int `macemc:"-"`
			})(&struct{ P, Q *int }{new(int), new(int)})
			if together {
				*v.B = struct {
					P *int
					Q *int `macemc:"-"`
				}(*v.A)
				v.B = (*struct {
					P *int
					Q *int `macemc:"-"`
				})(v.A)
			}
			return v
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSet(t)
			one, two := build(true), build(false)
			p := planOf(t, s, one)
			if bytes.Equal(p.Append(nil, one), p.Append(nil, two)) {
				t.Error("encoded alike")
			}
			if err := checkRandom(s, one, build(true)); err != nil {
				t.Error(err)
			}
			if name == "what does not count in one" {
				return // the copy of two shares by intent memory that does not count
			}
			if err := checkRandom(s, one, two); err != nil {
				t.Error(err)
			}
		})
	}
}

// If two map types could be one but treat their parts differently, the second one is rejected.
func TestMapsTreatedInDifferentWays(t *testing.T) {
	_, err := newSet(t).Of(&struct {
		A map[string]struct{ N int }
		B map[string]struct {
			N int `macemc:"-"`
		}
	}{})
	if err == nil || !strings.Contains(err.Error(), "field B (map[string]struct") || !strings.Contains(err.Error(), "could be one with a map[string]struct { N int }") {
		t.Error(err)
	}
}

// The rule for conversions is that of package reflect for pointers.
func TestConvertible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) reflect.Type {
			return randomType(&tape{bytes: rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, name)}, 2)
		}
		a, b := draw("a"), draw("b")
		if a.Kind() == reflect.Interface {
			return // reflect ignores other interfaces with the same methods
		}
		if want := reflect.PointerTo(a).ConvertibleTo(reflect.PointerTo(b)); typeinfo.Convertible(a, b) != want {
			t.Fatalf("from %v to %v: %v", a, b, !want)
		}
	})
}

// Types without anything to convert are not tracked for it.
func TestConvert_Nothing(t *testing.T) {
	for _, v := range []any{
		struct {
			N   []int
			IDs []number
		}{},
		struct {
			A map[string]int
			B map[string]number
		}{},
		struct {
			A *[]int
			B *[]number
		}{},
	} {
		if typ := reflect.TypeOf(v); planOf(t, newSet(t), v).shares {
			t.Errorf("%v could share memory", typ)
		}
	}
	if !planOf(t, newSet(t), others{}).shares {
		t.Error("nothing is shared")
	}
}
