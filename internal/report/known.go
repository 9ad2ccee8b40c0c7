package report

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Known describes a path file that accepts its finding by a line "known REASON".
type Known struct {
	File     string          `json:"file"`
	Reason   string          `json:"reason"`
	Kind     sim.FindingKind `json:"kind"`
	Property string          `json:"property,omitempty"`
	Step     string          `json:"step,omitempty"` // the decisive one of its run: event and handler
	Status   KnownStatus     `json:"status"`
	Why      string          `json:"why,omitempty"` // it is not used
	Runs     int             `json:"runs"`          // violations of the search that count as the finding
	// Others counts those of Runs with another step: their critical step is not proven, or they shrink to the finding.
	Others []Unsure `json:"others,omitempty"`
	// AllOf means that all further violations of the property count as the finding, because the search does not
	// distinguish them.
	AllOf bool `json:"all_of_property,omitempty"`
	// Of is the report on its run. Nil means none. It is not part of the JSON.
	Of *Report `json:"-"`
}

// KnownStatus is the state of an accepted finding.
type KnownStatus string

const (
	Recurs  KnownStatus = "known"    // its run still shows it
	Fixed   KnownStatus = "fixed"    // its run violates nothing
	Changed KnownStatus = "changed"  // its run shows another finding
	Unused  KnownStatus = "not used" // its run was not executed, or is undecided
)

// Count returns the number of accepted findings with a status.
func (r *Report) Count(s KnownStatus) (n int) {
	for i := range r.Known {
		if r.Known[i].Status == s {
			n++
		}
	}
	return n
}

// Accepted counts the violations of the search that count as known findings.
func (r *Report) Accepted() (n int) {
	for i := range r.Known {
		n += r.Known[i].Runs
	}
	return n
}

// addKnown adds the accepted findings of a shard. One that a shard used counts as used.
func (r *Report) addKnown(o *Report) {
	for _, k := range o.Known {
		t := named(&r.Known, func(t *Known) bool { return t.File == k.File }, Known{File: k.File, Status: Unused})
		runs, others, all := t.Runs+k.Runs, slices.Clone(t.Others), t.AllOf || k.AllOf
		if t.Status == Unused || k.Status == Recurs {
			*t = k
		}
		for _, u := range k.Others {
			by := named(&others, func(t *Unsure) bool { return t.Handler == u.Handler }, Unsure{Handler: u.Handler})
			by.Count += u.Count
		}
		t.Runs, t.Others, t.AllOf = runs, others, all
	}
}
