package eventgraph

import "fmt"

// SetRace marks the two steps of a data race.
func (g *Graph) SetRace(a, b int) {
	g.Events[a].Race, g.Events[b].Race = b, a
	g.Named = append(g.Named, a, b)
}

// raceText describes the data race of the step. An empty string means none.
func (e *Event) raceText() string {
	if e.Race == 0 {
		return ""
	}
	return fmt.Sprintf("data race with step %d", e.Race)
}
