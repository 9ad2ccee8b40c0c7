package statelog

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore"
)

// drawn returns blocks as an exploration appends them.
func drawn(t *rapid.T) (blocks []explore.Block) {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	m := explore.Mark{}
	most := rapid.SampledFrom([]int{1, 3, 300}).Draw(t, "edges")
	for range rapid.IntRange(0, 30).Draw(t, "blocks") {
		b := explore.Block{}
		if m.States == 0 {
			for edge := range uint32(1 + rnd.IntN(3)) {
				b.Origins = append(b.Origins, explore.Origin{EdgeIndex: edge * 2})
			}
		} else {
			for range min(rnd.IntN(40), m.States-m.Expanded) {
				if rnd.IntN(4) == 0 {
					b.CacheFillers = append(b.CacheFillers, explore.CacheFiller{ID: uint32(m.Expanded), Row: rnd.Uint64()})
				}
				m.Expanded++
				for edge := range uint32(most) {
					if rnd.IntN(most) < 2 {
						b.Origins = append(b.Origins, explore.Origin{From: uint32(m.Expanded), EdgeIndex: edge})
					}
				}
			}
		}
		m.States += len(b.Origins)
		m.Transitions, m.Steps, m.Live, m.Depth, m.Digest = m.Transitions+rnd.IntN(1000), m.Steps+1, m.Live+2, m.Depth+3, rnd.Uint64()
		b.Mark = m
		b.Notes = fmt.Appendf(nil, "note %d;", rnd.IntN(5))
		blocks = append(blocks, b)
	}
	return blocks
}

// all returns the content of blocks, independent of their boundaries.
func all(blocks []explore.Block) (all explore.Block) {
	for _, b := range blocks {
		all.Mark = b.Mark
		all.Origins, all.CacheFillers, all.Notes = append(all.Origins, b.Origins...), append(all.CacheFillers, b.CacheFillers...), append(all.Notes, b.Notes...)
	}
	return all
}

func equal(a, b *explore.Block) bool {
	return a.Mark == b.Mark && slices.Equal(a.Origins, b.Origins) && slices.Equal(a.CacheFillers, b.CacheFillers) && bytes.Equal(a.Notes, b.Notes)
}

// written writes blocks to a file, each as one block.
func written(t rapid.TB, name string, blocks []explore.Block) {
	l, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range blocks {
		if err := l.Append(&blocks[i]); err != nil {
			t.Fatal(err)
		}
		l.flush()
		if l.End() != blocks[i].Mark {
			t.Fatalf("%+v was appended, the log goes to %+v", blocks[i].Mark, l.End())
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func contentOf(l *Log) (got []explore.Block, err error) {
	for b, err := range l.Blocks() {
		if err != nil {
			return got, err
		}
		got = append(got, explore.Block{Mark: b.Mark, Origins: slices.Clone(b.Origins), CacheFillers: slices.Clone(b.CacheFillers), Notes: slices.Clone(b.Notes)})
	}
	return got, nil
}

// Appended content is present, even after the log was reopened and continued, and with any torn end.
func TestLog(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		name := filepath.Join(dir, fmt.Sprint(n))
		want := drawn(t)
		k := rapid.IntRange(0, len(want)).Draw(t, "blocks at first")
		written(t, name, want[:k])
		torn := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "torn")
		f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(torn)
		f.Close()
		written(t, name, want[k:])
		l, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		got, err := contentOf(l)
		if err != nil {
			t.Fatal(err)
		}
		w, g := all(want), all(got)
		if !equal(&w, &g) || l.End() != w.Mark || !bytes.Equal(l.Notes(), w.Notes) || l.Stats().CacheFillers != len(w.CacheFillers) || l.Stats().Torn != 0 {
			t.Fatalf("%+v, want %+v", g, w)
		}
	})
}

// If a file is truncated or changed, a read returns a prefix of the content, or an error.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	n, cut, refused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		name := filepath.Join(dir, fmt.Sprint(n))
		want := drawn(t)
		written(t, name, want)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "cut") {
			data = data[:rapid.IntRange(0, len(data)).Draw(t, "length")]
		}
		for range rapid.IntRange(0, 2).Draw(t, "flips") {
			if len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			}
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Open(name)
		if err != nil {
			refused++
			return
		}
		defer l.Close()
		got, err := contentOf(l)
		if err != nil {
			t.Fatalf("it was opened: %v", err)
		}
		if len(got) > len(want) {
			t.Fatalf("%d blocks, of %d", len(got), len(want))
		}
		w, g := all(want[:len(got)]), all(got)
		if !equal(&w, &g) {
			t.Fatalf("%+v, want %+v", g, w)
		}
		if len(got) < len(want) {
			cut++
		}
	})
	if cut < 2 || refused < 2 {
		t.Errorf("%d cut, %d refused", cut, refused)
	}
}

