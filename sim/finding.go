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

// FindingCause distinguishes findings of one kind by what the checked code did.
type FindingCause string

const (
	NotReturned     FindingCause = "not returned"      // a divergence: it did not return in time
	GoroutineEnded  FindingCause = "goroutine ended"   // a panic: it ended its goroutine
	UsedAfterReturn FindingCause = "used after return" // a panic: it used an [Env] after its handler had returned
)

// Finding is an error that tells of something wrong in the checked code.
type Finding struct {
	Kind     FindingKind `json:"kind"`
	Property string      `json:"property,omitempty"` // of safety and liveness; "assertion" for a failed Assert
	Message  string      `json:"message"`
	Node     NodeID      `json:"node"`            // -1 when no single node is to blame
	Stack    string      `json:"stack,omitempty"` // of a panic

	Cause FindingCause `json:"cause,omitempty"` // empty unless it is one of the causes above
}

func (f *Finding) Error() string {
	if f.Property != "" {
		return fmt.Sprintf("%s: %s: %s", f.Kind, f.Property, f.Message)
	}
	return fmt.Sprintf("%s: %s", f.Kind, f.Message)
}

// AssertionProperty is the property name of findings by [Env].Assert.
const AssertionProperty = "assertion"
