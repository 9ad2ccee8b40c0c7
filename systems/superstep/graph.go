package superstep

import "slices"

// State is the content of a state, the same in all processes.
type State string

// Parts is the number of parts of the graph.
const Parts = 2

// first is the initial state.
const first State = "a"

// successors returns the successors of a state. The graph has cycles, edges within and between parts, and states
// with only one path to them.
func successors(s State) []State {
	switch s {
	case "a":
		return []State{"b", "d", "c"}
	case "b":
		return []State{"d", "c"}
	case "c":
		return []State{"d", "e"}
	case "d":
		return []State{"a", "b"}
	case "e":
		return []State{"f"}
	}
	return nil
}

// partOf returns the part of a state.
func partOf(s State) int { return int(s[0]-'a') % Parts }

// reachable returns all reachable states, by part.
func reachable() (parts [Parts][]State) {
	todo := []State{first}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if p := partOf(s); !slices.Contains(parts[p], s) {
			parts[p] = append(parts[p], s)
			todo = append(todo, successors(s)...)
		}
	}
	return parts
}
