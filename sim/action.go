package sim

import (
	"fmt"
	"math"

	"github.com/macemc/macemc/internal/simhook"
)

// Action is an operation of the application above a service of type S. It may happen whenever the local state of its node
// enables it.
type Action[S Service] struct {
	Name  string
	Times int               // limit for the life of a node, crashes included; below 2^31; 0 means no limit
	When  func(S) bool      // nil means always enabled; must not change the service
	Do    func(S, Env)      // must not be nil
	At    func(NodeID) bool // reports whether a node has the action; nil means every node that runs an S
	// Weight is the weight of this action in random walks, at most [MaxWeight]. It replaces the weight of all actions,
	// see search.Weights; 0 keeps that weight. If actions have weight 0, so does this one. Schedules that draw speeds
	// or priorities of their own ignore it, see search.Schedule.
	Weight int
	// Fair means that an infinite run that enables the action forever from some point on also executes it. Runs may
	// omit other actions forever. It also holds for one that Disturbs.
	Fair bool
	// Disturbs excludes the action from recovery: a state is dead if it can reach a live state only by such actions.
	// Runs execute it like a fault, limited by Times alone.
	Disturbs bool
}

// MaxWeight is the maximum of a weight. It keeps sums of weights far from overflow.
const MaxWeight = 1 << 30

// AnyAction is an [Action] of any service type.
type AnyAction interface {
	// Erased returns the action for services of any type, and the types that have it.
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

// validate returns an error for the first invalid field.
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
