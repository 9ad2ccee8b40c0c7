package task

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Subject is the system to execute and its possible faults. Its fields are flags of several commands.
type Subject struct {
	System   string // its name; the process of a test ignores it
	Bugs     []string
	Property string
	Nodes    int
	Set      []string // parameters
	Limits   sim.Limits
	check.Modes
	Weights string
	Given   Given
}

func (f *Subject) validate() error {
	all := numbers{{"nodes", f.Nodes, 1}}
	for fault := range sim.FaultCount {
		all = append(all, number{fault.String(), f.Limits[fault], 0})
	}
	return all.check(f.Given)
}

// build builds the system.
func (f *Subject) build(p *Process) (check.Subject, error) {
	entry, err := p.Entry(f.System)
	if err != nil {
		return check.Subject{}, err
	}
	params, err := ParseParams(f.Set)
	if err != nil {
		return check.Subject{}, err
	}
	for i, id := range f.Bugs {
		if slices.Contains(f.Bugs[:i], id) {
			return check.Subject{}, fmt.Errorf("--bug %s is given twice", id)
		}
	}
	wanted := check.Wanted{Config: spec.Config{Nodes: f.Nodes, Params: params, Bugs: f.Bugs}, Modes: f.Modes}
	wanted.Limits = func(l *sim.Limits) {
		for fault := range sim.FaultCount {
			if f.Given.Has(fault.String()) {
				l[fault] = f.Limits[fault]
			}
		}
	}
	s, err := check.NewSubject(entry, wanted)
	return s, modeError(err)
}

// modeError names the flag in an error of [check.Modes]. It returns other errors unchanged.
func modeError(err error) error {
	switch e, ok := errors.AsType[*check.HeaderError](err); {
	case !ok:
		return err
	case e.Key == "interleave":
		return fmt.Errorf("--interleave: %w", err)
	}
	return fmt.Errorf("--%w", err)
}

// ParseParams parses parameters of the form KEY=VALUE.
func ParseParams(set []string) (map[string]string, error) {
	params := map[string]string{}
	for _, s := range set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--set %q is not of the form KEY=VALUE", s)
		}
		if _, twice := params[key]; twice {
			return nil, fmt.Errorf("--set %s is given twice", key)
		}
		params[key] = value
	}
	return params, nil
}

// bugDefaults fills in settings of the search that the user omitted and the bugs define.
func bugDefaults(s *check.Subject, cfg *search.Config) error {
	for _, id := range s.Config.Bugs {
		b, err := s.Entry.Bug(id)
		if err != nil {
			return err
		}
		d := b.Defaults
		if cfg.Strategy == "" {
			cfg.Strategy = search.Name(d.Strategy)
		}
		if cfg.WalkSteps == 0 {
			cfg.WalkSteps = d.WalkSteps
		}
		if d.Prefix && cfg.PrefixRuns == 0 {
			cfg.PrefixRuns = PrefixRuns
		}
		if d.Weights != (spec.Weights{}) && cfg.Weights == (search.Weights{}) {
			cfg.Weights = walkweights.Fill(d.Weights)
		}
	}
	return nil
}

// PrefixRuns is the number of live states to start a search from if a bug requires prefixes.
const PrefixRuns = 16
