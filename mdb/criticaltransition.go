package mdb

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/infile"
)

// CriticalTransition is the critical transition of a run according to a report.
type CriticalTransition struct {
	Step  int    // 0 means unknown
	Steps int    // length of the run, which must match
	Why   string // it is critical, or unknown
}

// ReadCriticalTransition reads the report beside a path file. The zero value means that the report is missing or
// describes another run.
func ReadCriticalTransition(pathFile string) CriticalTransition {
	text, err := infile.Read(filepath.Join(filepath.Dir(pathFile), "report.json"))
	if err != nil {
		return CriticalTransition{}
	}
	var report struct {
		Steps    int
		PathFile string `json:"path_file"`
		Critical *critical.Transition
	}
	if json.Unmarshal(text, &report) != nil || report.Critical == nil || report.Critical.Step < 1 ||
		filepath.Base(report.PathFile) != filepath.Base(pathFile) {
		return CriticalTransition{}
	}
	return CriticalTransition{report.Critical.Step, report.Steps, probed(report.Critical)}
}

// probed describes the evidence that a step is critical, and whether it is a proof. It returns "" if the evidence is unknown.
func probed(r *critical.Transition) string {
	if r.Case != critical.Located || r.After.Walks == 0 {
		return ""
	}
	proof := ""
	switch {
	case r.Proof == critical.Walks:
		proof = "not proven; "
	case r.Proof == critical.Exact && r.States > 0 && r.ProvenAt != r.Step:
		proof = fmt.Sprintf("proven to be dead only since step %d; ", r.ProvenAt)
	case r.Proof == critical.Exact:
		proof = "proven; "
	}
	return fmt.Sprintf("%safter it %d of %d walks recovered, before it %d of %d", proof, r.After.Recovered, r.After.Walks,
		r.Before.Recovered, r.Before.Walks)
}
