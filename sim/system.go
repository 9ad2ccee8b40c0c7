package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// System is the thing that is checked. It is a plain value: variants are copies with other fields.
type System struct {
	// Name is how reports call the system, in UTF-8. "": in a test, the name of the test.
	Name string
	// Nodes is how many nodes there are, at least 1. Their [NodeID]s are 0 to Nodes-1.
	Nodes int
	// New builds the service of a node, at every start. It must not depend on anything but id.
	New func(id NodeID) Service
	// Network is how messages travel. Nil: the system has none and sending is a finding.
	Network Network
	// Crashes is how many crashes may happen in a run, over the whole system.
	Crashes int
	// MayCrash says which nodes may crash. Nil: all.
	MayCrash func(NodeID) bool
	// Halts is how many nodes may halt in a run: they crash and never come back, so that recovery must do without them.
	Halts int
	// MayHalt says which nodes may halt. Nil: those that MayCrash allows.
	MayHalt func(NodeID) bool
	// Containers are sets of nodes that run in one process: when one of them crashes, or halts, so do the others, in the same step. That counts as one
	// crash. Of what the others had done nothing is cut off, as they are between two steps; all else is as if they had crashed by themselves. Each boots in a
	// step of its own, and until then a crash takes those that are up. A halt takes all of them, those that are down too. A set has several nodes, of which
	// either all or none may crash, and halt; a node is in one set at most. Nil: each node has a process of its own.
	Containers [][]NodeID
	// CrashCut says what happens of a step inside which its node crashes or halts; the zero value is [CutPrefix].
	CrashCut CrashCut
	// Late says which nodes are down at first and boot by an event. Nil: none.
	Late func(NodeID) bool
	// Roles names the role of a node; "": it has one of its own. Nodes of one role are said to be interchangeable: whatever state the system is in, it does the
	// same when what they hold, and what is in flight to and from them, is exchanged. A search by symmetry checks that of all that it relies on. Nil: no node
	// has a role.
	Roles func(NodeID) string
	// Timing says which armed timers may fire; the zero value is [ByDeadline]. Checks take [BoundedLiveness] in its place for a system with
	// nodes of package bubble, and Eventually properties or Clocks.
	Timing Timing
	// Clocks relates the clocks of nodes with programs of package bubble. Nil means that they are independent.
	Clocks *Clocks
	// Interleave says how the goroutines of nodes that have some take turns, see package bubble.
	Interleave Interleave
	// State says how to treat types of the state that are not the user's own. Nil: all types are encoded as they are.
	State []StateRule
	// Actions are what applications may do on top of the services. Each is a choice, in any state in which it is enabled.
	Actions []AnyAction
	// Quorums are transitions that take sets of messages at once. Their names differ.
	Quorums []AnyQuorum
	// Disturbing names events that are no part of recovery, in addition to actions that say so themselves.
	Disturbing []Disturbance
	// Monitors make the monitors of a run, one each. They must return a new value whenever they are called.
	Monitors []func() Monitor
	// Properties are what must hold. Their names differ.
	Properties []Property
	// Abstractions are what stands for parts of what ships, here or in other variants.
	Abstractions []Abstraction
	_            struct{}

	noAsserts bool // set by Only
}

// Timing says which armed timers may fire: one of the constants, [Bounded] or [BoundedLiveness].
type Timing int64

const (
	ByDeadline Timing = iota // those with the earliest deadline of their node
	AnyOrder                 // any armed timer at any moment; deadlines do not matter
	Prompt                   // as ByDeadline, and none while a message is in flight or a machine can take an event of its queue
)

// Bounded returns the timing in which nothing is late by more than delay: as [ByDeadline], a timer fires at most delay after it is due,
// and a link between nodes that are up delivers one of its messages at most delay after the first of them was sent, or the last one
// delivered. The clocks of all nodes go alike but for the delay. How long a node is down, and how long an event waits in the queue of
// a machine, has no bound. Delays below 0 count as 0, and those above 10,000 hours as 10,000 hours.
func Bounded(delay time.Duration) Timing {
	return bounded + Timing(min(max(0, delay), 10_000*time.Hour))
}

// bounded is the timing Bounded(0).
const bounded = Prompt + 1

// BoundedLiveness returns the timing that is [Bounded] in some runs and [ByDeadline] in the others. The first choice of a run says which.
// Eventually properties are judged in the bounded runs alone, and all others in all runs.
func BoundedLiveness(delay time.Duration) Timing {
	return ^(Bounded(delay) - bounded)
}

// MaxDelay returns the bound of a timing by [Bounded] or [BoundedLiveness].
func (t Timing) MaxDelay() (delay time.Duration, ok bool) {
	if t.LivenessOnly() {
		return time.Duration(^t), true
	}
	return time.Duration(max(0, t-bounded)), t >= bounded
}

// LivenessOnly reports whether the timing is one by [BoundedLiveness].
func (t Timing) LivenessOnly() bool { return t < 0 }

