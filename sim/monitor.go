package sim

// Monitor watches what services announce, over all nodes, and reports what must not happen. Its
// state is part of the global state, so it must be encodable like a service.
type Monitor interface {
	// Observe is told each announced event in order; an error is a safety violation.
	Observe(from NodeID, event any) error
}
