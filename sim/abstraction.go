package sim

// Abstraction is a simpler system that is to stand for a part of what ships in the checks of others. Package refine compares both: whether
// the simpler one does all that the other does, as far as clients see.
type Abstraction struct {
	// Name says what it is.
	Name string
	// Used: the system has it in the place of what ships, so that all that is said of the system is said under the
	// assumption that it does as much.
	Used bool
	// Impl and Abs make what ships and what stands for it, each among the same clients. Nil: they are not compared.
	Impl, Abs func() System
	// Clients are the nodes that are the same in both.
	Clients []NodeID
}
