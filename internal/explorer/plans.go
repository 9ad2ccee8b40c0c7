package explorer

import (
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
)

// plans executes runs of a tree before they follow, together with another one: those that follow in any case, unless the exploration ends.
type plans struct {
	*exploration
	outcomes map[string]*testsched.Outcome // by key, of those that have not followed
}

// schedule returns the schedule of the next run of a tree, and its outcome if it was executed.
func (p *plans) schedule(t *systematic.Tree) (*testsched.Schedule, *testsched.Outcome) {
	s := p.of(t.Plan())
	if p.Agents == nil {
		return s, nil
	}
	if key := systematic.Key(s.Plan); p.outcomes[key] != nil {
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
func (p *plans) following(t *systematic.Tree) (list []*testsched.Schedule, keys []string) {
	const most = 2 * batchSchedules
	later := t.Clone()
	for n, room := 0, p.room(); n < most && len(list) < room; n++ {
		plan := later.Plan()
		key := systematic.Key(plan)
		if o := p.outcomes[key]; o == nil {
			list, keys = append(list, p.of(plan)), append(keys, key)
		} else if !later.Add(o.Decisions) {
			break
		}
		if !later.Next() {
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
