// Package rare holds systems of which each has one defect that ordinary random walks do not meet, for a reason of its own. Tests
// ask whether searches meet it; "Corrected" is each without it.
package hardbugs

import "github.com/macemc/macemc/sim"

// Case is a system with a defect.
type Case struct {
	Name   string
	Why    string // what keeps ordinary walks from it
	System sim.System
	// Corrected is the same without the defect.
	Corrected sim.System
}

// Cases are all of them.
func Cases() []Case { return []Case{Stale(), Late(), Twice(), Dead(), Excuse()} }
