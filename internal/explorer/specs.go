package explorer

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/ginkgo"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
)

// divideSuite returns the division of a suite of specs after its first run. The result is nil if the test is not a suite, or if its flags
// do not select specs.
func divideSuite(s *Settings, c *Config, d testsched.Runner, o *testsched.Outcome) *division {
	all := ginkgo.Parse(d.Specs())
	if all == nil {
		return nil
	}
	v := &division{suite: true, passed: map[string]bool{}}
	passed := slices.Contains([]testsched.Kind{testsched.Passed, testsched.Unexplored, testsched.NoEnd}, o.Kind)
	selected := testflags.ParseFlags("", s.binary.Args)
	units := all.Units(c.Test)
	names := slices.DeleteFunc(slices.Clone(units), func(name string) bool { return !selected.Selects(name) })
	for i, name := range names {
		if testflags.CheckTest(name) != nil {
			v.whole = true
			continue
		}
		part := d.Part(name)
		if i == 0 && len(names) > 1 {
			if one := ginkgo.Parse(part.Specs()); one == nil || len(one.SpecReports) == len(all.SpecReports) {
				return nil
			}
		}
		v.passed[name] = passed
		first := c.draw(0, 0)
		if first.Showing = testsched.Aside; len(names) == len(units) && ofGinkgo(part.Run(first, true)) {
			v.others++
		} else {
			v.units = append(v.units, name)
		}
	}
	if len(names) == len(units) {
		v.around = all.Containers(c.Test)
	}
	if !passed {
		v.failed = o
	}
	return v
}

// widen makes the container around a spec a unit, if there is one. The spec needs others, which may be those of the container.
func (v *division) widen(name string) {
	outer := v.around[name]
	if outer == "" || testflags.CheckTest(outer) != nil {
		v.whole = true
	} else if v.passed[outer] = true; !slices.Contains(v.units, outer) {
		v.units = append(v.units, outer)
	}
}

// ofGinkgo reports whether a traced run of a spec has passed, and has only goroutines that Ginkgo has started. The spec then has no
// concurrency.
func ofGinkgo(o *testsched.Outcome) bool {
	return o.Kind == testsched.Passed && !o.Outside && !slices.ContainsFunc(o.Origins, func(g testsched.Origin) bool {
		return !g.Test && !strings.HasPrefix(g.Package, "github.com/onsi/ginkgo/")
	})
}
