// Package words has events.
package words

type (
	Said   struct{}
	Unsaid struct{}
)

// Make makes one of them.
func Make() any { return Said{} }
