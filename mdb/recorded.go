package mdb

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/macemc/macemc/critical"
)

// Recorded is what a report says of the critical transition of a run.
type Recorded struct {
	File  string // the report
	Step  int
	Steps int // of the run, to know whether it is still the same
	Why   string
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
		Critical *struct {
			Step          int
			Case          critical.Case
			Before, After critical.Probe
		}
	}
	if json.Unmarshal(text, &report) != nil || report.Critical == nil || report.Critical.Step < 1 ||
		filepath.Base(report.PathFile) != filepath.Base(pathFile) {
		return Recorded{}
	}
	c := report.Critical
	return Recorded{name, c.Step, report.Steps, probed(c.Case, c.Before, c.After)}
}

// probed says by what a step was found to be critical; "" when that is not known.
func probed(c critical.Case, before, after critical.Probe) string {
	if c != critical.C1 || after.Walks == 0 {
		return ""
	}
	return fmt.Sprintf("after it %d of %d walks recovered, before it %d of %d", after.Recovered, after.Walks, before.Recovered, before.Walks)
}
