package report

import (
	"cmp"
	"iter"

	"github.com/macemc/macemc/internal/replay"
)

// DecisiveStep returns the critical step, or the step with which the run ends. Nil means that it is not known.
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

// HandledBy is the place in the source of the step that matters, the kind of its event when no code handled it, or "" when
// no step is known.
func (r *Report) HandledBy() string {
	if step := r.DecisiveStep(); step != nil {
		return cmp.Or(step.Source, step.Kind)
	}
	return r.Handler
}

// SameAs reports whether two findings have the same kind and property, and the same code handled the step that matters.
func (r *Report) SameAs(o *Report) bool {
	return r.Kind == o.Kind && r.Property == o.Property && r.HandledBy() == o.HandledBy()
}

// Like is SameAs, but for a run of which it is not known for sure which step matters: that is like all of its kind and property.
func (r *Report) Like(o *Report) bool {
	if c := r.Critical; c != nil && !c.Sure() {
		return r.Kind == o.Kind && r.Property == o.Property
	}
	return r.SameAs(o)
}

// Single returns the findings of a search, one a report.
func (r *Report) Single() []*Report {
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

// Unsure counts dead runs that count as like a finding because kind and property are the same, although another handler executed the
// critical step. It is not proven which step is critical.
type Unsure struct {
	Handler string `json:"handler"`
	Count   int    `json:"count"`
}
