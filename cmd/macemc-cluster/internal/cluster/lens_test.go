package cluster

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/systems/superstep"
)

// The lengths of logs follow from their numbers of blocks if a member has reported them, and are read otherwise,
// even if the server has lost a block or another worker has added one.
func TestLens(t *testing.T) {
	t.Parallel()
	nc := connected(t, serve(t), Security{})
	ctx := context.Background()
	owner, err := create(ctx, nc, Manifest{ID: newID(), Parts: parts, Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	add := func(part, first, n int) {
		t.Helper()
		if ok, err := owner.append(ctx, part, block{first, n, []byte("x")}); err != nil || !ok {
			t.Fatalf("got appended %v, error %v, want true", ok, err)
		}
	}
	open := func() *run {
		r, err := open(ctx, nc, owner.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	leader := &member{run: open()}
	stranger := open()
	is := func(when string, part0, part1 int) {
		t.Helper()
		want := make([]int, parts)
		want[0], want[1] = part0, part1
		for who, r := range map[string]*run{"owner": owner, "leader": leader.run, "stranger": stranger} {
			if got, err := r.lens(ctx); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: to the %s the logs have %v states (%v), must have %v", when, who, got, err, want)
			}
		}
	}
	is("at first", 0, 0)
	add(0, 0, 7)
	add(0, 7, 5)
	add(1, 0, 3)
	said := (&member{run: owner}).with(superstep.Done{Len: []int{12, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}})
	leader.updateLengths(&said)
	if leader.reported[0] != (length{2, 12}) || leader.reported[1] != (length{1, 3}) || leader.reported[2] != (length{}) {
		t.Errorf("the leader received %v, want lengths of 12 and 3 in 2 blocks and 1", leader.reported[:3])
	}
	is("when the leader was told", 12, 3)
	add(0, 12, 4)
	is("when one has more", 16, 3)
	lost := owner.seen[1].last
	if err := owner.log.DeleteMsg(ctx, lost); err != nil {
		t.Fatal(err)
	}
	is("when the server has lost one", 16, 0)
	if err := owner.log.DeleteMsg(ctx, owner.seen[0].last); err != nil {
		t.Fatal(err)
	}
	is("when it has lost the last of three", 12, 0)
	leader.reported[0].states = 99
	if got, err := leader.lens(ctx); err != nil || got[0] != 99 {
		t.Errorf("the log has %d states (%v), want the 99 that were reported, without reading a block", got[0], err)
	}
}
