package spill

import (
	"errors"
	"maps"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func sorted(set map[Key]bool) []Key { return slices.SortedFunc(maps.Keys(set), Key.Compare) }

func wanted(keys []Key) (all []Wanted) {
	for i, k := range keys {
		all = append(all, Wanted{k, uint32(i)})
	}
	return all
}

// Find returns exactly the keys in runs, however many runs were merged.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 2).Draw(t, "words")
		r := NewRuns(dir, words)
		defer r.Close()
		most := rapid.SampledFrom([]uint64{20, 5_000, ^uint64(0)}).Draw(t, "greatest")
		rnd := rapid.Uint64Range(1, most)
		draw := func(from map[Key]bool, n int) map[Key]bool {
			seed := rnd.Draw(t, "key")
			for i := range uint64(n) {
				seed = seed*0x9E3779B97F4A7C15 + i
				k := Key{Lo: seed>>7%most + 1}
				if words == 2 {
					k.Hi = seed % 7 // many have equal high words
				}
				from[k] = true
			}
			return from
		}
		all := map[Key]bool{}
		for range rapid.IntRange(0, 20).Draw(t, "runs") {
			run := draw(map[Key]bool{}, rapid.SampledFrom([]int{0, 1, 511, 512, 513, 3_000}).Draw(t, "keys"))
			if err := r.Add(slices.Values(sorted(run))); err != nil {
				t.Fatal(err)
			}
			maps.Copy(all, run)
			if len(r.runs) > mostRuns {
				t.Fatalf("%d runs", len(r.runs))
			}
		}
		asked := draw(map[Key]bool{}, rapid.SampledFrom([]int{1, 100, 3_000}).Draw(t, "others"))
		for k := range all {
			if len(asked) > 4_000 {
				break
			}
			asked[k] = true
		}
		keys := sorted(asked)
		found := map[Key]bool{}
		if err := r.Find(wanted(keys), func(i uint32) { found[keys[i]] = true }); err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			if found[k] != all[k] {
				t.Fatalf("%x: found %v, is there %v", k, found[k], all[k])
			}
		}
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v is left", err, left)
	}
}

// A change on disk is noticed, and no key is found in the changed block.
func TestDamagedRun(t *testing.T) {
	r := NewRuns(t.TempDir(), 1)
	defer r.Close()
	var keys []Key
	for i := range uint64(5_000) {
		keys = append(keys, Key{Lo: i*7 + 1})
	}
	if err := r.Add(slices.Values(keys)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.runs[0].file.WriteAt([]byte{9}, 8*2_000); err != nil {
		t.Fatal(err)
	}
	if err := r.Find(wanted(keys[:500]), func(uint32) {}); err != nil {
		t.Errorf("it was not asked for what is damaged: %v", err)
	}
	if err := r.Find(wanted(keys), func(uint32) {}); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
	if err := r.runs[0].file.Truncate(100); err != nil {
		t.Fatal(err)
	}
	if err := r.Find(wanted(keys), func(uint32) {}); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
	for range mostRuns {
		if err := r.Add(slices.Values(keys)); err != nil {
			if !errors.Is(err, errDamaged) {
				t.Error(err)
			}
			return
		}
	}
	t.Error("damaged runs were made one")
}

// Chunks come out in order, those in memory and those on disk.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := NewSpool(dir, rapid.IntRange(0, 100).Draw(t, "bytes in memory"))
		defer s.Close()
		var want [][]byte
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				if err := s.Reset(); err != nil {
					t.Fatal(err)
				}
				want = nil
			case 1, 2, 3, 4:
				got, err := s.Next()
				if err != nil || (got == nil) != (len(want) == 0) || got != nil && !slices.Equal(got, want[0]) {
					t.Fatalf("%v %v, want %v", got, err, want)
				}
				want = want[min(1, len(want)):]
			default:
				chunk := rapid.SliceOfN(rapid.Byte(), 1, 30).Draw(t, "chunk")
				if err := s.Append(chunk); err != nil {
					t.Fatal(err)
				}
				want = append(want, chunk)
			}
		}
		if s.bytes > s.most {
			t.Fatalf("%d bytes in memory", s.bytes)
		}
		if len(want) > 0 && s.next >= len(s.held) {
			if _, err := s.store.file.WriteAt([]byte{want[0][0] + 1}, s.spans[s.next-len(s.held)].at); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Next(); !errors.Is(err, errDamaged) {
				t.Fatal(err)
			}
		}
	})
}
