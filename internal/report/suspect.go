package report

import (
	"github.com/macemc/macemc/sim"
)

// Status is the result of examining a suspect.
type Status string

const (
	Suspected Status = "suspected" // it was neither confirmed nor refuted
	Confirmed Status = "confirmed" // its run does the same in a fresh process
)

// Suspect is a violation that was suspected when a search ended.
type Suspect struct {
	Status   Status          `json:"status"`
	Kind     sim.FindingKind `json:"kind"`
	Property string          `json:"property,omitempty"`
	Message  string          `json:"message"`
	Steps    int             `json:"steps"` // of the run
	PathFile string          `json:"path_file,omitempty"`
}
