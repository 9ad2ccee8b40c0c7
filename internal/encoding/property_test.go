package encoding

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/encoding/rule"
	"pgregory.net/rapid"
)

func newSet(t rapid.TB, rules ...rule.Rule) *Set {
	t.Helper()
	s, err := NewSet(rules...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func planOf(t rapid.TB, s *Set, v any) *Plan {
	t.Helper()
	p, err := s.Of(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tapes draws a tape and a second one that differs in at most one byte.
func tapes(t *rapid.T) (a, b []byte) {
	a = rapid.SliceOfN(rapid.Byte(), 300, 300).Draw(t, "tape")
	b = bytes.Clone(a)
	if rapid.IntRange(0, 3).Draw(t, "change") > 0 {
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")]++
	}
	return a, b
}

// checkPair checks the invariants of two values of one type.
func checkPair(sets []*Set, a, b any) error {
	for _, s := range sets {
		p, err := s.Of(a)
		if err != nil {
			return err
		}
		encA, encB := p.Append(nil, a), p.Append(nil, b)
		if again := p.Append(nil, a); !bytes.Equal(encA, again) {
			return fmt.Errorf("two encodings of one value differ:\n%x\n%x", encA, again)
		}
		same := oracleEqual(a, b, encodedBy(s))
		if same != bytes.Equal(encA, encB) {
			return fmt.Errorf("oracle says equal: %v, encodings\n%x\n%x\n%s\n%s\n%v", same, encA, encB, p.Text(a), p.Text(b),
				diff.Between(p.Fields("", a, nil), p.Fields("", b, nil)))
		}
		if !same && (bytes.HasPrefix(encA, encB) || bytes.HasPrefix(encB, encA)) {
			return fmt.Errorf("one encoding begins another:\n%x\n%x", encA, encB)
		}
		changes := diff.Between(p.Fields("x", a, nil), p.Fields("x", b, nil))
		if look := oracleEqual(a, b, counts{nils: !s.rules.Loose}); look != (len(changes) == 0) {
			return fmt.Errorf("oracle says that they look equal: %v, but fields differ by %v", look, changes)
		}
		// Texts show the same as fields, except for overlaps in memory.
		visible := slices.ContainsFunc(changes, func(c diff.Change) bool { return !strings.HasPrefix(c.Path, "memory of") })
		if visible != (p.Text(a) != p.Text(b)) {
			return fmt.Errorf("values that differ by %v have the texts\n%s\n%s", changes, p.Text(a), p.Text(b))
		}
	}
	return nil
}

// checkCopy checks that a copy is equal and shares nothing with the original.
func checkCopy(s *Set, v any) error {
	p, err := s.Of(v)
	if err != nil {
		return err
	}
	enc := p.Append(nil, v)
	c := p.Copy(v)
	if got := p.Append(nil, c); !bytes.Equal(got, enc) {
		return fmt.Errorf("the copy is encoded differently:\n%x\n%x", enc, got)
	}
	if !oracleEqual(v, c, encodedBy(s)) {
		return fmt.Errorf("the copy differs from the original: %s", p.Text(c))
	}
	for _, m := range memoryOf(v) {
		for _, n := range memoryOf(c) {
			if m.at < n.at+n.size && n.at < m.at+m.size {
				return fmt.Errorf("copy and original share %d bytes at %x: %s", m.size, m.at, p.Text(v))
			}
		}
	}
	scramble(c)
	if got := p.Append(nil, v); !bytes.Equal(got, enc) {
		return fmt.Errorf("changing the copy changed the original:\n%x\n%x", enc, got)
	}
	return nil
}

func TestEncoding_EqualIffValuesEqual(t *testing.T) {
	sets := []*Set{newSet(t), newSet(t, rule.ByElements())}
	equal, different := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		tapeA, tapeB := tapes(t)
		a, b := build(tapeA), build(tapeB)
		if oracleEqual(a, b, allCount) {
			equal++
		} else {
			different++
		}
		if err := checkPair(sets, a, b); err != nil {
			t.Fatal(err)
		}
	})
	if least := (equal + different) / 10; equal < least || different < least {
		t.Errorf("%d pairs were equal and %d different: the test is one-sided", equal, different)
	}
}

func TestCopy_EqualAndSeparate(t *testing.T) {
	for _, s := range []*Set{newSet(t), newSet(t, rule.ByElements())} {
		rapid.Check(t, func(t *rapid.T) {
			tape, _ := tapes(t)
			if err := checkCopy(s, build(tape)); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Entries are also right if map iterators do not have the layout of the fast path.
func TestEntriesByCopying(t *testing.T) {
	fast, slow := newSet(t), newSet(t)
	if !fast.direct {
		t.Error("map iterators are not read directly in this release of Go")
	}
	slow.direct = false
	rapid.Check(t, func(t *rapid.T) {
		tape, _ := tapes(t)
		g := build(tape)
		a, b := planOf(t, fast, g).Append(nil, g), planOf(t, slow, g).Append(nil, g)
		if !bytes.Equal(a, b) {
			t.Fatalf("encodings differ:\n%x\n%x", a, b)
		}
	})
}

// Coverage varies with the order of map iteration, so run it with -fuzzminimizetime 10x.
func FuzzValues(f *testing.F) {
	f.Add([]byte("seed"), 0, byte(1))
	f.Add(bytes.Repeat([]byte{1, 2, 3}, 100), 17, byte(9))
	sets := []*Set{newSet(f), newSet(f, rule.ByElements())}
	f.Fuzz(func(t *testing.T, tape []byte, at int, to byte) {
		changed := bytes.Clone(tape)
		if at >= 0 && at < len(changed) {
			changed[at] = to
		}
		if err := checkPair(sets, build(tape), build(changed)); err != nil {
			t.Fatal(err)
		}
		if err := checkCopy(sets[0], build(tape)); err != nil {
			t.Fatal(err)
		}
	})
}
