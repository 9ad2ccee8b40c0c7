package sim

import (
	"fmt"
	"regexp"
)

// Monitor watches what services announce, over all nodes, and reports what must not happen. Its
// state is part of the global state, so it must be encodable like a service.
type Monitor interface {
	// Observe is told each announced event in order, of which it has a copy of its own; an error is a safety violation.
	Observe(from NodeID, event any) error
}

// MonitorName is how a monitor is named in findings and lists, and how it is chosen: "monitor " and what its
// method Name() string says, if it has one, else its type without its package.
func MonitorName(m Monitor) string {
	if named, ok := m.(interface{ Name() string }); ok {
		return "monitor " + named.Name()
	}
	return "monitor " + qualifier.ReplaceAllString(fmt.Sprintf("%T", m), "")
}

// qualifier is what stands before the name of a type: stars, and the path of a package, also of a type argument.
var qualifier = regexp.MustCompile(`\*+|[^\s\[\],*]*[./]`)

// MonitorNames are the names of the system's monitors, in order. It makes one of each.
func (s *System) MonitorNames() []string {
	var names []string
	for _, f := range s.Monitors {
		names = append(names, MonitorName(f()))
	}
	return names
}
