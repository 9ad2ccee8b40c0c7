//go:build macemc_overlay

package bubble

import "testing"

// A node that gives way to others is not kept by the states that know it.
func TestGivesWay(t *testing.T) {
	stepping.Lock()
	defer stepping.Unlock()
	var all []*running
	for i := range runsLimit + 1 {
		runs.used++
		r := &running{n: start(boot{nodes: 1}), at: &input{}, used: runs.used}
		all = append(all, r)
		keep(r)
		if i == runsLimit && (all[0].n != nil || all[0].at != nil || all[1].n == nil) {
			t.Errorf("the first node is %p, the second %p", all[0].n, all[1].n)
		}
	}
	for _, r := range all {
		r.at = nil
	}
}
