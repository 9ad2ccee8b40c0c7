package spec

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/macemc/macemc/internal/textfmt"
)

// Config is a selection of the settings of an [Entry]. The zero Config means all defaults.
type Config struct {
	// Nodes is the number of nodes; 0 means the entry's default.
	Nodes int
	// Params are values of parameters by name. Missing ones have their defaults.
	Params map[string]string
	// Bugs are the reintroduced defects.
	Bugs BugSet

	complete bool   // by Configure
	filled   filled // with defaults
}

// filled records the settings that were filled in.
type filled struct {
	nodes  bool
	params map[string]bool
}

// NodesGiven reports whether the number of nodes was requested, and is not a default of the system or of a bug. It
// panics like Int.
func (c Config) NodesGiven() bool {
	c.mustBeComplete()
	return !c.filled.nodes
}

// Given reports whether the value of a parameter was requested, even if it equals the default. It panics like Int.
func (c Config) Given(name string) bool {
	c.mustBeComplete()
	c.param(name)
	return !c.filled.params[name]
}

func (c Config) mustBeComplete() {
	if !c.complete {
		panic("spec: the configuration is not complete")
	}
}

// Configure returns c with all defaults filled in; the result shares no memory with c. The error describes the first
// invalid setting and the accepted values.
func (e *Entry) Configure(c Config) (Config, error) {
	c.filled.params = maps.Clone(c.filled.params)
	if c.Nodes == 0 {
		c.Nodes, c.filled.nodes = e.DefaultNodes, true
	}
	if c.Nodes < e.MinNodes || c.Nodes > e.MaxNodes {
		must := fmt.Sprintf("%d to %d", e.MinNodes, e.MaxNodes)
		if e.MinNodes == e.MaxNodes {
			must = strconv.Itoa(e.MinNodes)
		}
		return Config{}, fmt.Errorf("system %q: %d nodes, must be %s", e.Name, c.Nodes, must)
	}
	full := make(map[string]string, len(e.Params))
	names := make([]string, len(e.Params))
	for i := range e.Params {
		p := &e.Params[i]
		full[p.Name], names[i] = p.Default, p.Name
		if v, ok := c.Params[p.Name]; ok {
			if err := p.Validate(v); err != nil {
				return Config{}, fmt.Errorf("system %q: %w", e.Name, err)
			}
			full[p.Name] = v
		} else {
			c.filled.add(p.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		if _, ok := full[name]; !ok {
			return Config{}, textfmt.Unknown(fmt.Sprintf("system %q: unknown parameter", e.Name), name, names)
		}
	}
	c.Params, c.Bugs, c.complete = full, slices.Clone(c.Bugs), true
	for _, id := range c.Bugs {
		if _, err := e.Bug(id); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

func (f *filled) add(param string) {
	if f.params == nil {
		f.params = map[string]bool{}
	}
	f.params[param] = true
}

// Int returns the value of an [Int] parameter. It panics if the entry has no such parameter, or if c is not a result of
// [Entry.Configure].
func (c Config) Int(name string) int {
	i, err := strconv.Atoi(c.param(name))
	if err != nil {
		panic(fmt.Sprintf("spec: parameter %q is not a number: %v", name, err))
	}
	return i
}

// Bool returns the value of a [Bool] parameter. It panics like Int.
func (c Config) Bool(name string) bool {
	b, err := strconv.ParseBool(c.param(name))
	if err != nil {
		panic(fmt.Sprintf("spec: parameter %q is neither true nor false: %v", name, err))
	}
	return b
}

// Text returns the value of a parameter as text. It panics like Int.
func (c Config) Text(name string) string { return c.param(name) }

func (c Config) param(name string) string {
	v, ok := c.Params[name]
	if !ok {
		panic(fmt.Sprintf("spec: no parameter %q in the configuration", name))
	}
	return v
}
