// Package hardbugs has systems with one defect each that plain random walks do not find, each for a reason of its
// own. Tests check whether searches find it. Corrected is the system without the defect.
package hardbugs

import "github.com/macemc/macemc/sim"

// Case is a system with a defect.
type Case struct {
	Name   string
	Why    string // why plain walks do not find it
	System sim.System
	// Corrected is the system without the defect.
	Corrected sim.System
}

// Cases returns all systems.
func Cases() []Case { return []Case{Stale(), Late(), Twice(), Dead(), Excuse()} }
