package choose

import "fmt"

var kindNames = [...]string{"event", "draw", "compare", "fault", "outcome", "seed"}

// String is the word that stands for k in path files.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind is the inverse of String.
func ParseKind(s string) (Kind, bool) {
	for i, name := range kindNames {
		if name == s {
			return Kind(i), true
		}
	}
	return 0, false
}

// InPath reports whether the answer to p is part of a [Path]: it is unless there is only one
// alternative, and for events always.
func (p Point) InPath() bool { return p.Arity > 1 || p.Kind == Event }

// describe names p in error messages.
func (p Point) describe() string {
	if p.Label == "" {
		return p.Kind.String()
	}
	return fmt.Sprintf("%s %q", p.Kind, p.Label)
}
