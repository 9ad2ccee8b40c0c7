package choose

import "slices"

// A Path is the sequence of choices that determines a run: the picked alternative of every point, in order. Points with
// one alternative are skipped, except for events: every step begins with the index of its event among the enabled ones.
// Picks are below [MaxArity].
type Path []int32

// Clone returns a copy of p that shares no memory with it.
func (p Path) Clone() Path { return slices.Clone(p) }
