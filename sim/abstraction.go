package sim

// Abstraction is a simpler system that replaces a part of a system when other parts are checked. Package refine compares
// the two: every behavior of the part that clients can observe must also be a behavior of the simpler system.
type Abstraction struct {
	// Name describes the abstraction.
	Name string
	// Used means that the system contains the abstraction in place of the part. All results for the system then assume
	// that the abstraction has every behavior of that part.
	Used bool
	// Impl and Abs return the part and its abstraction, each with the same clients. If both are nil, they are not
	// compared.
	Impl, Abs func() System
	// Clients are the nodes that are the same in both systems.
	Clients []NodeID
}
