package graph

// FoundState is a state that was found.
type FoundState struct {
	State  []uint32
	Number int   // in the order in which states are found
	Note   uint8 // of the edge that led to it
	Root   bool
	// Barred is set by Check: the graph shows no edges from the state, and the state counts as one that can reach a
	// live state.
	Barred bool

	PathTo func() []uint32 // nil if the path is unknown
}

// Path returns the edge indexes to the state, see [explore.Frontier]. In [explore.Parts] it returns nil, because paths
// are unknown there.
func (m *FoundState) Path() []uint32 {
	if m.PathTo == nil {
		return nil
	}
	return m.PathTo()
}
