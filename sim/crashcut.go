package sim

import "fmt"

// CrashCut says what happens of a step inside which its node crashes or halts.
type CrashCut uint8

const (
	CutPrefix CrashCut = iota // its effects up to some point
	CutNone                   // there is no such step: nodes crash and halt between steps only
	CutSubset                 // its effects up to some point, but any of the datagrams among them may be lost; see [MostCut]
)

// MostCut is how many datagrams a node may send in a step by [CutSubset], if it may crash or halt: they may be lost in as many ways as they have subsets.
const MostCut = 16

func (c CrashCut) String() string { return [...]string{"prefix", "none", "subset"}[c] }

// ParseCrashCut is the inverse of String.
func ParseCrashCut(s string) (CrashCut, error) {
	for c := CutPrefix; c <= CutSubset; c++ {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fmt.Errorf("crash-cut %q is not one of none, prefix, subset", s)
}
