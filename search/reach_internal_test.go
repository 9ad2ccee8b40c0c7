package search

import (
	"reflect"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runs"
)

// Everything that a unit of deepening has at its start is stored.
func TestReach_KeepsAll(t *testing.T) {
	full := runs.Item{Path: choose.Path{1, 2}, Depth: 3, Forced: 4, Next: 5, Arity: 6, Cost: 7, Order: []int32{8}, Walk: true,
		State: &runs.Layer{Pos: 9, State: encoding.Fingerprint{Lo: 10, Hi: 1 << 63}, NewSuccessors: 11,
			Live: true, Recovers: true, NotRecovery: true, Walked: true}}
	for _, v := range []any{full, *full.State} {
		for i, v := 0, reflect.ValueOf(v); i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s is not looked at", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	of := func(items ...runs.Item) *unit {
		return &unit{phase: deepeningPhase, Job: runs.Job{Bound: 12, Items: items}}
	}
	r := NewReach()
	r.work = 13
	r.at = &tree{most: fpset.MaxDepth, reached: reached{
		Bound: 12, Pending: []*unit{of(full, runs.Item{Path: choose.Path{3}}), of(runs.Item{Path: choose.Path{4}})}, Bounded: true,
		Sampled: true, Exhausted: 11, Through: true, Complete: true,
	}}
	for i, v := 0, reflect.ValueOf(r.at.reached); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not looked at", v.Type().Field(i).Name)
		}
	}
	states := fpset.New()
	for i := range uint64(100) {
		states.Add(encoding.Fingerprint{Lo: i << 56, Hi: i}, fpset.Explored(int(i))|fpset.WalkedFlag|fpset.RecoversFlag)
	}
	r.seen.AddAll(states)
	r.saw(states)
	piece, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got := NewReach()
	if err := got.Decode(piece); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.at, r.at) || got.work != r.work || got.seen.N != 100 || r.fresh.N != 0 {
		t.Errorf("%+v, want %+v", got, r)
	}
	for i := range uint64(100) {
		if f := (encoding.Fingerprint{Lo: i << 56, Hi: i}); got.seen.Get(f) != r.seen.Get(f) {
			t.Errorf("state %d: %x, want %x", i, got.seen.Get(f), r.seen.Get(f))
		}
	}
}
