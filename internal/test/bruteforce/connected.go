package bruteforce

import "slices"

// Connected reports whether each of the states leads to each other one by edges, each a pair of states.
func Connected(states []int, edges [][2]int) bool {
	for _, from := range states {
		reached := []int{from}
		for k := 0; k < len(reached); k++ {
			for _, e := range edges {
				if e[0] == reached[k] && !slices.Contains(reached, e[1]) {
					reached = append(reached, e[1])
				}
			}
		}
		if len(reached) < len(states) {
			return false
		}
	}
	return true
}
