package store_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/table/store"
)

func TestMemo_AgreesWithMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m store.Memo
		want := map[uint64]uint64{}
		key := rapid.OneOf(rapid.Uint64Range(0, 50), rapid.Uint64Range(0, 1<<64-2))
		for range rapid.IntRange(0, 400).Draw(t, "n") {
			k := key.Draw(t, "key")
			v, ok := m.Get(k)
			if w, known := want[k]; ok != known || v != w {
				t.Fatalf("key %d is %d, %v; want %d, %v", k, v, ok, w, known)
			}
			want[k] = rapid.Uint64().Draw(t, "value")
			m.Put(k, want[k])
		}
		if m.N != len(want) {
			t.Fatalf("%d keys, want %d", m.N, len(want))
		}
	})
}
