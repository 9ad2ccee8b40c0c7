package sim

import (
	"fmt"
	"math"

	"github.com/macemc/macemc/internal/simhook"
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
	// 0: that one. Where actions have weight 0, so has this one. Schedules that draw speeds or priorities of their own do not mind it, see
	// search.Schedule.
	Weight int
	// Fair says that it is done, in runs without end, if it can be from some point on. Others may be left out for ever.
	Fair bool
	// Disturbs says that it is no part of recovery: that a live state can be reached by doing it is no excuse for being stuck
	// without. Runs have it, as they have faults, but there is no limit to it but Times.
	Disturbs bool
}

// MaxWeight keeps sums of weights far from overflow.
const MaxWeight = 1 << 30

// AnyAction is an [Action] of any service type.
type AnyAction interface {
	// Erased returns the action as one of services of all types, and tells which of them have it.
	Erased() (Action[Service], simhook.Types)
}

// Erased implements [AnyAction].
func (a Action[S]) Erased() (Action[Service], simhook.Types) {
	e := Action[Service]{Name: a.Name, Times: a.Times, At: a.At, Weight: a.Weight, Fair: a.Fair, Disturbs: a.Disturbs}
	if a.When != nil {
		e.When = func(s Service) bool { return a.When(s.(S)) }
	}
	if a.Do != nil {
		e.Do = func(s Service, env Env) { a.Do(s.(S), env) }
	}
	return e, simhook.Types{Has: func(s any) bool { _, ok := s.(S); return ok }, Do: a.Do}
}

// validate reports the first thing that is wrong.
func (a *Action[S]) validate() error {
	switch {
	case a.Name == "" || a.Do == nil:
		return fmt.Errorf("action %q needs a name and a Do", a.Name)
	case a.Times < 0 || a.Times > math.MaxInt32:
		return fmt.Errorf("action %q: Times is %d, must be 0 to %d", a.Name, a.Times, math.MaxInt32)
	case a.Weight < 0 || a.Weight > MaxWeight:
		return fmt.Errorf("action %q: Weight is %d, must be 0 to %d", a.Name, a.Weight, MaxWeight)
	}
	return nil
}
