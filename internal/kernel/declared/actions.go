package declared

import (
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/simhook"
	"github.com/macemc/macemc/sim"
)

// ActionRule holds the properties of an action that matter to walks and the recovery relation.
type ActionRule struct {
	Weight   int // 0 means the weight of actions
	Fair     bool
	Disturbs bool
}

// ActionRules returns the rules of all actions of a system, in their order. The caller owns the slice.
func ActionRules(s *sim.System) []ActionRule {
	rules := make([]ActionRule, len(s.Actions))
	for i, erased := range s.Actions {
		a, _ := erased.Erased()
		rules[i] = ActionRule{a.Weight, a.Fair, a.Disturbs}
	}
	return rules
}

// Guarded reports whether a system has guards: an action's When, or a service's Ready.
func Guarded(s *sim.System) bool {
	for _, erased := range s.Actions {
		if a, _ := erased.Erased(); a.When != nil {
			return true
		}
	}
	for id := range sim.NodeID(s.Nodes) {
		service := s.New(id)
		Discard(service)
		if _, steps := service.(simext.Stepper); steps {
			return true
		}
	}
	return false
}

// Action is one of a system's actions, with the service's type erased.
type Action struct {
	sim.Action[sim.Service]
	Types simhook.Types
}

// Actions returns the actions of a system.
func Actions(s *sim.System) []Action {
	all := make([]Action, len(s.Actions))
	for i, a := range s.Actions {
		all[i].Action, all[i].Types = a.Erased()
	}
	return all
}

// Fits reports whether a node that runs s has the action.
func (a *Action) Fits(id sim.NodeID, s sim.Service) bool {
	return a.Types.Has(s) && (a.At == nil || a.At(id))
}
