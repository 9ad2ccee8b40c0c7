package graph

// FoundState is a state that was found.
type FoundState struct {
	State  []uint32
	Number int   // in the order in which states are found
	Note   uint8 // of the edge that led to it
	Root   bool
	// Barred is for Check to set: the graph shows no edges from the state, and it counts as one from which a live one can be reached.
	Barred bool

	PathTo func() []uint32 // nil: nobody knows it
}

// Path is the edge indexes to the state, see [explore.Frontier]. In [explore.Parts] it is nil: nobody there knows it.
func (m *FoundState) Path() []uint32 {
	if m.PathTo == nil {
		return nil
	}
	return m.PathTo()
}
