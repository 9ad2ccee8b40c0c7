package sim

import (
	"fmt"
	"math"
)

// Action is something that the application on top of a service of type S may do: an event of its
// own, enabled by the node's local state.
type Action[S Service] struct {
	Name  string
	Times int               // how often in the life of a node, crashes included; below 2^31, 0: no limit
	When  func(S) bool      // nil: always; it only looks
	Do    func(S, Env)      // not nil
	At    func(NodeID) bool // which nodes have it; nil: all that run an S
	// Weight is how probable random walks make it, in place of the weight that actions have, see search.Weights; at most [MaxWeight],
	// 0: that one. Where actions have weight 0, so has this one.
	Weight int
	// Fair says that it is done, in runs without end, if it can be from some point on. Others may be left out for ever.
	Fair bool
	// Disturbs says that it is no part of recovery: that a live state can be reached by doing it is no excuse for being stuck
	// without. Runs have it, as they have faults, but there is no limit to it but Times.
	Disturbs bool
}

// MaxWeight keeps sums of weights far from overflow.
const MaxWeight = 1 << 30

// ActionRule is what walks and the recovery relation ask of an action.
type ActionRule struct {
	Weight   int // 0: that of actions
	Fair     bool
	Disturbs bool
}

// ActionRules are the rules of all actions, in their order. The slice is the caller's.
func (s *System) ActionRules() []ActionRule {
	rules := make([]ActionRule, len(s.Actions))
	for i, a := range s.Actions {
		info := a.action()
		rules[i] = ActionRule{info.weight, info.fair, info.disturbs}
	}
	return rules
}

// Disturbing reports for each action whether it disturbs. It is nil when none does.
func (s *System) Disturbing() []bool {
	var out []bool
	for i, r := range s.ActionRules() {
		if r.Disturbs {
			if out == nil {
				out = make([]bool, len(s.Actions))
			}
			out[i] = true
		}
	}
	return out
}

// AnyAction is an [Action] of any service type.
type AnyAction interface {
	action() actionInfo
}

type actionInfo struct {
	name  string
	times int
	fits  func(NodeID, Service) bool
	when  func(Service) bool // nil: always
	do    func(Service, Env)
	code  any // the function that Do runs, for source lines
	err   error

	weight   int
	fair     bool
	disturbs bool
}

func (a Action[S]) action() actionInfo {
	info := actionInfo{name: a.Name, times: a.Times, code: a.Do, weight: a.Weight, fair: a.Fair, disturbs: a.Disturbs}
	if a.Name == "" || a.Do == nil {
		info.err = fmt.Errorf("action %q needs a name and a Do", a.Name)
	} else if a.Times < 0 || a.Times > math.MaxInt32 {
		info.err = fmt.Errorf("action %q: Times is %d, must be 0 to %d", a.Name, a.Times, math.MaxInt32)
	}
	if a.Weight < 0 || a.Weight > MaxWeight {
		info.err = fmt.Errorf("action %q: Weight is %d, must be 0 to %d", a.Name, a.Weight, MaxWeight)
	}
	info.fits = func(id NodeID, s Service) bool {
		_, ok := s.(S)
		return ok && (a.At == nil || a.At(id))
	}
	if a.When != nil {
		info.when = func(s Service) bool { return a.When(s.(S)) }
	}
	info.do = func(s Service, env Env) { a.Do(s.(S), env) }
	return info
}
