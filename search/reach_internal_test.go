package search

import (
	"reflect"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// All that a unit of deepening has at the beginning is kept.
func TestReachKeepsAll(t *testing.T) {
	full := item{path: choose.Path{1, 2}, depth: 3, forced: 4, next: 5, arity: 6, cost: 7, order: []int32{8}, walk: true,
		state: &layer{pos: 9, state: sim.Fingerprint{Lo: 10, Hi: 1 << 63}, fresh: 11, live: true, recovers: true, aside: true, walked: true}}
	for _, v := range []any{full, *full.state} {
		for i, v := 0, reflect.ValueOf(v); i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Errorf("%s.%s is not looked at", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	of := func(items ...item) *unit { return &unit{phase: deepeningPhase, bound: 12, items: items} }
	r := NewReach()
	r.work = 13
	r.at = &tree{most: maxDepth, reached: reached{
		bound: 12, pending: []*unit{of(full, item{path: choose.Path{3}}), of(item{path: choose.Path{4}})}, bounded: true, sampled: true, exhausted: 11, through: true, complete: true,
	}}
	for i, v := 0, reflect.ValueOf(r.at.reached); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not looked at", v.Type().Field(i).Name)
		}
	}
	states := newVisited()
	for i := range uint64(100) {
		states.add(sim.Fingerprint{Lo: i << 56, Hi: i}, explored(int(i))|walkedFlag|recoversFlag)
	}
	r.seen.addAll(states)
	r.saw(states)
	piece, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got := NewReach()
	if err := got.Decode(piece); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.at, r.at) || got.work != r.work || got.seen.n != 100 || r.fresh.n != 0 {
		t.Errorf("%+v, want %+v", got, r)
	}
	for i := range uint64(100) {
		if f := (sim.Fingerprint{Lo: i << 56, Hi: i}); got.seen.get(f) != r.seen.get(f) {
			t.Errorf("state %d: %x, want %x", i, got.seen.get(f), r.seen.get(f))
		}
	}
}
