package mdb

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Recorded is what a report says of the critical transition of a run.
type Recorded struct {
	File  string // the report
	Step  int
	Steps int // of the run, to know whether it is still the same
}

// ReadRecorded reads the report beside a path file; the zero value says that there is none, or that it is
// about another run.
func ReadRecorded(pathFile string) Recorded {
	name := filepath.Join(filepath.Dir(pathFile), "report.json")
	text, err := os.ReadFile(name)
	if err != nil {
		return Recorded{}
	}
	var report struct {
		Steps    int
		PathFile string `json:"path_file"`
		Critical *struct{ Step int }
	}
	if json.Unmarshal(text, &report) != nil || report.Critical == nil || report.Critical.Step < 1 ||
		filepath.Base(report.PathFile) != filepath.Base(pathFile) {
		return Recorded{}
	}
	return Recorded{name, report.Critical.Step, report.Steps}
}