// A damaged block is cut off only at the end.
func TestDamagedInTheMiddle(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	var blocks []explore.Block
	for i := range 3 {
		blocks = append(blocks, explore.Block{Mark: explore.Mark{States: i + 1, Expanded: i}, Origins: []explore.Origin{{From: uint32(i)}}})
	}
	written(t, name, blocks)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	size := (len(data) - len(title)) / 3
	for _, c := range []struct {
		at      int
		refused bool
	}{{len(title) + 20, true}, {len(title) + 9, true}, {len(title) + size + 20, true}, {len(title) + 2*size + 20, false}, {3, true}} {
		data[c.at] ^= 4
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Read(name)
		if (err != nil) != c.refused {
			t.Errorf("byte %d: %v", c.at, err)
		}
		if err == nil {
			if l.End() != blocks[1].Mark || l.Stats().Torn != int64(size) {
				t.Errorf("byte %d: %+v %+v", c.at, l.End(), l.Stats())
			}
			l.Close()
		}
		data[c.at] ^= 4
	}
	// A missing block.
	data = slices.Delete(data, len(title)+size, len(title)+2*size)
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if _, err := Read(name); !errors.As(err, &damaged) || damaged.Block != 2 {
		t.Errorf("a block is missing: %v", err)
	}
}

// full is a file with room for a limited number of bytes.
type full struct {
	*os.File
	left int
}

var errFull = errors.New("no room")

func (f *full) WriteAt(p []byte, off int64) (int, error) {
	if f.left -= len(p); f.left >= 0 {
		return f.File.WriteAt(p, off)
	}
	n, _ := f.File.WriteAt(p[:max(0, len(p)+f.left)], off)
	return n, errFull
}

// A full disk ends the log; all but its last block are whole.
func TestFull(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	l, err := open(name, &full{f, 1000})
	if err == nil {
		err = l.begin()
	}
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; err == nil; n++ {
		b := explore.Block{Mark: explore.Mark{States: n + 1, Expanded: n}, Origins: []explore.Origin{{From: uint32(n)}}}
		if err = l.Append(&b); err == nil {
			l.flush()
		}
	}
	if !errors.Is(err, errFull) || !errors.Is(l.Close(), errFull) || l.Append(&explore.Block{}) == nil {
		t.Error(err)
	}
	if l, err = Open(name); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if end := l.End(); end.States < 10 || end.States >= n || l.Stats().Torn != 0 {
		t.Errorf("%d states appended, %+v %+v", n, end, l.Stats())
	}
}

// Invalid content is rejected, or has a meaning that is written back identically.
func FuzzBlock(f *testing.F) {
	name := filepath.Join(f.TempDir(), "log")
	written(f, name, []explore.Block{
		{Mark: explore.Mark{States: 2, Digest: 7}, Origins: []explore.Origin{{}, {EdgeIndex: 40}}, Notes: []byte("x")},
		{Mark: explore.Mark{States: 3, Expanded: 2}, Origins: []explore.Origin{{From: 2, EdgeIndex: 3}}, CacheFillers: []explore.CacheFiller{{ID: 1, Row: 5}}},
	})
	data, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	for at := len(title); at < len(data); {
		b := unframe(data[at:])
		f.Add(b, 0)
		f.Add(b, 1)
		at += headBytes + len(b)
	}
	f.Fuzz(func(t *testing.T, data []byte, expanded int) {
		c := content{left: data}
		h := headOf(&c)
		var b explore.Block
		if h.block(&c, expanded, &b) != nil {
			return
		}
		again := h.append(nil)
		var r records
		for _, o := range b.Origins {
			if again, err = r.append(again, o); err != nil {
				t.Fatal(err)
			}
		}
		c = content{left: again}
		var b2 explore.Block
		h = headOf(&c)
		if err := h.block(&c, expanded, &b2); err != nil || !equal(&b, &b2) {
			t.Fatalf("%v: %+v, was %+v", err, b2, b)
		}
	})
}
