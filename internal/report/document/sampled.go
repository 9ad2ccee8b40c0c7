package document

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// SampledLines returns, for each sampled choice, how many alternatives were taken.
func SampledLines(r *report.Report) (list []string) {
	for _, d := range r.Coverage.Sampled {
		taken, arity := textfmt.Number(d.Taken), textfmt.Number(d.Arity)
		if d.Taken >= choose.EnumeratedArity || len(r.Shards) > 0 {
			taken = "at least " + taken
		}
		if d.Arity >= choose.MaxArity {
			arity = "arbitrarily many"
		}
		list = append(list, fmt.Sprintf("%q: %s of %s alternatives", d.Label, taken, arity))
	}
	return list
}

// NoteSampled records the checks that cover only the sampled alternatives. It excludes Sometimes properties, which
// hold once they are seen.
func NoteSampled(r *report.Report, properties []sim.Property) {
	if len(r.Coverage.Sampled) == 0 {
		return
	}
	c := newCases(r, properties)
	note := func(name string, liveness bool) {
		if c.unchecked(name, liveness) == "" {
			r.Coverage.OnlySampled = append(r.Coverage.OnlySampled, name)
		}
	}
	for i := range properties {
		if p := &properties[i]; p.Sometimes == nil {
			note(p.Name, p.Eventually != nil)
		}
	}
	for _, name := range r.Monitors {
		note(name, false)
	}
	for _, other := range otherCases() {
		note(other.name, other.kind == sim.Deadlock)
	}
}

// onlySampled describes how sampling limits a check without a finding. An empty string means that it does not.
func onlySampled(r *report.Report, name string) string {
	if !slices.Contains(r.Coverage.OnlySampled, name) {
		return ""
	}
	text := "checked only for the sampled alternatives"
	for i, d := range SampledLines(r) {
		text += []string{": ", "; "}[min(i, 1)] + d
	}
	return text
}
