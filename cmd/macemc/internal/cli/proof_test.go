package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Reports distinguish proofs from evidence by walks, and --proof exact accepts only proofs.
func TestProofExact(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range []struct {
		args   string
		status int
		proof  string
		words  string
	}{
		{"pingack", 1, "walks", "not proven"},
		{"pingack --proof exact --max-paths 300", 3, "", "INCONCLUSIVE"},
		{"twophase --bug TP3", 1, "exact", "no live state among the"},
		{"twophase --bug TP3 --proof exact", 1, "exact", "no live state among the"},
		{"twophase --bug TP3 --proof exact --engine replay", 1, "exact", "no live state among the"},
		{"twophase --bug TP3 --proof exact --strategy bfs", 1, "exact", "no live state among the"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			stdout, stderr, status := run(t, append(strings.Fields("search "+c.args), "--workers", "1", "--walks", "40", "--walk-steps", "500", "--json", "--out", "out", "--junit", "junit.xml")...)
			if status != c.status {
				t.Fatalf("exit status %d, want %d: %s", status, c.status, stderr)
			}
			var report struct{ Critical struct{ Proof string } }
			if err := json.Unmarshal([]byte(stdout), &report); err != nil {
				t.Fatal(err)
			}
			if report.Critical.Proof != c.proof {
				t.Errorf("critical.proof is %q, want %q", report.Critical.Proof, c.proof)
			}
			files := []string{"junit.xml"}
			if c.status == 1 {
				files = append(files, filepath.Join("out", "report.md"), filepath.Join("out", "report.html"))
			}
			for _, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), c.words) {
					t.Errorf("%s does not say %q", name, c.words)
				}
			}
		})
	}
	if _, stderr, status := run(t, "search", "pingack", "--proof", "perhaps"); status != 2 || !strings.Contains(stderr, "accepted are walks, exact") {
		t.Errorf("exit status %d, %q", status, stderr)
	}
}
