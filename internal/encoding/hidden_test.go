package encoding_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/rule"
)

type inner struct {
	a, b  int
	next  *inner
	names []string
	by    map[string]int
}

// open is shown to people by its fields, however it is encoded.
type open struct{ A, B int }

type outer struct {
	Seen  int
	In    inner
	Open  open
	Log   *inner `macemc:"-"`
	Since time.Time
}

// Hidden names differences that rules and tags exclude, and none that fields show.
func TestHidden(t *testing.T) {
	set, err := encoding.NewSet(rule.EncodeBy(func(dst []byte, v inner) []byte { return append(dst, byte(v.a)) }),
		rule.EncodeBy(func(dst []byte, v open) []byte { return append(dst, byte(v.A)) }))
	if err != nil {
		t.Fatal(err)
	}
	make := func(change func(*outer)) *outer {
		o := &outer{In: inner{names: []string{"x"}, by: map[string]int{"k": 1}, next: &inner{}}, Log: &inner{}, Since: time.Unix(1, 0).UTC()}
		o.In.next.next = o.In.next // a cycle
		change(o)
		return o
	}
	for _, c := range []struct {
		want   string
		change func(*outer)
	}{
		{"", func(*outer) {}},
		{"", func(o *outer) { o.Seen = 3 }},
		{"", func(o *outer) { o.In.a = 3 }},
		{"", func(o *outer) { o.Open.A = 3 }},
		{"Open.B 0 2", func(o *outer) { o.Open.B = 2 }},
		{"", func(o *outer) { o.Since = time.Unix(1, 0) }},
		{"In.b 0 2", func(o *outer) { o.In.b = 2 }},
		{"Log.b 0 2", func(o *outer) { o.Log.b = 2 }},
		{"In.names[0] \"x\" \"y\"", func(o *outer) { o.In.names[0] = "y" }},
		{"len(In.names) 1 2", func(o *outer) { o.In.names = append(o.In.names, "z") }},
		{"In.by[\"k\"] 1 7", func(o *outer) { o.In.by["k"] = 7 }},
		{"In.next not nil nil", func(o *outer) { o.In.next = nil }},
		{"In.next.b 0 5", func(o *outer) { o.In.next.b = 5 }},
		{"Log not nil nil", func(o *outer) { o.Log = nil }},
	} {
		a, b := make(func(*outer) {}), make(c.change)
		p, err := set.Of(a)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range p.Hidden(a, b) {
			got = append(got, fmt.Sprint(h.Path, " ", h.Old, " ", h.New))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("got %q, want %q", text, c.want)
		}
	}
}
