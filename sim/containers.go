package sim

import (
	"fmt"
	"slices"
)

// Process returns the nodes that share a process with the given node, itself included, in ascending order. The caller
// owns the slice.
func (s *System) Process(id NodeID) []NodeID {
	for _, c := range s.Containers {
		if slices.Contains(c, id) {
			return slices.Sorted(slices.Values(c))
		}
	}
	return []NodeID{id}
}

func (s *System) validateContainers() error {
	in := map[NodeID]int{}
	for i, c := range s.Containers {
		if len(c) < 2 {
			return fmt.Errorf("system %q: Containers %d has %d nodes: list only sets of at least two; other nodes have their own processes",
				s.Name, i, len(c))
		}
		for _, id := range c {
			other, twice := in[id]
			switch {
			case id < 0 || int(id) >= s.Nodes:
				return fmt.Errorf("system %q: Containers %d: there is no node %d: nodes are 0 to %d", s.Name, i, id, s.Nodes-1)
			case twice && other == i:
				return fmt.Errorf("system %q: Containers %d names node %d twice", s.Name, i, id)
			case twice:
				return fmt.Errorf("system %q: node %d is in Containers %d and %d: a node runs in one process", s.Name, id, other, i)
			}
			in[id] = i
		}
	}
	return nil
}
