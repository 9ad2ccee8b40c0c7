package explorer

import (
	"slices"
	"strconv"

	"github.com/macemc/macemc/internal/testsched"
)

// plans executes runs of a tree before they follow, together with another one: those that follow in any case, unless the exploration ends.
type plans struct {
	*exploration
	outcomes map[string]*testsched.Outcome // by key, of those that have not followed
}

// schedule returns the schedule of the next run of a tree, and its outcome if it was executed.
func (p *plans) schedule(t *tree) (*testsched.Schedule, *testsched.Outcome) {
	s := p.of(t.plan())
	if p.Agents == nil {
		return s, nil
	}
	if key := keyOf(s.Plan); p.outcomes[key] != nil {
		o := p.outcomes[key]
		delete(p.outcomes, key)
		return s, o
	}
	list, keys := p.following(t)
	outcomes := p.together(list)
	for i, o := range outcomes[1:] {
		p.outcomes[keys[i+1]] = o
	}
	return list[0], outcomes[0]
}

// following returns the schedule of the next run of a tree, and those of runs that follow and were not executed. It looks at a limited
// number of runs that were.
func (p *plans) following(t *tree) (list []*testsched.Schedule, keys []string) {
	const most = 2 * batchSchedules
	later := *t
	later.nodes = slices.Clone(t.nodes)
	for n, room := 0, p.room(); n < most && len(list) < room; n++ {
		plan := later.plan()
		key := keyOf(plan)
		if o := p.outcomes[key]; o == nil {
			list, keys = append(list, p.of(plan)), append(keys, key)
		} else if !later.add(o.Decisions) {
			break
		}
		if !later.next() {
			break
		}
	}
	return list, keys
}

// of returns the schedule of a plan.
func (p *plans) of(plan *testsched.Plan) *testsched.Schedule {
	s := &testsched.Schedule{Seed: testsched.Mix(p.Seed), Policy: testsched.Systematic, Plan: plan, Delay: p.Delay}
	bound(p.result, s)
	return s
}

// keyOf returns a text that identifies a plan among those of its tree.
func keyOf(plan *testsched.Plan) string {
	var key []byte
	for _, taken := range plan.Taken {
		key = append(strconv.AppendUint(key, uint64(taken), 36), ' ')
	}
	for _, who := range plan.Asleep {
		key = strconv.AppendUint(append(key, '-'), who, 36)
	}
	return string(key)
}
