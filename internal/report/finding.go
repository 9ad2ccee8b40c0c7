package report

import (
	"cmp"
	"iter"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// SetFinding makes the finding of a run with a number of steps that of the report.
func (r *Report) SetFinding(f *sim.Finding, steps int) {
	r.Kind, r.Property, r.Message, r.Stack, r.Steps = f.Kind, f.Property, f.Message, f.Stack, steps
}

// SetSuspect adds the suspect that a search left behind, or makes it the finding if it is confirmed.
func (r *Report) SetSuspect(s *Suspect) {
	switch {
	case s.Status != Suspected:
		r.Verdict, r.Kind, r.Property, r.Message, r.Steps, r.PathFile = search.Violation, s.Kind, s.Property, s.Message, s.Steps, s.PathFile
		return
	case r.Verdict != search.Violation:
		r.Verdict = search.Inconclusive
	}
	r.Suspect, r.Suspects, r.Undecided = s, 1, 1
}

// DecisiveStep returns the critical step of a run that misses a goal, or the step of any other finding. Nil means that it
// is unknown.
func (r *Report) DecisiveStep() *replay.TraceStep {
	c := r.Critical
	switch {
	case c == nil || r.Dead == nil:
		return r.LastStep()
	case 0 < c.Step && c.Step <= len(r.Dead.Steps):
		return &r.Dead.Steps[c.Step-1]
	}
	return nil
}

// LastStep returns the step of the finding, or else the last one. Nil means that the run was not traced.
func (r *Report) LastStep() *replay.TraceStep {
	if r.Dead == nil || len(r.Dead.Steps) == 0 {
		return nil
	}
	at := len(r.Dead.Steps)
	if f := r.Dead.FoundAt; f > 0 && f <= at {
		at = f
	}
	return &r.Dead.Steps[at-1]
}

// HandledBy returns the source position of the decisive step's handler, or the kind of its event if no code handled it.
// Without a decisive step it returns the handler in the report, which may be empty.
func (r *Report) HandledBy() string {
	if step := r.DecisiveStep(); step != nil {
		return cmp.Or(step.Source, step.Kind)
	}
	return r.Handler
}

// SameAs reports whether two findings have the same kind and property, and the same handler of the decisive step.
func (r *Report) SameAs(o *Report) bool {
	return r.Kind == o.Kind && r.Property == o.Property && r.HandledBy() == o.HandledBy()
}

// Like reports whether r, a new finding, duplicates the known finding o. It is SameAs except for a run r without a
// proven critical step, which duplicates all findings of its kind and property. It is asymmetric: a proven r does not
// duplicate an unproven o with another handler.
func (r *Report) Like(o *Report) bool {
	if c := r.Critical; c != nil && !c.Sure() {
		return r.Kind == o.Kind && r.Property == o.Property
	}
	return r.SameAs(o)
}

// Each returns the findings of a search, one in each report.
func (r *Report) Each() []*Report {
	switch {
	case r.Findings != nil:
		return r.Findings
	case r.Kind != "":
		return []*Report{r}
	}
	return nil
}

// PathFiles yields the path file of each finding that has one.
func (r *Report) PathFiles() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range append([]*Report{r}, r.Findings...) {
			if f.PathFile != "" && !yield(f.PathFile) {
				return
			}
		}
	}
}

// Unsure counts dead runs that are like a finding in kind and property but have another handler of the critical step.
// It is not proven which step is critical.
type Unsure struct {
	Handler string `json:"handler"`
	Count   int    `json:"count"`
}

// Shrunk describes the original run of a shrunk finding, and the work of shrinking it.
type Shrunk struct {
	FromSteps    int     `json:"from_steps"`              // of the original run
	FromCritical int     `json:"from_critical,omitempty"` // its critical step; 0 means none
	Candidates   int     `json:"candidates"`              // candidates tried
	Executed     int     `json:"executed"`                // steps
	Seconds      float64 `json:"seconds"`
	// Minimal means that no single step before the finding, or before the critical step, can be omitted.
	Minimal bool `json:"minimal"`
	// Pairs means that no two causes can be omitted together with all their consequences.
	Pairs bool `json:"minimal_pairs,omitempty"`
	// Choices means that this was not tried with all combinations of the choices of crashes.
	Choices bool `json:"not_all_crash_choices,omitempty"`
	// Over means that the budget ended before all candidates were tried.
	Over bool `json:"budget_over,omitempty"`
	// Left is the number of candidates that were not tried, because they would not have ended in time.
	Left     int    `json:"left,omitempty"`
	Original string `json:"original_path_file,omitempty"` // empty means none
}

// Status is the result of examining a suspect.
type Status string

const (
	Suspected Status = "suspected" // it was neither confirmed nor refuted
	Confirmed Status = "confirmed" // its run does the same in a fresh process
)

// Suspect is a violation that was suspected when a search ended.
type Suspect struct {
	Status   Status          `json:"status"`
	Kind     sim.FindingKind `json:"kind"`
	Property string          `json:"property,omitempty"`
	Message  string          `json:"message"`
	Steps    int             `json:"steps"` // of the run
	PathFile string          `json:"path_file,omitempty"`
	// Ends describes the nodes with programs at the end of the run: what their goroutines wait for, or how the program ended,
	// and its last lines of output.
	Ends []string `json:"ends,omitempty"`
	// Decide is the command that confirms or refutes it without a time limit: by the critical step, or by another execution of the run.
	// An empty string means that there is none.
	Decide string `json:"decide,omitempty"`
}
