package stepinfo

import (
	"fmt"
	"strings"
)

// Call is a call between services of one node, as [sim.Enter] notes it.
type Call struct {
	// Caller is the service that made the call: the one whose call encloses this one. Empty when that
	// is the node's own handler.
	Caller  string
	Service string
	Name    string
	Args    []string // as text
}

func (c Call) String() string {
	return fmt.Sprintf("%s.%s(%s)", c.Service, c.Name, strings.Join(c.Args, ", "))
}
