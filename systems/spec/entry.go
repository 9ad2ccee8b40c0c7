package spec

import (
	"fmt"

	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Entry describes one system.
type Entry struct {
	// Name is the name of the system on the command line and in path files: lower case, one word.
	Name string
	// Package and Test name the test that describes the system, by the import path of its package; empty for
	// bundled systems.
	Package, Test string
	// Summary is one line without a full stop.
	Summary string
	// Notes explains what users should know to interpret results: simplifications, special cases. It may have several
	// lines, or be empty.
	Notes string
	// Params are the parameters of the system, in display order.
	Params []Param
	// MinNodes to MaxNodes is the accepted number of nodes, both inclusive; DefaultNodes is the default.
	MinNodes, MaxNodes, DefaultNodes int
	// Limits are the default fault limits.
	Limits sim.Limits
	// LimitsOf returns the default fault limits for a complete configuration, for systems with limits that depend on
	// it. For the default configuration the result must equal Limits. Nil means Limits for all configurations.
	LimitsOf func(Config) sim.Limits
	// Messages are samples of all types of messages, needed to run the system on a real network.
	Messages []any
	// Bugs are the defects that can be reintroduced, one at a time or together.
	Bugs []Bug
	// Build returns the system for a complete configuration. Call [Entry.New] instead, which completes and validates
	// the configuration first.
	Build func(Config) (sim.System, error)
}

// New returns the system for c, completed and validated by [Entry.Configure], with the entry's limits.
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

// DefaultLimits returns the default fault limits for configuration c, which must be complete.
func (e *Entry) DefaultLimits(c Config) sim.Limits {
	if e.LimitsOf == nil {
		return e.Limits
	}
	return e.LimitsOf(c)
}

// Bug returns the description of a bug. The error suggests similar names.
func (e *Entry) Bug(id string) (*Bug, error) {
	for i := range e.Bugs {
		if e.Bugs[i].ID == id {
			return &e.Bugs[i], nil
		}
	}
	return nil, textfmt.Unknown(fmt.Sprintf("system %q: unknown bug", e.Name), id, e.BugIDs())
}

// BugIDs returns the identifiers of all bugs in the order of Bugs. The caller owns the slice.
func (e *Entry) BugIDs() []string {
	ids := make([]string, len(e.Bugs))
	for i, b := range e.Bugs {
		ids[i] = b.ID
	}
	return ids
}

// Find returns the description of the system with the given name. The error suggests similar names.
func Find(entries []Entry, name string) (Entry, error) {
	var names []string
	for _, e := range entries {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, textfmt.Unknown("unknown system", name, names)
}
