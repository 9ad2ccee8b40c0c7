package main

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugRow is the result of the searches for one bug in one way.
type bugRow struct {
	System   string          `json:"system"`
	Bug      string          `json:"bug"`
	Summary  string          `json:"summary"`
	How      string          `json:"how,omitempty"`   // of a variant
	Flags    []string        `json:"flags,omitempty"` // of a variant
	Expected sim.FindingKind `json:"expected"`
	Original string          `json:"original,omitempty"` // figures of the paper
	Runs     []bugRun        `json:"runs"`               // by seed

	// Computed from the runs. Medians are over the runs that found the bug as known, or over all if none did.
	FoundRuns int               `json:"found_runs"`
	Found     []sim.FindingKind `json:"found"` // the kinds of findings
	Seconds   struct {
		Min    float64 `json:"min"`
		Median float64 `json:"median"`
		Max    float64 `json:"max"`
	} `json:"seconds"`
	CPU    float64 `json:"cpu_seconds"`
	Paths  int     `json:"paths"`
	States int     `json:"states"`
	Events int     `json:"events"`
	Depth  int     `json:"depth"`
	Steps  int     `json:"steps"` // of the violating run

	bug   *spec.Bug
	seeds []uint64
}

// bugRun is the result of one search.
type bugRun struct {
	Seed     uint64          `json:"seed"`
	Found    sim.FindingKind `json:"found"` // empty if nothing was found
	AsKnown  bool            `json:"as_known"`
	Seconds  float64         `json:"seconds"`     // of the process, confirmation and report included
	CPU      float64         `json:"cpu_seconds"` // of the process and its children
	Stopped  string          `json:"stopped"`
	Paths    int             `json:"paths"`
	States   int             `json:"states"`
	Events   int             `json:"events"`
	Depth    int             `json:"depth"`
	Steps    int             `json:"steps"`
	Nodes    int             `json:"nodes"`
	Limits   sim.Limits      `json:"limits"`
	Timing   string          `json:"timing"`
	Critical *criticalRun    `json:"critical"` // nil if the finding has none
	Prefixes *prefixRun      `json:"prefixes"` // nil if the search began in the initial state
	Omission *float64        `json:"omission_probability"`
}

// criticalRun is the critical transition of a run.
type criticalRun struct {
	Case   string `json:"case"`
	Step   int    `json:"step"`
	Event  string `json:"event"`
	Choice string `json:"choice"` // within the step; empty if the event is the transition
}

// prefixRun describes the live states from which a search began: the ends of walks without faults.
type prefixRun struct {
	Count    int `json:"count"`
	MinSteps int `json:"min_steps"`
	MaxSteps int `json:"max_steps"`
}

func pointers(rows []bugRow) []*bugRow {
	var out []*bugRow
	for i := range rows {
		out = append(out, &rows[i])
	}
	return out
}

// begun returns the rows that have runs.
func begun(rows []bugRow) []bugRow {
	return slices.DeleteFunc(append([]bugRow{}, rows...), func(r bugRow) bool { return len(r.Runs) == 0 })
}

// summarise computes the fields that depend on the runs.
func (r *bugRow) summarise() {
	r.Found = []sim.FindingKind{}
	var counted []*bugRun
	for i := range r.Runs {
		run := &r.Runs[i]
		if run.AsKnown {
			r.FoundRuns++
			counted = append(counted, run)
		}
		if run.Found != "" && !slices.Contains(r.Found, run.Found) {
			r.Found = append(r.Found, run.Found)
		}
	}
	slices.Sort(r.Found)
	if len(counted) == 0 {
		for i := range r.Runs {
			counted = append(counted, &r.Runs[i])
		}
	}
	if len(counted) == 0 {
		return
	}
	seconds := column(counted, func(b *bugRun) float64 { return b.Seconds })
	r.Seconds.Min, r.Seconds.Median, r.Seconds.Max = seconds[0], middle(seconds), seconds[len(seconds)-1]
	r.CPU = middle(column(counted, func(b *bugRun) float64 { return b.CPU }))
	r.Paths = middle(column(counted, func(b *bugRun) int { return b.Paths }))
	r.States = middle(column(counted, func(b *bugRun) int { return b.States }))
	r.Events = middle(column(counted, func(b *bugRun) int { return b.Events }))
	r.Depth = middle(column(counted, func(b *bugRun) int { return b.Depth }))
	r.Steps = middle(column(counted, func(b *bugRun) int { return b.Steps }))
}

// column returns one figure of all runs, sorted.
func column[T int | float64](runs []*bugRun, of func(*bugRun) T) []T {
	var out []T
	for _, r := range runs {
		out = append(out, of(r))
	}
	slices.Sort(out)
	return out
}

// middle returns the median; the lower one of two, so that it is a figure that occurred.
func middle[T any](sorted []T) T { return sorted[(len(sorted)-1)/2] }

// asKnown reports whether every run found the bug as known.
func (r *bugRow) asKnown() bool { return r.FoundRuns == len(r.Runs) }

// shown returns the run with the details to show: the first that found the bug as known, or else the first.
func (r *bugRow) shown() *bugRun {
	for i := range r.Runs {
		if r.Runs[i].AsKnown {
			return &r.Runs[i]
		}
	}
	return &r.Runs[0]
}

// verdict describes the finding.
func (r *bugRun) verdict() string {
	switch {
	case r.Found == "":
		return notFound
	case !r.AsKnown:
		return string(r.Found) + " (UNEXPECTED)"
	}
	return string(r.Found)
}

const notFound = "NOT FOUND"

// verdict describes the kinds as which the bug was found.
func (r *bugRow) verdict() string {
	if len(r.Found) == 0 {
		return notFound
	}
	var kinds []string
	for _, k := range r.Found {
		text := string(k)
		if !r.bug.Accepts(k) {
			text += " (UNEXPECTED)"
		}
		kinds = append(kinds, text)
	}
	return strings.Join(kinds, ", ")
}
