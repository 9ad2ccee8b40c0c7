package explore

import "github.com/macemc/macemc/internal/explore/stateset"

// FrontierKind is a kind of frontier.
type FrontierKind struct {
	Name     string
	Shortest bool // states are found by shortest paths
	// New makes one for records of so many words.
	New func(words int) Frontier
	// Spilled makes one with most of its content on disk, or is nil if there is none.
	Spilled func(words int, s *stateset.Spill) Frontier
}

// Queue expands states breadth first, Stack depth first.
var (
	Queue = FrontierKind{"queue", true, newQueue, newSpooled}
	Stack = FrontierKind{"stack", false, newStack, nil}
)

// Frontiers lists all kinds of frontiers.
var Frontiers = []FrontierKind{Queue, Stack}
