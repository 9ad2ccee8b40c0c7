package mdb_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/macemc/macemc/mdb"
)

// The description of the critical step includes whether it is proven.
func TestCriticalTransition_RecordedProof(t *testing.T) {
	const walks = "after it 0 of 24 walks recovered, before it 3 of 24"
	for proof, want := range map[string]string{
		``:                                  walks, // of older reports
		`,"proof":"walks","unproven":"why"`: "not proven; " + walks,
		`,"proof":"exact"`:                  "proven; " + walks,
		`,"proof":"exact","states":12,"proven_at":5`: "proven; " + walks,
		`,"proof":"exact","states":12,"proven_at":9`: "proven to be dead only since step 9; " + walks,
	} {
		dir := t.TempDir()
		report := `{"steps":20,"path_file":"error.path","critical":{"step":5,"case":"C1","before":{"walks":24,"recovered":3},"after":{"walks":24}` + proof + `}}`
		if err := os.WriteFile(filepath.Join(dir, "report.json"), []byte(report), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := mdb.ReadCriticalTransition(filepath.Join(dir, "error.path")); got.Step != 5 || got.Why != want {
			t.Errorf("%s: step %d, %q, want %q", proof, got.Step, got.Why, want)
		}
	}
}
