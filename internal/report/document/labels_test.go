package document

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/reports.md explains every label of a report.
func TestLabels_Documented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	labels := 0
	literal := regexp.MustCompile(`"([a-z][a-z ]+):"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllStringSubmatch(string(text), -1) {
			if labels++; !strings.Contains(string(page), "`"+m[1]+"`") {
				t.Errorf("%s: docs/reports.md does not explain label %q", file, m[1])
			}
		}
	}
	if labels < 40 {
		t.Errorf("%d labels, want at least 40: they are no longer literals", labels)
	}
}
