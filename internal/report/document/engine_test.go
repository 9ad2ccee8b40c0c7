package document

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
)

// A report shows the cost of quorums that try sets of any size.
func TestTriedSets(t *testing.T) {
	r := report.Report{Work: search.Work{Engine: stats.Engine{Used: runloop.TableEngine}}}
	const line = "quorums without a Need: 1,234 sets tried in different states of their nodes; a Need reduces them"
	if slices.Contains(engineLines(&r), line) {
		t.Error("said of none")
	}
	r.Engine.Tried = 1234
	if !slices.Contains(engineLines(&r), line) {
		t.Errorf("%q", engineLines(&r))
	}
}
