package explore

// FoundState is a state that was found.
type FoundState struct {
	State  []uint32
	Number int   // in the order in which states are found
	Note   uint8 // of the edge that led to it
	Root   bool
	// Barred is for Check to set: the graph shows no edges from the state, and it counts as one from which a live one can be reached.
	Barred bool

	loop  *Loop
	batch *Batch
	k     int
}

// Path is the edge indexes to the state, see [Frontier]. In [Parts] it is nil: nobody there knows it.
func (m *FoundState) Path() []uint32 {
	if m.loop == nil {
		return nil
	}
	n := m.batch.Found(m.k)
	if n.From == 0 {
		return []uint32{n.EdgeIndex}
	}
	return append(m.loop.frontier.Path(n.From-1), n.EdgeIndex)
}
