package shrink

import (
	"cmp"
	"context"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// follows reports whether the step delivers what another step sent.
func (s *Step) follows() bool { return follows(s.Kind) }

func follows(k eventkind.Kind) bool {
	return k == eventkind.Deliver || k == eventkind.TakeQuorum || k == eventkind.DeliverError || k == eventkind.DeliverReady
}

// delivery identifies what a step delivers; equal ones are numbered.
type delivery struct {
	kind       eventkind.Kind
	node, peer sim.NodeID
	key        string
}

// Causes plays a script and returns for each executed step the step that sent what it delivers. The cause is -1 if
// the step delivers nothing, or something that the first boots sent.
func (p *Player) Causes(s Script) (Script, []int) {
	var waiting []map[delivery]int // for each state, the number of each enabled delivery
	check := p.Check
	p.Check = func() error {
		now := map[delivery]int{}
		for _, ev := range p.Run.World.Enabled() {
			if follows(ev.Kind) {
				now[delivery{ev.Kind, ev.Node, ev.Peer, p.names.of(p.Run.World, ev).key}]++
			}
		}
		waiting = append(waiting, now)
		if check != nil {
			return check()
		}
		return p.Run.World.Check()
	}
	played := p.Play(s)
	p.Check = check
	return played.Script, causesOf(played.Script.Steps, waiting)
}

func causesOf(steps []Step, waiting []map[delivery]int) []int {
	senders := map[delivery][]int{} // of undelivered messages, the oldest first
	arrive := func(state, step int) {
		if state >= len(waiting) {
			return
		}
		for d, from := range senders {
			senders[d] = from[:min(len(from), waiting[state][d])]
		}
		for d, n := range waiting[state] {
			for len(senders[d]) < n {
				senders[d] = append(senders[d], step)
			}
		}
	}
	arrive(0, -1)
	causes := make([]int, len(steps))
	for i := range steps {
		s := &steps[i]
		causes[i] = -1
		d := delivery{s.Kind, s.Node, s.Peer, s.Key}
		if from := senders[d]; s.follows() && len(from) > 0 {
			at := min(s.Nth, len(from)-1)
			causes[i] = from[at]
			senders[d] = slices.Delete(slices.Clone(from), at, at+1)
		}
		arrive(i+1, i)
	}
	return causes
}

// consequences returns for each step the steps that it causes, directly or not, itself included.
func consequences(causes []int) [][]int {
	out := make([][]int, len(causes))
	for i := len(causes) - 1; i >= 0; i-- {
		out[i] = append(out[i], i)
		slices.Sort(out[i])
		if c := causes[i]; c >= 0 {
			out[c] = append(out[c], out[i]...)
		}
	}
	return out
}

// excluding returns the script without the given steps.
func (s Script) excluding(steps ...[]int) Script {
	gone := make([]bool, len(s.Steps))
	for _, list := range steps {
		for _, i := range list {
			gone[i] = true
		}
	}
	return s.only(func(i int, _ *Step) bool { return !gone[i] })
}

// dropCauses removes steps together with their consequences, the largest sets first. After each removal it continues
// with the next smaller sets, and after those it begins again.
func (r *reducer) dropCauses(ctx context.Context) (changed bool) {
	for again := r.causes != nil && r.inTime(ctx, &r.best); again && !r.over; {
		again = false
		for largest := len(r.best.Steps); largest > 1 && !r.over; {
			script, causes := r.causes(r.best)
			groups := consequences(causes)
			slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
			at := slices.IndexFunc(groups, func(g []int) bool {
				return 1 < len(g) && len(g) <= largest && r.try(ctx, script.excluding(g))
			})
			if at < 0 {
				break
			}
			again, changed, largest = true, true, len(groups[at])
		}
	}
	return changed
}

// dropPairs removes any two causes, each with its consequences.
func (r *reducer) dropPairs(ctx context.Context) bool {
	if r.causes == nil || !r.inTime(ctx, &r.best) {
		return false
	}
	script, causes := r.causes(r.best)
	groups := consequences(causes)
	for i, a := range groups {
		for k, b := range groups[:i] {
			if causes[i] < 0 && causes[k] < 0 && r.try(ctx, script.excluding(a, b)) {
				return true
			}
		}
	}
	r.pairs = r.complete(ctx)
	return false
}
