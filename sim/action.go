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
}

func (a Action[S]) action() actionInfo {
	info := actionInfo{name: a.Name, times: a.Times, code: a.Do}
	if a.Name == "" || a.Do == nil {
		info.err = fmt.Errorf("action %q needs a name and a Do", a.Name)
	} else if a.Times < 0 || a.Times > math.MaxInt32 {
		info.err = fmt.Errorf("action %q: Times is %d, must be 0 to %d", a.Name, a.Times, math.MaxInt32)
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
