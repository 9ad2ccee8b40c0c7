package choose

import "slices"

// A Path is the sequence of choices that determines a run: for every point that was asked, in
// order, the alternative that was picked. Points with one alternative are not asked and not part
// of it, except for events: every step begins with the index of its event among the enabled ones.
// Picks are below [MaxArity].
type Path []int32

// Clone returns a copy of p that shares nothing with it.
func (p Path) Clone() Path { return slices.Clone(p) }
