package search

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/search/schedules"
	"pgregory.net/rapid"
)

// Shares change with every 512th run of a row, by the results until then, and at no other time, for rounds of any
// length.
func TestCredit_AtFixedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &walkSeries{phase: phase(Walk.info().Phase), turns: newRotation(schedules.Names(), false)}
		n := len(r.turns.names)
		var mix []uint8  // of the runs since the last change of shares
		met := uint64(0) // number of new changes of states
		learned := false // since the last change of shares
		for r.number < 5000 {
			var units []*unit
			for range rapid.IntRange(1, unitsPerRound).Draw(t, "units") {
				u := r.next()
				switch {
				case u.First%512 != 0 && !slices.Equal(u.Mix, mix):
					t.Fatalf("run %d has other turns than the one before", u.First)
				case u.First > 0 && u.First%512 == 0 && slices.Equal(u.Mix, mix) == learned:
					t.Fatalf("shares change with run %d: %v, something was learned: %v", u.First, !learned, learned)
				}
				if u.First%512 == 0 {
					mix, learned = u.Mix, false
				}
				units = append(units, u)
			}
			// The schedule with the fewest turns makes all discoveries.
			least, fewest := 0, mixRuns+1
			for i := range n {
				if turns := count(mix, i); turns < fewest {
					least, fewest = i, turns
				}
			}
			u := units[0]
			u.schedules.reset(n)
			for i := range n {
				u.schedules.steps[i] = 100
			}
			for range 100 {
				met++
				u.schedules.pairs[least] = append(u.schedules.pairs[least], met)
			}
			r.merged(units)
			learned = true
		}
	})
}

// A schedule that finds more has more turns, and all keep half of their first share.
func TestCredit(t *testing.T) {
	r := newRotation(schedules.Names(), true)
	first := slices.Clone(r.mix)
	last := len(r.names) - 1
	for k := range uint64(10) {
		u := &unit{}
		u.schedules.reset(len(r.names))
		for i := range r.names {
			u.schedules.steps[i] = 100
		}
		u.schedules.pairs[last] = []uint64{k, k, 3}
		r.learn([]*unit{u})
		if r.updateShares(); count(r.mix, last) <= count(first, last) {
			t.Fatalf("after %d changes that were met first by %s it has %d turns of %d, and had %d", k, r.names[last], count(r.mix, last), mixRuns, count(first, last))
		}
		for i := range r.names {
			if least := int(r.base[i] / 2 * mixRuns); count(r.mix, i) < least {
				t.Fatalf("%s has %d turns of %d", r.names[i], count(r.mix, i), mixRuns)
			}
		}
	}
	for k := range uint64(10) { // older credit counts less and less
		u := &unit{}
		u.schedules.reset(len(r.names))
		u.schedules.steps[last], u.schedules.steps[0], u.schedules.pairs[0] = 100, 100, []uint64{1000 + k}
		r.learn([]*unit{u})
		r.updateShares()
	}
	if count(r.mix, last) >= count(first, last) {
		t.Fatalf("%s, which finds nothing any more, has %d turns of %d", r.names[last], count(r.mix, last), mixRuns)
	}
}

func count(mix []uint8, i int) (n int) {
	for _, m := range mix {
		if int(m) == i {
			n++
		}
	}
	return n
}

// A schedule outside the default rotation makes runs on request.
func TestSchedules_OnRequest(t *testing.T) {
	requested := slices.DeleteFunc(schedules.Names(), func(name string) bool { return slices.Contains(schedules.Default(), name) })
	if !slices.Contains(requested, schedules.SURW) {
		t.Errorf("on request %v, want %s among them", requested, schedules.SURW)
	}
	for _, name := range requested {
		for _, list := range [][]string{{name}, {schedules.Weighted, name}} {
			if r := newRotation(list, false); count(r.mix, len(list)-1) == 0 {
				t.Errorf("%v: %s has no turn", list, name)
			}
		}
	}
}
