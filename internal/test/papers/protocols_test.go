package papers_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/systems/spec"
)

// The protocols of the papers on reduction, in their settings: states as others counted them, nothing wrong where nothing should be.
func TestProtocolsOfPapers(t *testing.T) {
	for _, c := range []struct {
		system string
		params map[string]string
		states int // 0: a violation is found
	}{
		{"synod", nil, 126_910},
		{"synod", map[string]string{"quorum": "true"}, 27_662},
		{"echo", nil, 28_702},
		{"echo", map[string]string{"quorum": "true"}, 2401},
		{"echo", map[string]string{"receivers": "2", "byzantine-receivers": "2"}, 0},
		{"register", nil, 585_339},
		{"register", map[string]string{"quorum": "true"}, 82_003},
		{"register", map[string]string{"quorum": "true", "spec": "wrong"}, 0},
		{"echo", map[string]string{"receivers": "2", "byzantine-receivers": "2", "quorum": "true"}, 0},
		{"register", map[string]string{"spec": "wrong"}, 0},
		{"register", map[string]string{"readers": "2", "writes": "1", "reads": "1", "spec": "wrong"}, 0},
	} {
		if testing.Short() && c.states > 200_000 {
			continue
		}
		e, err := papers.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: c.params})
		if err != nil {
			t.Fatal(err)
		}
		x, err := table.Explore(t.Context(), &sys, options.Options{})
		switch {
		case err != nil:
			t.Fatal(err)
		case c.states == 0:
			if x.Finding == nil {
				t.Errorf("%s %v: nothing is found in %d states", c.system, c.params, x.States)
			}
		case x.Finding != nil || !x.Complete || x.States != c.states:
			t.Errorf("%s %v: %d states, want %d; complete %v, %v", c.system, c.params, x.States, c.states, x.Complete, x.Finding)
		}
	}
}
