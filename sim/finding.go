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

// Finding is an error that tells of something wrong in the checked code.
type Finding struct {
	Kind     FindingKind `json:"kind"`
	Property string      `json:"property,omitempty"` // of safety and liveness; "assertion" for a failed Assert
	Message  string      `json:"message"`
	Node     NodeID      `json:"node"`            // -1 when no single node is to blame
	Stack    string      `json:"stack,omitempty"` // of a panic
}

func (f *Finding) Error() string {
	if f.Property != "" {
		return fmt.Sprintf("%s: %s: %s", f.Kind, f.Property, f.Message)
	}
	return fmt.Sprintf("%s: %s", f.Kind, f.Message)
}

// AssertionProperty is the property name of findings by [Env].Assert.
const AssertionProperty = "assertion"
