package declared

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Limited returns a service whose behaviour a search can see only in part, or nil if there is none.
func Limited(sys *sim.System) simext.Limited {
	for id := range sim.NodeID(sys.Nodes) {
		s := sys.New(id)
		defer Discard(s)
		if l, ok := s.(simext.Limited); ok {
			return l
		}
	}
	return nil
}

// Compare returns a service's description of its differences to other, the same service in another execution of its
// path; see [simext.Comparer].
func Compare(s, other sim.Service) []string {
	if c, ok := s.(simext.Comparer); ok {
		return c.Compare(other)
	}
	return nil
}

// NodeLimits returns how often each fault of nodes can strike in a run. The limits of other faults are 0.
func NodeLimits(sys *sim.System) (limits sim.Limits) {
	for f, limit := range sys.Limits() {
		if !sim.Fault(f).Event().OfNetwork() {
			limits[f] = limit
		}
	}
	limits[sim.Halts] = MostHalts(sys)
	return limits
}

// MostHalts returns the number of nodes that can halt in a run.
func MostHalts(sys *sim.System) int { return min(sys.Halts, sys.Nodes) }

// ProcessGroups returns by node the other nodes of its process, ascending. Nil means that each node has a process of its own.
func ProcessGroups(sys *sim.System) [][]sim.NodeID {
	if len(sys.Containers) == 0 {
		return nil
	}
	mates := make([][]sim.NodeID, sys.Nodes)
	for id := range mates {
		mates[id] = slices.DeleteFunc(sys.Process(sim.NodeID(id)), func(mate sim.NodeID) bool { return int(mate) == id })
	}
	return mates
}

// ProgramFaults are the faults that strike programs, in the order in which they are offered.
var ProgramFaults = func() (faults []sim.Fault) {
	for f := range sim.FaultCount {
		if f.Event().OfProgram() {
			faults = append(faults, f)
		}
	}
	return faults
}()

// CheckPrograms returns an error if a fault of programs is limited in a system that has no programs.
func CheckPrograms(sys *sim.System, programs bool) error {
	limits := NodeLimits(sys)
	for _, f := range ProgramFaults {
		if limits[f] > 0 && !programs {
			return fmt.Errorf("system %q: no node is a program of package bubble, so it has no %s", sys.Name, f.Singular())
		}
	}
	return nil
}

// Rules returns the rules of a system, followed by others.
func Rules(state []sim.StateRule, others ...rule.Rule) []rule.Rule {
	var rules []rule.Rule
	for _, r := range state {
		rules = append(rules, rule.Rule(r))
	}
	return append(rules, others...)
}

// Functions returns the functions of s. Their closures may hold memory that is older than any run.
func Functions(s *sim.System) []any {
	functions := []any{s.New, s.Late, s.MayCrash, s.MayHalt}
	for _, a := range s.Actions {
		functions = append(functions, a)
	}
	for _, q := range s.Quorums {
		functions = append(functions, q)
	}
	for _, m := range s.Monitors {
		functions = append(functions, m)
	}
	return functions
}
