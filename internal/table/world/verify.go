package world

// CheckUnchanged encodes the local states of all nodes again, to detect changes by properties.
func (w *World) CheckUnchanged() error {
	for _, id := range w.Vector[:w.Nodes] {
		if err := w.Compare(id, w.Locals.List[id].State, "was changed by something other than its own handlers, such as a property"); err != nil {
			return err
		}
	}
	return w.unchangedSets()
}
