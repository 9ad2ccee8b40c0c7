package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func (a *app) subject(f *searchFlags, name string, changed func(string) bool) (check.Subject, error) {
	entry, err := a.entry(name)
	if err != nil {
		return check.Subject{}, err
	}
	params, err := parseParams(f.set)
	if err != nil {
		return check.Subject{}, err
	}
	for i, id := range f.bugs {
		if slices.Contains(f.bugs[:i], id) {
			return check.Subject{}, fmt.Errorf("--bug %s is given twice", id)
		}
	}
	wanted := check.Wanted{Config: spec.Config{Nodes: f.nodes, Params: params, Bugs: f.bugs}}
	wanted.Limits = func(l *sim.Limits) {
		given := check.LimitFields(&f.limits)
		for i, field := range check.LimitFields(l) {
			if changed(field.Name) {
				*field.Value = *given[i].Value
			}
		}
	}
	if changed("timing") {
		t, err := sim.ParseTiming(f.timing)
		if err != nil {
			return check.Subject{}, fmt.Errorf("--%w", err)
		}
		wanted.Timing = &t
	}
	if changed("interleave") {
		i, err := sim.ParseInterleave(f.interleave)
		if err != nil {
			return check.Subject{}, fmt.Errorf("--interleave: %w", err)
		}
		wanted.Interleave = &i
	}
	return check.NewSubject(entry, wanted)
}

func parseParams(set []string) (map[string]string, error) {
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

// bugDefaults fills in what the bugs ask of the search and the user left out.
func (f *searchFlags) bugDefaults(s *check.Subject, cfg *search.Config) error {
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
		if d.Prefix {
			cfg.PrefixRuns = prefixRuns
		}
		if d.Weights != (spec.Weights{}) && cfg.Weights == (search.Weights{}) {
			cfg.Weights = check.FillWeights(d.Weights)
		}
	}
	return nil
}

// prefixRuns is how many live states a search starts from when a bug asks for prefixes.
const prefixRuns = 16

// knownProperty refuses names that no property has.
func knownProperty(sys *sim.System, name string) error {
	if name == "" || name == sim.AssertionProperty {
		return nil
	}
	names := []string{sim.AssertionProperty}
	for _, p := range sys.Properties {
		if p.Name == name {
			return nil
		}
		names = append(names, p.Name)
	}
	return spec.Unknown(fmt.Sprintf("system %q: unknown property", sys.Name), name, names)
}
