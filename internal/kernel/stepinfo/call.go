package stepinfo

import (
	"fmt"
	"strings"
)

// Call is a call between services of one node, as [sim.Enter] records it.
type Call struct {
	// Caller is the service of the enclosing call, or empty if the node's own handler made the call.
	Caller  string
	Service string
	Name    string
	Args    []string // as text
}

func (c Call) String() string {
	return fmt.Sprintf("%s.%s(%s)", c.Service, c.Name, strings.Join(c.Args, ", "))
}
