//lint:file-ignore U1000 fields are there for their types and are read by reflection

package encoding

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/encoding/rule"
)

type (
	// request is like a message that protoc has generated, with its pointers to optional fields and its notes.
	request struct {
		Kind             *mood
		Term             *uint64
		Body             []byte
		Entries          []*request
		By               map[string]int32
		Op               any
		sizeCache        int32
		XXX_unrecognized []byte
	}
	// hidden is the same where code goes through accessors.
	accessed struct {
		state           int
		xxx_hidden_Term *uint64
	}
	// legacy is a message that is encoded as it is.
	legacy struct {
		Term                          uint64
		A, B, C, D, E, F              int
		XXX_sizecache, XXX_NoUnkeyedX int32
	}
	put struct{ Key string }
	// quiet has no exported fields.
	quiet   struct{ bits [2]uint64 }
	tallied struct{ n int }
	wild    struct{ n int }
)

func (q quiet) String() string                  { return fmt.Sprintf("%d/%d", q.bits[0], q.bits[1]) }
func (c *tallied) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"n":%d}`, c.n), nil }
func (w *wild) String() string                  { w.n++; return fmt.Sprint(w.n) }

func bySprint[T any](dst []byte, v T) []byte { return fmt.Append(dst, v) }

// What is encoded by a function is readable without a rule that shows it.
func TestForeignTexts(t *testing.T) {
	term, angry := uint64(3), mood(1)
	full := &request{Kind: &angry, Term: &term, Body: []byte("ok"), Entries: []*request{{Term: &term}, {}}, By: map[string]int32{"b": 2, "a": 1},
		Op: &put{"x y"}, sizeCache: 9, XXX_unrecognized: []byte{1}}
	round := &request{}
	round.Entries = []*request{round}
	long := &request{}
	for range 40 {
		long.Entries = append(long.Entries, &request{Body: []byte(strings.Repeat("x", 30))})
	}
	s := newSet(t, rule.EncodeBy(func(dst []byte, v *request) []byte { return fmt.Append(dst, v.sizeCache) }), rule.EncodeBy(bySprint[*accessed]),
		rule.EncodeBy(bySprint[quiet]), rule.EncodeBy(bySprint[*tallied]), rule.EncodeBy(bySprint[*wild]), rule.EncodeBy(bySprint[*list.List]))
	for _, c := range []struct {
		v    any
		want string
	}{
		{full, `request{Kind:angry Term:3 Body:"ok" Entries:[{Term:3} {}] By:[a:1 b:2] Op:put{Key:"x y"}}`},
		{&accessed{1, &term}, "accessed{Term:3}"},
		{quiet{[2]uint64{1, 2}}, "quiet(1/2)"},
		{&tallied{4}, `tallied({"n":4})`},
		{[]any{full.Entries[0]}, "[]any{request{Term:3}}"},
		{&legacy{Term: 3, XXX_sizecache: 5}, "&legacy{Term:3}"},
		{legacy{}, "legacy{}"},
	} {
		if got := planOf(t, s, c.v).Names(c.v); strings.ReplaceAll(got, "interface {}", "any") != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	// What does not say the same of itself twice, or has nothing to say, is a hash; a text is short, and has an end.
	for _, v := range []any{&wild{}, list.New()} {
		if got := planOf(t, s, v).Names(v); !strings.Contains(got, "#") {
			t.Errorf("%T is shown as %s", v, got)
		}
	}
	for _, v := range []*request{round, long} {
		if got := planOf(t, s, v).Names(v); len(got) > 2*briefLength || !strings.Contains(got, "…") {
			t.Errorf("shown as %s", got)
		}
	}
	// Keys are as they are; fields tell of what differs though nobody is shown it.
	p := planOf(t, s, full)
	if text := p.Text(full); !strings.HasPrefix(text, "*request#") {
		t.Errorf("the key is %s", text)
	}
	was := p.Fields("", full, nil)
	full.sizeCache++
	if changes := diff.Between(was, p.Fields("", full, nil)); len(changes) != 1 || !strings.HasPrefix(changes[0].New, "request{Kind:angry") {
		t.Errorf("changes %+v", changes)
	}
}

// What only unexported fields of foreign types lead to is internal to these.
func TestInsideForeign(t *testing.T) {
	type node struct {
		Err  error
		list list.List
		own  *peer
	}
	v := &node{Err: errors.Join(io.EOF), own: &peer{}}
	v.list.PushBack(3)
	s := newSet(t)
	p := planOf(t, s, v)
	if home := homeOf(p.root); home != "" {
		t.Errorf("something is foreign to %s, of the checker's own module", home)
	}
	r := newRenderer(p)
	r.home = checker
	var word unsafe.Pointer
	r.fields(p.root, p.open(v, &word), "")
	inside := map[string]int{}
	for _, f := range r.out {
		if !strings.HasPrefix(f.Path, f.Inside) {
			t.Errorf("%s is inside %s", f.Path, f.Inside)
		}
		inside[f.Inside]++
	}
	want := map[string]int{"": 2, "Err.(*joinError)": 1, "list": 15} // own is as much as its two fields
	if !maps.Equal(inside, want) {
		t.Errorf("fields by what they are inside of: %v, want %v\n%v", inside, want, r.out)
	}
	for pkg, want := range map[string]string{
		"example.com/a/b/c": "example.com/a/b", "container/list": "container/list", checker + "/internal/encoding": checker, checker + "_test": checker,
		"main": modules()[0],
	} {
		if got := moduleOf(pkg); got != want {
			t.Errorf("package %s is of module %s, want %s", pkg, got, want)
		}
	}
}
