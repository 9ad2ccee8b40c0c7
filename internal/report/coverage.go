package report

import (
	"github.com/macemc/macemc/search"
)

// Coverage describes what was explored.
type Coverage struct {
	search.Coverage
	// OmissionProbability bounds the probability that a state was missed by fingerprint collisions. Nil means that it does not apply.
	OmissionProbability *float64 `json:"omission_probability"`
	// NotChecked are the properties and monitors that the search was told to leave out.
	NotChecked []string `json:"not_checked,omitempty"`
	// OnlySampled are the properties, monitors and other checks that were judged for these alternatives only, see document.NoteSampled.
	OnlySampled []string `json:"only_sampled,omitempty"`
	// Assumed are the abstractions that the system has in the place of what ships: all else is said under the assumption that they do as much.
	Assumed []Assumption `json:"assumed,omitempty"`
}

// unwalked is what is said of fair runs but for walks, which are added up.
func (c *Coverage) unwalked() *search.Fair {
	if c.Fair == nil {
		return nil
	}
	f := *c.Fair
	f.Walked = search.FairWalks{}
	return &f
}

// StarvedBefore notes that a run was found in which something is starved, after which no others were looked for: nothing that is owed
// can be said to be settled then.
func (c *Coverage) StarvedBefore() {
	c.Complete = false
	if c.Fair != nil {
		c.Fair = &search.Fair{Obligations: c.Fair.Obligations, Why: "the search ended with the first violation"}
	}
}
