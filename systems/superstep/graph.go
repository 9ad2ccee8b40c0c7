package superstep

import "slices"

// State is what is searched for: content, the same in all processes.
type State string

// Parts is how many parts the graph has.
const Parts = 2

// first is where the search begins.
const first State = "a"

// successors of a state. The graph has cycles, edges within and between parts, and states to which there is one way only.
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

// partOf is the part that a state belongs to.
func partOf(s State) int { return int(s[0]-'a') % Parts }

// reachable are all states that can be reached, by part.
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