func (t Timing) String() string {
	delay, ok := t.MaxDelay()
	switch {
	case t.LivenessOnly():
		return "BoundedLiveness:" + delay.String()
	case ok:
		return "Bounded:" + delay.String()
	}
	return [...]string{"ByDeadline", "AnyOrder", "Prompt"}[t]
}

// ParseTiming is the inverse of String.
func ParseTiming(s string) (Timing, error) {
	for t := ByDeadline; t <= Prompt; t++ {
		if t.String() == s {
			return t, nil
		}
	}
	name, text, _ := strings.Cut(s, ":")
	if make := map[string]func(time.Duration) Timing{"Bounded": Bounded, "BoundedLiveness": BoundedLiveness}[name]; make != nil {
		if delay, err := time.ParseDuration(text); err == nil && delay >= 0 {
			return make(delay), nil
		}
	}
	return 0, fmt.Errorf("timing %q is not one of ByDeadline, AnyOrder, Prompt, Bounded:DURATION, BoundedLiveness:DURATION", s)
}

// Limits returns the limits in force.
func (s *System) Limits() Limits {
	var l Limits
	if s.Network != nil {
		l = s.Network.Limits()
	}
	l[Crashes], l[Halts] = s.Crashes, s.Halts
	return l
}

// WithLimits returns a copy of s with other limits. It fails when the network has no such fault.
func (s System) WithLimits(l Limits) (System, error) {
	s.Crashes, s.Halts = l[Crashes], l[Halts]
	l[Crashes], l[Halts] = 0, 0
	if s.Network == nil {
		if l != (Limits{}) {
			return s, errors.New("the system has no network, so it has no network faults")
		}
		return s, nil
	}
	n, err := s.Network.WithLimits(l)
	s.Network = n
	return s, err
}

// ActionNames returns the names of all actions, in their order. The slice is the caller's.
func (s *System) ActionNames() []string {
	names := make([]string, len(s.Actions))
	for i, a := range s.Actions {
		e, _ := a.Erased()
		names[i] = e.Name
	}
	return names
}

// Only returns a copy of s that is checked for the properties of the given names alone: no others, no
// monitors, and no assertions unless [AssertionProperty] is among the names. It fails when there is
// no property of some name.
func (s System) Only(names ...string) (System, error) {
	all, monitors := s.Properties, s.Monitors
	monitorNames := sync.OnceValue((&System{Monitors: monitors}).MonitorNames) // which makes them
	s.Properties, s.Monitors, s.noAsserts = nil, nil, !slices.Contains(names, AssertionProperty)
	for _, name := range names {
		if i := slices.IndexFunc(all, func(p Property) bool { return p.Name == name }); i >= 0 {
			s.Properties = append(s.Properties, all[i])
			continue
		}
		if name == AssertionProperty {
			continue
		}
		m := slices.IndexFunc(monitorNames(), func(n string) bool { return n == name || n == "monitor "+name })
		if m < 0 {
			return s, fmt.Errorf("system %q has no property or monitor %q", s.Name, name)
		}
		s.Monitors = append(s.Monitors, monitors[m])
	}
	return s, nil
}

// Asserts reports whether failed assertions are findings: not when Only named other things.
func (s *System) Asserts() bool { return !s.noAsserts }

// Validate reports the first thing that is wrong with s.
func (s *System) Validate() error {
	if !utf8.ValidString(s.Name) {
		return fmt.Errorf("system %q: Name is not UTF-8", s.Name)
	}
	if s.Nodes < 1 {
		return fmt.Errorf("system %q: Nodes is %d, must be at least 1", s.Name, s.Nodes)
	}
	if s.New == nil {
		return fmt.Errorf("system %q: New is nil", s.Name)
	}
	if err := s.Limits().Validate(); err != nil {
		return fmt.Errorf("system %q: %w", s.Name, err)
	}
	if err := s.Clocks.validate(); err != nil {
		return fmt.Errorf("system %q: %w", s.Name, err)
	}
	for i, erased := range s.Actions {
		if a, _ := erased.Erased(); a.validate() != nil {
			return fmt.Errorf("system %q: action %d: %w", s.Name, i, a.validate())
		}
	}
	for i, d := range s.Disturbing {
		if err := d.validate(); err != nil {
			return fmt.Errorf("system %q: Disturbing %d: %w", s.Name, i, err)
		}
	}
	if err := s.validateQuorums(); err != nil {
		return err
	}
	if err := s.validateContainers(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, p := range s.Properties {
		if err := p.validate(); err != nil {
			return fmt.Errorf("system %q: property %d: %w", s.Name, i, err)
		}
		if seen[p.Name] {
			return fmt.Errorf("system %q: two properties are named %q", s.Name, p.Name)
		}
		seen[p.Name] = true
	}
	if s.Network != nil {
		if err := s.Network.Validate(s.Nodes); err != nil {
			return fmt.Errorf("system %q: network: %w", s.Name, err)
		}
	}
	return nil
}
