package explore

import "github.com/macemc/macemc/internal/explore/stateset"

// FrontierKind is a kind of frontiers.
type FrontierKind struct {
	Name     string
	Doc      string
	Shortest bool // states are come to by shortest ways
	// New makes one for records of so many words.
	New func(words int) Frontier
	// Spilled makes one most of which is on disk; nil: there is none.
	Spilled func(words int, s *stateset.Spill) Frontier
}

// Queue expands states breadth first, Stack depth first.
var (
	Queue = FrontierKind{"queue", "breadth first", true, newQueue, newSpooled}
	Stack = FrontierKind{"stack", "depth first", false, newStack, nil}
)

// Frontiers are all kinds of frontiers.
var Frontiers = []FrontierKind{Queue, Stack}
