package spec

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// Entry describes one system.
type Entry struct {
	// Name is how the command line and path files name the system: lower case, one word.
	Name string
	// Package and Test name the test that describes the system, by the import path of its package; empty for
	// bundled systems.
	Package, Test string
	// Summary is one line without a full stop.
	Summary string
	// Notes says what a user should know before reading results: simplifications, oddities. It may be
	// several lines, or empty.
	Notes string
	// Params are the settings that the system has, in the order in which they are shown.
	Params []Param
	// MinNodes to MaxNodes is the accepted number of nodes, both inclusive; DefaultNodes is used when
	// none is given.
	MinNodes, MaxNodes, DefaultNodes int
	// Limits are the fault limits that the system is checked with when none are given.
	Limits sim.Limits
	// LimitsOf are the limits for a complete configuration, for systems whose faults depend on it; with
	// the defaults they are Limits. Nil: always Limits.
	LimitsOf func(Config) sim.Limits
	// Messages are samples of all types of messages, for running the system on a real network.
	Messages []any
	// Bugs are the defects that can be put back, one at a time or together.
	Bugs []Bug
	// Build makes the system from a complete configuration. Call [Entry.New] instead, which completes
	// and validates the configuration first.
	Build func(Config) (sim.System, error)
}

// New builds the system: c is completed and validated by [Entry.Configure], and the entry's limits are
// applied.
func (e *Entry) New(c Config) (sim.System, error) {
	c, err := e.Configure(c)
	if err != nil {
		return sim.System{}, err
	}
	sys, err := e.Build(c)
	if err != nil {
		return sim.System{}, fmt.Errorf("system %q: %w", e.Name, err)
	}
	sys.Name = e.Name
	return sys.WithLimits(e.DefaultLimits(c))
}

// DefaultLimits returns the fault limits that the system is checked with in configuration c, which must
// be complete, when none are given.
func (e *Entry) DefaultLimits(c Config) sim.Limits {
	if e.LimitsOf == nil {
		return e.Limits
	}
	return e.LimitsOf(c)
}

// Bug returns the description of a bug. The error names near bugs.
func (e *Entry) Bug(id string) (*Bug, error) {
	for i := range e.Bugs {
		if e.Bugs[i].ID == id {
			return &e.Bugs[i], nil
		}
	}
	return nil, Unknown(fmt.Sprintf("system %q: unknown bug", e.Name), id, e.BugIDs())
}

// BugIDs returns the identifiers of all bugs in the order of Bugs. The slice is the caller's.
func (e *Entry) BugIDs() []string {
	ids := make([]string, len(e.Bugs))
	for i, b := range e.Bugs {
		ids[i] = b.ID
	}
	return ids
}

// Find returns the description of the system with that name. The error names near ones.
func Find(entries []Entry, name string) (Entry, error) {
	var names []string
	for _, e := range entries {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, Unknown("unknown system", name, names)
}
