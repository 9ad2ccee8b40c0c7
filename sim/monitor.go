package sim

import (
	"fmt"
	"regexp"
)

// Monitor checks the history of the events that the services of all nodes announce. Its state is part of the global
// state, so it must be encodable like a service.
type Monitor interface {
	// Observe receives each announced event in order. It owns the event. An error is a safety violation.
	Observe(from NodeID, event any) error
}

// MonitorName returns the name of a monitor in reports and flags: "monitor " followed by the result of its method
// Name() string, if it has one, or by its type without the package.
func MonitorName(m Monitor) string {
	if named, ok := m.(interface{ Name() string }); ok {
		return "monitor " + named.Name()
	}
	return "monitor " + qualifier.ReplaceAllString(fmt.Sprintf("%T", m), "")
}

// qualifier matches stars and package paths before the name of a type, also in type arguments.
var qualifier = regexp.MustCompile(`\*+|[^\s\[\],*]*[./]`)

// MonitorNames returns the names of the system's monitors, in order. It makes one of each.
func (s *System) MonitorNames() []string {
	var names []string
	for _, f := range s.Monitors {
		names = append(names, MonitorName(f()))
	}
	return names
}
