package document

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
)

// suspectLine describes the suspect in one line.
func suspectLine(s *report.Suspect) string {
	text := fmt.Sprintf("%s, not confirmed: %s in %s", s.Status, kindNames[s.Kind], textfmt.Plural(s.Steps, "step"))
	if what := strings.Join(strings.Fields(cmp.Or(s.Property, s.Message)), " "); what != "" {
		text += ": " + what
	}
	if s.PathFile != "" {
		text += "; " + s.PathFile
	}
	return text
}
