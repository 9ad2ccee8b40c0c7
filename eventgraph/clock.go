package eventgraph

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Clock is a vector clock (Fidge 1988, Mattern 1989): how many events of each process an event
// follows, itself included. Processes are the nodes, and one for each event of the network, because
// those follow each other only where one causes the other. Of clocks of one run, those of events that
// are not related to each other are neither before nor after.
type Clock []int32

// Before reports whether the event of c happened before that of d, so that c may have caused d. No
// event happens before itself. Missing components count as 0. Linear in the number of processes.
func (c Clock) Before(d Clock) bool {
	less := false
	for p := range max(len(c), len(d)) {
		switch a, b := c.of(p), d.of(p); {
		case a > b:
			return false
		case a < b:
			less = true
		}
	}
	return less
}

func (c Clock) of(p int) int32 {
	if p < len(c) {
		return c[p]
	}
	return 0
}

// join takes the larger of each component.
func (c Clock) join(d Clock) {
	for p, n := range d {
		c[p] = max(c[p], n)
	}
}

// Clocks returns the vector clock of every step. The first boots count as an event of every node.
// Linear in steps times processes.
func (g *Graph) Clocks() []Clock {
	hosts := g.hosts()
	processes := len(g.Nodes)
	for _, h := range hosts {
		processes = max(processes, h+1)
	}
	clocks := make([]Clock, len(g.Events))
	for i := range g.Events {
		c := make(Clock, processes)
		for _, cause := range g.Events[i].Causes {
			c.join(clocks[cause])
		}
		if i == 0 {
			for n := range g.Nodes {
				c[n] = 1
			}
		} else {
			c[hosts[i]]++
		}
		clocks[i] = c
	}
	return clocks
}

// hosts returns the process of every step.
func (g *Graph) hosts() []int {
	hosts := make([]int, len(g.Events))
	next := len(g.Nodes)
	for i := range g.Events {
		if e := &g.Events[i]; i > 0 && e.onNode() {
			hosts[i] = e.Node
		} else if i > 0 {
			hosts[i] = next
			next++
		}
	}
	return hosts
}

// ShiViz writes all steps as a log with vector clocks that the viewer ShiViz reads, with the regular
// expression (?<event>.*)\n(?<host>\S*) (?<clock>{.*}).
func (g *Graph) ShiViz(w io.Writer) error {
	b := bufio.NewWriter(w)
	hosts := g.hosts()
	name := func(p int) string {
		if p < len(g.Nodes) {
			return fmt.Sprintf("n%d", p)
		}
		return fmt.Sprintf("network%d", p-len(g.Nodes)+1)
	}
	line := func(what string, p int, c Clock) error {
		shown := map[string]int32{}
		for q, n := range c {
			if n > 0 {
				shown[name(q)] = n
			}
		}
		text, err := json.Marshal(shown) // with sorted keys
		if err == nil {
			_, err = fmt.Fprintf(b, "%s\n%s %s\n", what, name(p), text)
		}
		return err
	}
	for i, c := range g.Clocks() {
		if i == 0 {
			for n := range g.Nodes {
				own := make(Clock, n+1)
				own[n] = 1
				if err := line("first boot", n, own); err != nil {
					return err
				}
			}
			continue
		}
		what := strings.TrimSpace(fmt.Sprintf("%d %s %s", i, g.Events[i].Kind, g.Events[i].What))
		if err := line(strings.ReplaceAll(what, "\n", " "), hosts[i], c); err != nil {
			return err
		}
	}
	return b.Flush()
}
