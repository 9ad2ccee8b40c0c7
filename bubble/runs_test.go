//go:build macemc_overlay

package bubble

import (
	"context"
	"testing"
)

// States that reference an evicted node do not keep it in memory.
func TestGivesWay(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	var all []*running
	kept := runs.limit
	for i := range kept + 1 {
		runs.used++
		r := &running{n: start(boot{nodes: 1}), at: &input{}, used: runs.used}
		all = append(all, r)
		keep(r)
		if i == kept && (all[0].n != nil || all[0].at != nil || all[1].n == nil) {
			t.Errorf("the first node is %p, the second %p", all[0].n, all[1].n)
		}
	}
	for _, r := range all {
		r.at = nil
	}
}

// The capacity grows when the steps of a search alternate between more nodes than fit.
func TestMoreAreKept(t *testing.T) {
	before := runs.limit
	defer func() { runs.limit = before }()
	runs.limit = fewRuns
	var all []*past
	program := func(ctx context.Context, _ *Host) error { <-ctx.Done(); return nil }
	for i := range 2 * fewRuns {
		p := &past{program: program}
		in := &input{kind: bootInput, boot: &boot{nodes: 1, seed: uint64(i)}}
		if err := p.extend(in, func(n *node) { n.perform(in, program) }); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for range 2 * window / fewRuns {
		for _, p := range all {
			in := &input{kind: readyInput}
			if err := p.extend(in, func(n *node) { n.perform(in, program) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if runs.limit != 2*fewRuns || len(runs.all) > 2*fewRuns {
		t.Errorf("%d nodes are kept, at most %d", len(runs.all), runs.limit)
	}
}
