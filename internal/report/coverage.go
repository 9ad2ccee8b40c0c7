package report

import (
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
)

// Coverage describes what was explored.
type Coverage struct {
	search.Coverage
	// OmissionProbability bounds the probability that a state was missed by fingerprint collisions. Nil means that it does not apply.
	OmissionProbability *float64 `json:"omission_probability"`
	// NotChecked are the properties and monitors excluded from the search.
	NotChecked []string `json:"not_checked,omitempty"`
	// NoProperty reports that the system has neither a property nor a monitor.
	NoProperty bool `json:"no_property,omitempty"`
	// OnlySampled are the properties, monitors and other checks that were judged only for the sampled alternatives,
	// see document.NoteSampled.
	OnlySampled []string `json:"only_sampled,omitempty"`
	// Assumed are the abstractions that the system uses in place of implementations. All other results assume that
	// they have all behavior of the implementations.
	Assumed []Assumption `json:"assumed,omitempty"`
}

// unwalked returns the results about fair runs without the walks, which are summed.
func (c *Coverage) unwalked() *stats.Fair {
	if c.Fair == nil {
		return nil
	}
	f := *c.Fair
	f.Walked = stats.FairWalks{}
	return &f
}

// StarvedBefore records that a run with a starved obligation was found. Others were not searched for after it, so no
// obligation counts as settled.
func (c *Coverage) StarvedBefore() {
	c.Complete = false
	if c.Fair != nil {
		c.Fair = &stats.Fair{Obligations: c.Fair.Obligations, Why: "the search ended with the first violation"}
	}
}

// Assumption is an abstraction that the system uses in place of its implementation, and the result of comparing them.
type Assumption struct {
	Name string `json:"name"`
	// Verdict is a verdict of package refine. An empty string means that they were not compared.
	Verdict string `json:"verdict,omitempty"`
	// What describes the difference, or why the verdict or the comparison is missing.
	What  string   `json:"what,omitempty"`
	Trace []string `json:"trace,omitempty"` // the observations of clients until then
	// States and Abstract are the numbers of compared states of the implementation and of the abstraction.
	States   int `json:"states,omitempty"`
	Abstract int `json:"abstract,omitempty"`
}

// Wrong reports whether the implementation shows behavior that the abstraction lacks.
func (a *Assumption) Wrong() bool { return a.Verdict == "difference" }
