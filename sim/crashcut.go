package sim

// CrashCut selects the effects that survive of a step during which its node crashes or halts.
type CrashCut uint8

const (
	CutPrefix CrashCut = iota // a prefix of its effects
	CutNone                   // nodes crash and halt only between steps
	CutSubset                 // a prefix of its effects, from which any datagrams may be missing of at most 16
)

func (c CrashCut) String() string { return [...]string{"prefix", "none", "subset"}[c] }
