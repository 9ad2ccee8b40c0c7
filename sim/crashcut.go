package sim

import "fmt"

// CrashCut selects the effects that survive of a step during which its node crashes or halts.
type CrashCut uint8

const (
	CutPrefix CrashCut = iota // a prefix of its effects
	CutNone                   // nodes crash and halt only between steps
	CutSubset                 // a prefix of its effects, from which any datagrams may be missing; see [MostCut]
)

// MostCut is the maximum number of datagrams that a node may send in a step under [CutSubset] if it may crash or halt.
// Every subset of them may be lost.
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
