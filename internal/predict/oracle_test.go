package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// defect is a mistake that judge must notice.
type defect int

const (
	noDefect defect = iota
	guardsIgnored
	lastIgnored
	nthOffByOne
)

// predictions returns the predictions of a record, in order.
func (d defect) predictions(events []Event) (list []Prediction) {
	p := New(1_000_000)
	if d != guardsIgnored {
		p.Add(events, 1, nil)
	} else if r := newRun(events); r != nil {
		o := r.lockOrder()
		for i := range o.edges {
			o.edges[i].guards = nil
		}
		o.cycles(func(cycle []*edge, writers []*request) { p.predictCycle(r, cycle, writers) })
	}
	for x := p.Best(); x != nil; x = p.Best() {
		for i := range x.Holds {
			if h := &x.Holds[i]; d == lastIgnored {
				h.Order = 0
			} else if d == nthOffByOne && h.Nth > 0 {
				h.Nth++
			}
		}
		list = append(list, *x)
	}
	return list
}

func (r *run) lockOrder() *lockOrder {
	o := newLockOrder()
	for i := range r.events {
		r.begin(i)
		o.add(r, i)
		r.end(i)
		o.await(r)
	}
	return o
}

// cycle returns the cycle of a prediction, or an empty string.
func (x *Prediction) cycle() lockCycle {
	locks, waits, equal := 0, 0, 0
	fmt.Sscanf(strings.ReplaceAll(x.What, "locks", "lock"), "cycle of %d lock and %d wait", &locks, &waits)
	for _, p := range x.Pairs {
		if p[0] == p[1] {
			equal++
		}
	}
	if locks == 0 || equal != waits { // others are those of writers
		return ""
	}
	var pairs [][2]uint64
	for _, p := range x.Pairs {
		pairs = append(pairs, [2]uint64{p[0].Place, p[1].Place})
	}
	return cycleOf(pairs)
}

// verdict counts cycles of locks.
type verdict struct {
	reached   int // by exhaustive exploration, with edges in the first run
	missed    []lockCycle
	protected []lockCycle // that were predicted although a common lock excludes them
}

func (v *verdict) add(w verdict) {
	v.reached += w.reached
	v.missed, v.protected = append(v.missed, w.missed...), append(v.protected, w.protected...)
}

// judge compares the predictions for a program with all its interleavings. A cycle of k locks counts as found if one of its first k+3
// directed runs shows it or another cycle.
func (d defect) judge(p program) (v verdict) {
	first := p.execute(nil)
	if !first.passed() || newRun(first.events) == nil {
		return v
	}
	all := p.reachable()
	runs, shown := map[lockCycle]int{}, map[lockCycle]bool{}
	for _, x := range d.predictions(first.events) {
		c := x.cycle()
		if runs[c]++; c == "" || runs[c] > len(x.Pairs)+3 {
			continue
		}
		if runs[c] == 1 && !first.unprotected(c.pairs(), nil) {
			v.protected = append(v.protected, c)
		}
		cycles := p.execute(x.Holds).cycles()
		shown[c] = shown[c] || len(cycles) > 0
		for _, s := range cycles {
			shown[s] = true
		}
	}
	for c := range all {
		if first.unprotected(c.pairs(), nil) {
			if v.reached++; !shown[c] {
				v.missed = append(v.missed, c)
			}
		}
	}
	return v
}

// unprotected reports whether the run has critical sections with pairs of contexts that no common lock excludes from overlapping each
// other, or those that were chosen.
func (x *execution) unprotected(pairs [][2]uint64, chosen []section) bool {
	if len(pairs) == 0 {
		return true
	}
	return slices.ContainsFunc(x.sections, func(s section) bool {
		return s.pair == pairs[0] && !slices.ContainsFunc(chosen, s.excludes) && x.unprotected(pairs[1:], append(slices.Clip(chosen), s))
	})
}

// ordered has a cycle that only a run shows in which a goroutine continues last.
const ordered = `L2 U2 +0 L3 L2 U2 U3 S0
L0 L3 U3 R1 L3 U3 r1 U0
W0 L0 U0 +1 L3 L2 L1 U1 U2 R1 r1 U3`

func TestPredictor_FindsCycles(t *testing.T) {
	for d := range nthOffByOne + 1 {
		r, all := rand.New(rand.NewPCG(1, 2)), d.judge(parseProgram(ordered))
		for _, size := range [][2]int{{1, 3}, {2, 2}, {2, 3}, {3, 2}} {
			for range 300 {
				p := drawProgram(r, size[0], size[1])
				v := d.judge(p)
				all.add(v)
				if d == noDefect && len(v.missed)+len(v.protected) > 0 {
					t.Errorf("missed %s, predicted %s in spite of a common lock, of\n%v", v.missed, v.protected, p)
				}
			}
		}
		t.Logf("defect %d: %d cycles, %d missed, %d predicted in spite of a common lock", d, all.reached, len(all.missed), len(all.protected))
		if all.reached < 100 {
			t.Errorf("only %d cycles", all.reached)
		}
		if mistakes := len(all.missed) + len(all.protected); d != noDefect && mistakes == 0 {
			t.Errorf("defect %d is not noticed", d)
		}
	}
}
