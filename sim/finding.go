package sim

import "fmt"

// FindingKind is the kind of a violation.
type FindingKind string

const (
	Safety         FindingKind = "safety"
	Liveness       FindingKind = "liveness"
	Deadlock       FindingKind = "deadlock"
	Starvation     FindingKind = "starvation"
	Panic          FindingKind = "panic"
	Divergence     FindingKind = "divergence"
	Nondeterminism FindingKind = "nondeterminism"
)

// FindingCause distinguishes findings of one kind by the behavior of the checked code. Package contain has the causes.
type FindingCause string

// Finding is an error that describes a violation by the checked code.
type Finding struct {
	Kind     FindingKind `json:"kind"`
	Property string      `json:"property,omitempty"` // of safety and liveness; "assertion" for a failed Assert
	Message  string      `json:"message"`
	Node     NodeID      `json:"node"`            // -1 if no single node is responsible
	Stack    string      `json:"stack,omitempty"` // of a panic

	Cause FindingCause `json:"cause,omitempty"` // empty if none of the causes above applies
}

func (f *Finding) Error() string {
	if f.Property != "" {
		return fmt.Sprintf("%s: %s: %s", f.Kind, f.Property, f.Message)
	}
	return fmt.Sprintf("%s: %s", f.Kind, f.Message)
}

// AssertionProperty is the property name of findings from [Env].Assert.
const AssertionProperty = "assertion"
